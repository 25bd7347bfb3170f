"""The functions of a run: gathered from its sources, searched by what they do, loaded by id."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from copy import copy
from time import monotonic
from typing import Final, Protocol, runtime_checkable

from flows.config.redaction import redact_pieces
from flows.core.function_description import Function, FunctionDescription
from flows.core.function_store import (
    CallLimits,
    FunctionClass,
    FunctionMatch,
    FunctionStore,
    FunctionStoreConfig,
)
from flows.core.memory import Embedder
from flows.errors import CommandError, ConfigError, ToolError, nearest
from flows.tools.catalog.scoring import rank_functions
from flows.tools.store_index import StoreIndex

_RETRY_S: Final = 60.0


@runtime_checkable
class FunctionSource(Protocol):
    """Where functions come from: a module, a document of an API, a server."""

    async def functions(self) -> tuple[Function, ...]:
        """All of its functions. Errors: `CommandError` when it cannot be reached or read."""
        ...

    async def aclose(self) -> None: ...


@runtime_checkable
class PartialSource(Protocol):
    """A source that may leave some of its functions out: `notes` says which, and why."""

    @property
    def notes(self) -> tuple[str, ...]: ...


@runtime_checkable
class ChangingSource(Protocol):
    """A source whose functions may change in the middle of a run: `is_old` says that they have, so
    that they are asked for again."""

    @property
    def is_old(self) -> bool: ...


class SourceFunctions:
    """The functions of several sources, and `functions` that come from none of them.

    The sources are asked when their functions are first needed. With an `embedder` functions are
    searched by meaning too.
    """

    Config = FunctionStoreConfig

    def __init__(
        self,
        config: FunctionStoreConfig,
        sources: Mapping[str, FunctionSource],
        functions: Sequence[Function] = (),
        embedder: Embedder | None = None,
    ) -> None:
        self._config = config
        self._collection = FunctionCollection(sources)
        self._index = StoreIndex(config.index, embedder)
        self._given = {each.description.id: each for each in functions}
        self._is_view = False

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
        known = {each.id: each for each in await self.descriptions()}
        return await self._index.search(known, question, limit, function_class, namespace)

    async def descriptions(self) -> tuple[FunctionDescription, ...]:
        functions = await self._functions()
        return tuple(functions[each].description for each in sorted(functions))

    async def unavailable(self) -> Mapping[str, str]:
        await self._functions()
        return {**self._collection.unavailable, **self._index.unavailable}

    async def load(self, function_id: str) -> Function:
        known = self._given.get(function_id) or self._collection.known(function_id)
        if known is not None:
            return known
        functions = await self._functions()
        if function_id in functions:
            return functions[function_id]
        meant = nearest(function_id, functions)
        hint = f" (did you mean {meant!r}?)" if meant else ""
        lost = "".join(f"; {name}: {why}" for name, why in self._collection.unavailable.items())
        raise ToolError(f"there is no function {function_id!r}{hint}{lost}")

    def allows(self, function_id: str) -> bool:
        del function_id
        return True

    def with_functions(self, functions: Sequence[Function]) -> FunctionStore:
        view = copy(self)
        view._given = {**self._given, **{each.description.id: each for each in functions}}
        view._is_view = True
        return view

    async def aclose(self) -> None:
        """A store that `with_functions` gave holds nothing of its own."""
        if not self._is_view:
            await self._index.aclose()
            await self._collection.aclose()

    async def _functions(self) -> Mapping[str, Function]:
        return {**await self._collection.functions(), **self._given}


class FunctionCollection:
    """The functions of all sources by their ids. `unavailable` are the sources that could not be
    reached, and why; they are tried again after a minute."""

    def __init__(self, sources: Mapping[str, FunctionSource]) -> None:
        self._sources = dict(sources)
        self._found: dict[str, tuple[Function, ...]] = {}
        self._by_id: dict[str, Function] = {}
        self._turn = asyncio.Lock()
        self._tried = -_RETRY_S
        self.unavailable: dict[str, str] = {}

    def known(self, function_id: str) -> Function | None:
        """A function of a source that was reached before."""
        return self._by_id.get(function_id)

    async def functions(self) -> Mapping[str, Function]:
        """Errors: `ConfigError` where two sources give the same id."""
        async with self._turn:
            missing = [name for name in self._sources if name not in self._found]
            if missing and monotonic() - self._tried >= _RETRY_S:
                await self._reach(missing)
                self._tried = monotonic()
            if old := [name for name in self._found if self._is_old(name)]:
                await self._reach(old)
            return self._by_id

    async def aclose(self) -> None:
        self._found, self._by_id, self._turn = {}, {}, asyncio.Lock()
        self._tried = -_RETRY_S
        for each in self._sources.values():
            await each.aclose()

    def _is_old(self, name: str) -> bool:
        source = self._sources[name]
        return isinstance(source, ChangingSource) and source.is_old

    async def _reach(self, names: Sequence[str]) -> None:
        self.unavailable = {
            name: why for name, why in self.unavailable.items() if name not in names
        }
        found = await asyncio.gather(*(self._of(name) for name in names))
        reached = {name: each for name, each in zip(names, found, strict=True) if each is not None}
        self._found |= reached
        self._by_id = _by_id(self._found)

    async def _of(self, name: str) -> tuple[Function, ...] | None:
        try:
            return await self._sources[name].functions()
        except CommandError as error:
            self.unavailable[name] = redact_pieces(str(error))
            return None


def _by_id(found: Mapping[str, Sequence[Function]]) -> dict[str, Function]:
    """The functions of sources by their ids. Errors: `ConfigError` where two give the same."""
    functions: dict[str, Function] = {}
    origins: dict[str, str] = {}
    for name, each in found.items():
        for function in each:
            given = function.description.id
            if given in functions:
                raise ConfigError(
                    f"functions.sources.{name} and functions.sources.{origins[given]} both give "
                    f"the function {given!r}: give one of them another namespace"
                )
            functions[given] = function
            origins[given] = name
    return functions


class JoinedFunctions:
    """The functions of a store and some others, which hide those of the store by their ids."""

    def __init__(self, store: FunctionStore, functions: Sequence[Function]) -> None:
        self._store = store
        self._own = {
            each.description.id: each for each in functions if store.allows(each.description.id)
        }

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

    def allows(self, function_id: str) -> bool:
        return self._store.allows(function_id)

    def with_functions(self, functions: Sequence[Function]) -> FunctionStore:
        return JoinedFunctions(self, functions)

    async def aclose(self) -> None:
        """The store that this one is over is given up by whoever has made it."""
