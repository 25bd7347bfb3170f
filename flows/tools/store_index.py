"""The index that the functions of a run are searched by, brought up to date with each search."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from flows.core.function_description import FunctionDescription
from flows.core.function_store import FunctionClass, FunctionMatch
from flows.core.memory import Embedder
from flows.errors import RecallError
from flows.tools.catalog.index import FunctionIndex

_CANDIDATES: Final = 200
_EMBEDDING_S: Final = 2.0  # that a search waits for vectors; without them it goes by words


class StoreIndex:
    """Searches functions by words and, with an embedder, by meaning.

    The folder may be shared with other runs: only functions that a search names as known are found.
    Vectors are made beside the searches. An embedder that fails is given up, and `unavailable` says
    why.
    """

    def __init__(self, folder: Path, embedder: Embedder | None = None) -> None:
        self._folder = folder
        self._embedder = embedder
        self._index: FunctionIndex | None = None
        self._embedding: asyncio.Task[int] | None = None
        self._added: dict[str, FunctionDescription] = {}
        self.unavailable: dict[str, str] = {}

    async def search(
        self,
        known: Mapping[str, FunctionDescription],
        question: str,
        limit: int,
        function_class: FunctionClass,
        namespace: str,
    ) -> list[FunctionMatch]:
        """The known functions that fit the question, the best first. Errors: `ToolError`."""
        try:
            index = await self._current(known)
            found = await index.search(question, limit + _CANDIDATES, function_class, namespace)
        except RecallError as error:
            self._embedder = None
            self.unavailable["embedder"] = f"functions are found by words only: {error}"
            await self.aclose()
            index = await self._current(known)
            found = await index.search(question, limit + _CANDIDATES, function_class, namespace)
        return [
            FunctionMatch(description=known[each.description.id], score=each.score)
            for each in found
            if each.description.id in known
        ][: max(limit, 0)]

    async def aclose(self) -> None:
        index, self._index = self._index, None
        task, self._embedding = self._embedding, None
        self._added = {}
        if task is not None:
            task.cancel()
            await asyncio.wait({task})
        if index is not None:
            await index.aclose()

    async def _current(self, known: Mapping[str, FunctionDescription]) -> FunctionIndex:
        """The index with all known functions. Errors: `RecallError` of the embedder."""
        if self._index is None:
            self._index = FunctionIndex(self._folder, self._embedder)
        new = {name: each for name, each in known.items() if self._added.get(name) != each}
        if new:
            await self._index.add(new.values())
            self._added |= new
        if self._embedder is None:
            return self._index
        if new and (self._embedding is None or self._embedding.done()):
            self._embedding = asyncio.create_task(self._index.embed())
        if self._embedding is not None:
            done, _ = await asyncio.wait({self._embedding}, timeout=_EMBEDDING_S)
            for task in done:
                task.result()
        return self._index
