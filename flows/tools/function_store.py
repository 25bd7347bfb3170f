"""The functions of a run: gathered from its sources, searched by what they do, loaded by id."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from flows.config.redaction import redact_pieces
from flows.core.function_description import Function, FunctionDescription
from flows.core.function_store import (
    CallLimits,
    FunctionClass,
    FunctionMatch,
    FunctionStore,
    FunctionStoreConfig,
)
from flows.errors import CommandError, ConfigError, ToolError, nearest
from flows.tools.catalog.scoring import rank_functions


@runtime_checkable
class FunctionSource(Protocol):
    """Where functions come from: a module, a document of an API, a server."""

    async def functions(self) -> tuple[Function, ...]:
        """All of its functions. Errors: `CommandError` when it cannot be reached or read."""
        ...

    async def aclose(self) -> None: ...


class SourceFunctions:
    """The functions of several sources. They are gathered when they are first asked for."""

    Config = FunctionStoreConfig

    def __init__(
        self,
        config: FunctionStoreConfig,
        sources: Mapping[str, FunctionSource],
        functions: Sequence[Function] = (),
    ) -> None:
        self._config = config
        self._sources = dict(sources)
        self._given = tuple(functions)
        self._gathered: dict[str, Function] | None = None
        self._unavailable: dict[str, str] = {}
        self._gathering = asyncio.Lock()

    @property
    def limits(self) -> CallLimits:
        return self._config

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
        functions = await self._functions()
        return tuple(functions[each].description for each in sorted(functions))

    async def unavailable(self) -> Mapping[str, str]:
        await self._functions()
        return dict(self._unavailable)

    async def load(self, function_id: str) -> Function:
        functions = await self._functions()
        if function_id in functions:
            return functions[function_id]
        meant = nearest(function_id, functions)
        hint = f" (did you mean {meant!r}?)" if meant else ""
        lost = "".join(f"; {name}: {why}" for name, why in self._unavailable.items())
        raise ToolError(f"there is no function {function_id!r}{hint}{lost}")

    def with_functions(self, functions: Sequence[Function]) -> FunctionStore:
        return JoinedFunctions(self, functions)

    async def aclose(self) -> None:
        self._gathered, self._gathering = None, asyncio.Lock()
        for each in self._sources.values():
            await each.aclose()

    async def _functions(self) -> dict[str, Function]:
        """All functions by id. A source that fails is tried again with the next call."""
        async with self._gathering:
            if self._gathered is None or self._unavailable:
                self._gathered = await self._gather()
            return self._gathered

    async def _gather(self) -> dict[str, Function]:
        self._unavailable = {}
        names = list(self._sources)
        found = await asyncio.gather(*(self._of(name) for name in names))
        functions: dict[str, Function] = {each.description.id: each for each in self._given}
        origins = dict.fromkeys(functions, "a service of the run")
        for name, each in zip(names, found, strict=True):
            for function in each:
                _add(functions, origins, function, name)
        return functions

    async def _of(self, name: str) -> tuple[Function, ...]:
        try:
            return await self._sources[name].functions()
        except CommandError as error:
            self._unavailable[name] = redact_pieces(str(error))
            return ()


class JoinedFunctions:
    """The functions of a store and some others, which hide those of the store by their ids."""

    def __init__(self, store: FunctionStore, functions: Sequence[Function]) -> None:
        self._store = store
        self._own = {each.description.id: each for each in functions}

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
        found = await self._store.search(
            question, limit + len(self._own), function_class, namespace
        )
        own = [
            each.description
            for each in self._own.values()
            if function_class in ("Any", each.description.function_class)
            and namespace in ("", each.description.namespace)
        ]
        others = [each.description for each in found if each.description.id not in self._own]
        return rank_functions(question, [*own, *others], limit)

    async def descriptions(self) -> tuple[FunctionDescription, ...]:
        known = {each.id: each for each in await self._store.descriptions()}
        known |= {name: each.description for name, each in self._own.items()}
        return tuple(known[name] for name in sorted(known))

    async def unavailable(self) -> Mapping[str, str]:
        return await self._store.unavailable()

    async def load(self, function_id: str) -> Function:
        own = self._own.get(function_id)
        return await self._store.load(function_id) if own is None else own

    def with_functions(self, functions: Sequence[Function]) -> FunctionStore:
        return JoinedFunctions(self, functions)

    async def aclose(self) -> None:
        """The store that this one is over is given up by whoever has made it."""


def _add(
    functions: dict[str, Function], origins: dict[str, str], function: Function, source: str
) -> None:
    """Errors: `ConfigError` for an id that another source has given."""
    given = function.description.id
    if given in functions:
        raise ConfigError(
            f"functions.sources.{source} and {origins[given]} both give the function "
            f"{given!r}: give one "
            "of them another namespace"
        )
    functions[given] = function
    origins[given] = f"functions.sources.{source}"
