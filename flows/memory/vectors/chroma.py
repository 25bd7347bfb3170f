"""Rows of a vector store in an embedded Chroma, which they share with the memory of runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from flows.core.memory import Embedder
from flows.core.vector_store import Scalar
from flows.errors import RecallError
from flows.memory.chroma import EMBEDDER_KEY, cosine_distances
from flows.memory.folder import (
    DATABASE_NAME,
    ChromaFolder,
    release_folder,
    share_folder,
    write_rows,
)
from flows.memory.ranking import KeywordIndex
from flows.memory.vectors.engine import (
    MOST_INDEXED,
    NearRow,
    RowFilter,
    VectorRow,
    VectorTable,
)
from flows.memory.vectors.search import indexed

if TYPE_CHECKING:
    from chromadb.api.client import Client
    from chromadb.api.models.Collection import Collection

T = TypeVar("T")
# No collection of the memory of runs begins so.
PREFIX: Final = "store."
_BATCH: Final = 1_000
_STRANGERS: Final = 200


@dataclass(frozen=True, slots=True)
class StoreListing:
    """A store of a folder, what its texts are and how many there are."""

    namespace: str
    name: str
    description: str
    count: int


class ChromaTable:
    """A collection, while its folder is held."""

    def __init__(self, name: str, collection: Collection, folder: ChromaFolder) -> None:
        self._name = name
        self._collection = collection
        self._folder = folder

    def put(self, rows: Sequence[VectorRow]) -> None:
        for start in range(0, len(rows), _BATCH):
            _write(self._collection, self._folder, rows[start : start + _BATCH])
        index = self._folder.keywords.get(self._name)
        if index is not None:
            for each in rows:
                index.add(each.id, indexed(each.id, each.text))

    def remove(self, which: RowFilter, ids: Sequence[str]) -> int:
        found = self.ids(which) if which else set()
        if ids:
            known = self._collection.get(ids=list(dict.fromkeys(ids)), include=[])
            found |= set(known["ids"])
        gone = sorted(found)
        for start in range(0, len(gone), _BATCH):
            self._collection.delete(ids=gone[start : start + _BATCH])
        index = self._folder.keywords.get(self._name)
        if index is not None:
            for id_ in gone:
                index.remove(id_)
        return len(gone)

    def nearest(self, vector: Sequence[float], limit: int, which: RowFilter) -> list[NearRow]:
        queried: Any = [list(vector)]
        found: Any = self._collection.query(
            query_embeddings=queried, n_results=limit, where=condition(which), include=[]
        )
        order = {id_: place for place, id_ in enumerate(found["ids"][0])}
        return sorted(self.rows(list(order), vector), key=lambda each: order[each.id])

    def rows(self, ids: Sequence[str], vector: Sequence[float]) -> list[NearRow]:
        if not ids:
            return []
        stored: Any = self._collection.get(
            ids=list(ids), include=["documents", "metadatas", "embeddings"]
        )
        distances = cosine_distances(list(vector), stored["embeddings"])
        rows = zip(stored["ids"], stored["documents"], stored["metadatas"], distances, strict=True)
        return [
            NearRow(id_, text or "", _plain(told), distance) for id_, text, told, distance in rows
        ]

    def ids(self, which: RowFilter) -> set[str]:
        return set(self._collection.get(where=condition(which), include=[])["ids"])

    def keywords(self) -> KeywordIndex:
        if self._collection.count() > MOST_INDEXED:
            return KeywordIndex()
        known = self._folder.keywords.get(self._name)
        if known is None:
            stored: Any = self._collection.get(include=["documents"])
            pairs = zip(stored["ids"], stored["documents"], strict=True)
            known = KeywordIndex((id_, indexed(id_, text or "")) for id_, text in pairs)
            self._folder.keywords[self._name] = known
        return known

    def some_distances(self, vector: Sequence[float]) -> list[float]:
        some: Any = self._collection.get(limit=_STRANGERS, include=["embeddings"])
        return cosine_distances(list(vector), some["embeddings"])

    def count(self) -> int:
        return self._collection.count()


class ChromaEngine:
    """A collection of an embedded Chroma. Several processes may use its folder.

    `about` is kept beside it, and tells which stores a folder holds.
    """

    def __init__(
        self,
        path: Path,
        collection: str,
        embedder: Embedder,
        about: Mapping[str, str],
        lock_timeout_s: float,
    ) -> None:
        self._path = path
        self._name = collection
        self._embedder = embedder
        self._about = dict(about)
        self._timeout = lock_timeout_s
        self._folder: ChromaFolder | None = None

    async def is_there(self) -> bool:
        return (self._path / DATABASE_NAME).exists()

    async def run(self, work: Callable[[VectorTable], T]) -> T:
        if self._folder is None:
            self._folder = share_folder(self._path)
        folder = self._folder
        return await folder.run(
            lambda client: work(ChromaTable(self._name, self._collection(folder, client), folder)),
            self._timeout,
        )

    async def aclose(self) -> None:
        folder, self._folder = self._folder, None
        if folder is not None:
            await asyncio.to_thread(release_folder, folder)

    def _collection(self, folder: ChromaFolder, client: Client) -> Collection:
        known = folder.collections.get(self._name)
        if known is None:
            known = client.get_or_create_collection(
                self._name,
                embedding_function=None,
                configuration={"hnsw": {"space": "cosine"}},
                metadata={**self._about, EMBEDDER_KEY: self._embedder.name},
            )
            folder.collections[self._name] = known
        theirs = (known.metadata or {}).get(EMBEDDER_KEY)
        if theirs != self._embedder.name:
            raise RecallError(
                f"the store in {self._path} was written with the embedder {theirs}; this one has"
                f" {self._embedder.name}. Vectors of two embedders cannot be compared: use the"
                " first one again, or name another store"
            )
        return known


def condition(which: RowFilter) -> dict[str, Any] | None:
    """The filter in Chroma's words; None for one without a condition."""
    parts: list[dict[str, Any]] = [
        {key: {"$in": list(values)}} for key, values in which.equal.items()
    ]
    parts += [{key: {"$gte": bound}} for key, bound in which.least.items()]
    parts += [{key: {"$lte": bound}} for key, bound in which.most.items()]
    if not parts:
        return None
    whole = parts[0] if len(parts) == 1 else {"$and": parts}
    if which.unless_without:
        # `$ne` holds where there is no such key.
        return {"$or": [whole, {which.unless_without: {"$ne": True}}]}
    return whole


def _write(collection: Collection, folder: ChromaFolder, rows: Sequence[VectorRow]) -> None:
    ids = [each.id for each in rows]
    # Chroma's upsert adds the new keys to the old ones; None takes a key away.
    stored = collection.get(ids=ids, include=["metadatas"])
    earlier = dict(zip(stored["ids"], stored["metadatas"] or [], strict=True))
    metadata = [{**dict.fromkeys(earlier.get(each.id) or {}), **each.metadata} for each in rows]
    write_rows(
        folder.path,
        collection,
        ids,
        [each.vector for each in rows],
        [each.text for each in rows],
        [dict(each) or None for each in metadata],
    )


def _plain(told: Mapping[str, Any] | None) -> dict[str, Scalar]:
    return {key: each for key, each in (told or {}).items() if isinstance(each, Scalar)}


async def stores_in(path: Path, lock_timeout_s: float = 30.0) -> list[StoreListing]:
    """The vector stores that a folder holds, by namespace and name. Errors: `RecallError`."""
    if not (path / DATABASE_NAME).exists():
        return []
    folder = share_folder(path)
    try:
        return await folder.run(_listed, lock_timeout_s)
    finally:
        await asyncio.to_thread(release_folder, folder)


def _listed(client: Client) -> list[StoreListing]:
    found = []
    for each in client.list_collections():
        told = each.metadata or {}
        if each.name.startswith(PREFIX):
            namespace, name, about = (
                str(told.get(key, "")) for key in ("namespace", "store", "about")
            )
            found.append(StoreListing(namespace, name, about, each.count()))
    return sorted(found, key=lambda each: (each.namespace, each.name))
