"""A part of the functions of a run: those whose ids a list of names and patterns allows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from flows.core.function_description import Function, FunctionDescription
from flows.core.function_store import CallLimits, FunctionClass, FunctionMatch, FunctionStore
from flows.errors import ToolError
from flows.tools.catalog.scoring import rank_functions
from flows.tools.function_store import JoinedFunctions


class RestrictedFunctions:
    """The functions of a store whose ids are among `only`, or match a pattern of it such as
    `sales/*`. The others are not found, not listed, not loaded and not joined."""

    def __init__(self, store: FunctionStore, only: Sequence[str]) -> None:
        self._store = store
        self._only = tuple(only)

    @property
    def limits(self) -> CallLimits:
        return self._store.limits

    async def search(
        self,
        question: str,
        limit: int = 10,
        function_class: FunctionClass = "Any",
        namespace: str = "",
    ) -> list[FunctionMatch]:
        fitting = [
            each
            for each in await self.descriptions()
            if function_class in ("Any", each.function_class) and namespace in ("", each.namespace)
        ]
        return rank_functions(question, fitting, limit)

    async def descriptions(self) -> tuple[FunctionDescription, ...]:
        return tuple(each for each in await self._store.descriptions() if self.allows(each.id))

    async def unavailable(self) -> Mapping[str, str]:
        return await self._store.unavailable()

    async def load(self, function_id: str) -> Function:
        if not self.allows(function_id):
            raise ToolError(f"the function {function_id!r} is not allowed here")
        return await self._store.load(function_id)

    def allows(self, function_id: str) -> bool:
        return any(fnmatchcase(function_id, each) for each in self._only)

    def with_functions(self, functions: Sequence[Function]) -> FunctionStore:
        return JoinedFunctions(self, functions)

    async def aclose(self) -> None:
        await self._store.aclose()
