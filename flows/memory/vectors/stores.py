"""The vector stores that a run file names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final

from pydantic import BaseModel, ConfigDict, Field

from flows.core.memory import Embedder
from flows.core.vector_store import EntryFilter, FoundEntry, Scalar, StoreName, VectorEntry
from flows.errors import RecallError, StoreError
from flows.memory.agent import StoreAgent, agent_of
from flows.memory.documents import checked_metadata, documents_by_id
from flows.memory.folder import vectors_of
from flows.memory.lexical import LexicalEmbedder
from flows.memory.vectors.chroma import PREFIX, ChromaEngine
from flows.memory.vectors.engine import NearRow, RowFilter, VectorEngine, VectorRow, VectorTable
from flows.memory.vectors.function import VectorFunction
from flows.memory.vectors.search import hybrid_search

DOCUMENT: Final = "doc_id"
TIMESTAMP: Final = "timestamp"
_OWN: Final = (DOCUMENT, TIMESTAMP)
_BATCH: Final = 500


class VectorStoreConfig(BaseModel):
    """`namespace` and `name` say which store is meant; `description` what its texts are about."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    namespace: StoreName = "default"
    name: StoreName = Field(description="the store's in its namespace")
    description: str = Field(default="", description="what the texts are, for agents")
    embedder: Mapping[str, Any] | None = Field(
        default=None, description="the run's without it, else lexical"
    )
    max_text_chars: int = Field(default=100_000, ge=1_000, description="a longer text is cut")


class EntryStore:
    """A vector store over a database of vectors; nothing is opened before the first use.

    `await store("ask a question")` is `run_search`.
    """

    def __init__(self, config: VectorStoreConfig, engine: VectorEngine, embedder: Embedder) -> None:
        self._config = config
        self.engine = engine
        self._embedder = embedder

    @property
    def namespace(self) -> str:
        return self._config.namespace

    @property
    def name(self) -> str:
        return self._config.name

    async def __call__(
        self, question: str, limit: int = 5, filters: EntryFilter | None = None
    ) -> list[FoundEntry]:
        return await self.run_search(question, limit, filters)

    async def add(self, entries: Sequence[VectorEntry]) -> None:
        last = {each.name: each for each in entries}
        try:
            texts = documents_by_id(
                list(last), [each.text for each in last.values()], self._config.max_text_chars
            )
            told = {name: _metadata(last[name]) for name in last}
            names = list(texts)
            for start in range(0, len(names), _BATCH):
                some = names[start : start + _BATCH]
                vectors = await vectors_of(self._embedder, [texts[name] for name in some])
                rows = [
                    VectorRow(name, texts[name], told[name], vector)
                    for name, vector in zip(some, vectors, strict=True)
                ]
                await self.engine.run(partial(_put, rows=rows))
        except RecallError as error:
            raise StoreError(str(error)) from error

    async def remove(self, names: Sequence[str] = (), doc_ids: Sequence[str] = ()) -> int:
        which = RowFilter(equal={DOCUMENT: tuple(doc_ids)}) if doc_ids else RowFilter()
        try:
            if not (names or doc_ids) or not await self.engine.is_there():
                return 0
            return await self.engine.run(lambda table: table.remove(which, names))
        except RecallError as error:
            raise StoreError(str(error)) from error

    async def run_search(
        self, question: str, limit: int = 5, filters: EntryFilter | None = None
    ) -> list[FoundEntry]:
        if limit < 1:
            raise StoreError(f"the limit is {limit}; it has to be 1 or more")
        which = _row_filter(filters or EntryFilter())
        try:
            found = await hybrid_search(self.engine, self._embedder, question, limit, which)
        except RecallError as error:
            raise StoreError(str(error)) from error
        return [FoundEntry(entry=_entry(each.row), score=each.score) for each in found]

    async def count(self) -> int:
        try:
            return await self.engine.run(_count) if await self.engine.is_there() else 0
        except RecallError as error:
            raise StoreError(str(error)) from error

    def as_function(self, name: str = "", namespace: str = "default") -> VectorFunction:
        """The store's search as a function that an agent may call, `search_NAME` without a name."""
        called = name or f"search_{self.name.replace('-', '_')}"
        return VectorFunction(self, called, namespace, self._config.description)

    def as_agent(self, model: str | None = None) -> StoreAgent:
        """An agent that has only this store: `store.as_agent()("a question").answer`."""
        return agent_of(self.as_function(), model)

    async def aclose(self) -> None:
        await self.engine.aclose()


class ChromaVectorStore(EntryStore):
    """A vector store in an embedded Chroma, beside the memory of runs in the same folder."""

    class Config(VectorStoreConfig):
        """A relative `folder` starts from the working folder."""

        folder: Path = Field(default=Path(".flows/memory"), description="where it is kept")
        lock_timeout_s: float = Field(default=30.0, gt=0, allow_inf_nan=False)

    needs: ClassVar[Mapping[str, str]] = {"embedder": "embedder"}

    def __init__(self, config: ChromaVectorStore.Config, embedder: Embedder | None = None) -> None:
        embedder = embedder or LexicalEmbedder()
        path = local_path(config.folder)
        collection = f"{PREFIX}{config.namespace}.{config.name}"
        about = {"namespace": config.namespace, "store": config.name, "about": config.description}
        engine = ChromaEngine(path, collection, embedder, about, config.lock_timeout_s)
        super().__init__(config, engine, embedder)


def local_path(folder: Path) -> Path:
    """The whole path of a folder, which starts from the working folder."""
    return folder.expanduser().absolute()


def _put(table: VectorTable, rows: Sequence[VectorRow]) -> None:
    table.put(rows)


def _count(table: VectorTable) -> int:
    return table.count()


def _metadata(entry: VectorEntry) -> dict[str, Scalar]:
    """What a database keeps beside the text. Errors: `RecallError` for a key that is taken."""
    taken = sorted(set(_OWN).intersection(entry.metadata))
    if taken:
        raise RecallError(f"metadata {taken[0]!r} is a field of each entry; use another name")
    own: dict[str, Scalar] = {
        DOCUMENT: entry.document,
        TIMESTAMP: entry.timestamp.timestamp(),
    }
    return {**checked_metadata(entry.metadata), **own}


def _entry(row: NearRow) -> VectorEntry:
    document = str(row.metadata.get(DOCUMENT, ""))
    return VectorEntry(
        name=row.id,
        text=row.text,
        doc_id="" if document == row.id else document,
        timestamp=datetime.fromtimestamp(float(row.metadata.get(TIMESTAMP, 0.0)), UTC),
        metadata={key: each for key, each in row.metadata.items() if key not in _OWN},
    )


def _row_filter(filters: EntryFilter) -> RowFilter:
    equal: dict[str, tuple[Scalar, ...]] = {
        key: (value,) for key, value in filters.metadata.items()
    }
    if filters.doc_ids:
        equal[DOCUMENT] = filters.doc_ids
    return RowFilter(
        equal=equal,
        least={TIMESTAMP: filters.since.timestamp()} if filters.since else {},
        most={TIMESTAMP: filters.until.timestamp()} if filters.until else {},
    )
