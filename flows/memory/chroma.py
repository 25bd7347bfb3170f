"""Vector memory in an embedded Chroma database."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from flows.core.memory import SCOPED, Embedder, MemoryScope, Recalled
from flows.errors import RecallError
from flows.memory.documents import (
    Scalar,
    checked_metadata,
    collection_name,
    documents_by_id,
    encodable,
)
from flows.memory.folder import (
    DATABASE_NAME,
    ChromaFolder,
    release_folder,
    share_folder,
    vectors_of,
    write_rows,
)
from flows.memory.lexical import LexicalEmbedder
from flows.memory.minilm.embedder import MiniLMEmbedder
from flows.memory.ranking import KeywordIndex, fuse
from flows.memory.relevance import relevance, terms

if TYPE_CHECKING:
    from chromadb.api.client import Client
    from chromadb.api.models.Collection import Collection

EMBEDDER_KEY = "flows_embedder"
DIMENSION_KEY = "flows_dimension"
# Of the pairs in tests/memory/recall_pairs.py each keeps all 27 that belong together and drops 214
# of the 216 others; tests/memory/test_recall_floor.py counts them.
FLOORS: Final[Mapping[type[Embedder], float]] = {LexicalEmbedder: 0.4, MiniLMEmbedder: 0.7}
_CANDIDATES = 50
_WRITE_BATCH = 1_000


class ChromaMemory:
    """A collection of an embedded Chroma, one for each project, found by vector and by keyword.

    The nearest vectors and the best keyword matches (BM25) become one ranking, so `distance`, which
    is the cosine distance to the query, does not always grow along a result. Several memories,
    also of several processes, may use one folder on a local disk. Nothing is opened before the
    first use, and a closed memory opens again when it is used. Errors: RecallError.
    """

    class Config(BaseModel):
        """`keyword_share` is the weight of keyword matches in the ranking, 0 for vectors alone.

        Beyond `keyword_limit` documents the vectors rank alone, too. `floor` is the least relevance
        of what is recalled, from 0 to 1, as `flows.memory.relevance.relevance` tells it.
        A text longer than `max_text_chars` is kept cut, and says so at its end.
        """

        model_config = ConfigDict(frozen=True, extra="forbid")

        folder: Path = Field(default=Path(".flows/memory"), description="where it is kept")
        collection: str = Field(default="memory", min_length=1, description="one a project")
        embedder: Mapping[str, Any] | None = Field(
            default=None, description="the run's without it, else lexical"
        )
        scope: Literal["own", "all"] = Field(
            default="own", description="own: what the same flow kept over the same data; or all"
        )
        floor: float | None = Field(
            default=None,
            ge=0,
            le=1,
            description="least relevance; 0.4 with the lexical embedder, 0.7 with minilm, else 0",
        )
        max_text_chars: int = Field(default=100_000, ge=1_000)
        keyword_share: float = Field(default=0.4, ge=0, le=1)
        keyword_limit: int = Field(default=20_000, ge=0)
        lock_timeout_s: float = Field(default=30.0, gt=0, allow_inf_nan=False)

    needs: ClassVar[Mapping[str, str]] = {"embedder": "embedder"}

    def __init__(self, config: ChromaMemory.Config, embedder: Embedder | None = None) -> None:
        self._config = config
        self._embedder: Embedder = embedder or LexicalEmbedder()
        self._path = config.folder.expanduser().absolute()
        self._name = collection_name(config.collection)
        self._folder: ChromaFolder | None = None
        usual = FLOORS.get(type(self._embedder), 0.0)
        self._floor = usual if config.floor is None else config.floor

    async def open(self) -> None:
        """Open the folder now, so that the first read does not pay for loading Chroma."""
        await self._shared().run(lambda client: client, self._config.lock_timeout_s)

    async def read(
        self, query: str, n_results: int, scope: MemoryScope | None = None
    ) -> list[Recalled]:
        if n_results < 1:
            raise RecallError(f"n_results is {n_results}; it has to be 1 or more")
        query = encodable(query).strip()
        if not query or not (self._path / DATABASE_NAME).exists():
            return []  # Nothing was ever written: an answer without loading Chroma.
        [vector] = await vectors_of(self._embedder, [query])
        folder = self._shared()
        scope = None if self._config.scope == "all" else scope
        return await folder.run(
            lambda client: self._find(folder, client, query, vector, n_results, scope),
            self._config.lock_timeout_s,
        )

    async def write(
        self, ids: Sequence[str], texts: Sequence[str], metadata: Mapping[str, Scalar]
    ) -> None:
        documents = documents_by_id(ids, texts, self._config.max_text_chars)
        checked = checked_metadata(metadata)
        if not documents:
            return
        vectors = await vectors_of(self._embedder, list(documents.values()))
        folder = self._shared()
        await folder.run(
            lambda client: self._keep(folder, client, documents, vectors, checked),
            self._config.lock_timeout_s,
        )

    async def aclose(self) -> None:
        folder, self._folder = self._folder, None
        if folder is not None:
            await asyncio.to_thread(release_folder, folder)

    def _shared(self) -> ChromaFolder:
        if self._folder is None:
            self._folder = share_folder(self._path)
        return self._folder

    # What follows runs in the folder's thread, alone in the folder.

    def _collection(self, folder: ChromaFolder, client: Client) -> Collection:
        known = folder.collections.get(self._name)
        if known is None:
            known = self._open_collection(client)
            folder.collections[self._name] = known
        self._check_embedder(known.metadata or {})
        return known

    def _open_collection(self, client: Client) -> Collection:
        from chromadb.errors import NotFoundError

        try:
            return client.get_collection(self._name, embedding_function=None)
        except NotFoundError:
            return client.create_collection(
                self._name,
                embedding_function=None,
                configuration={"hnsw": {"space": "cosine"}},
                metadata={
                    EMBEDDER_KEY: self._embedder.name,
                    DIMENSION_KEY: self._embedder.dimension,
                },
            )

    def _check_embedder(self, stored: Mapping[str, Any]) -> None:
        theirs = (stored.get(EMBEDDER_KEY), stored.get(DIMENSION_KEY))
        ours = (self._embedder.name, self._embedder.dimension)
        if theirs == ours:
            return
        if theirs[0] is None:
            wrote = "was not written by this memory and does not name its embedder"
        else:
            wrote = f"was written with the embedder {theirs[0]} ({theirs[1]} numbers)"
        raise RecallError(
            f"the collection {self._name!r} in {self._path} {wrote}; this run has {ours[0]}"
            f" ({ours[1]} numbers). Vectors of two embedders cannot be compared: use the first one"
            " again, name another collection, or delete the folder"
        )

    def _keep(
        self,
        folder: ChromaFolder,
        client: Client,
        documents: Mapping[str, str],
        vectors: Sequence[Sequence[float]],
        metadata: Mapping[str, Scalar],
    ) -> None:
        collection = self._collection(folder, client)
        ids = list(documents)
        for start in range(0, len(ids), _WRITE_BATCH):
            batch = ids[start : start + _WRITE_BATCH]
            rows = [dict(row) or None for row in _replacing(collection, batch, metadata)]
            write_rows(
                folder.path,
                collection,
                batch,
                vectors[start : start + _WRITE_BATCH],
                [documents[id_] for id_ in batch],
                None if not any(rows) else rows,
            )
        index = folder.keywords.get(self._name)
        if index is not None:
            for id_, text in documents.items():
                index.add(id_, text)

    def _find(
        self,
        folder: ChromaFolder,
        client: Client,
        query: str,
        vector: list[float],
        n_results: int,
        scope: MemoryScope | None,
    ) -> list[Recalled]:
        collection = self._collection(folder, client)
        total = collection.count()
        if total == 0:
            return []
        wanted = min(total, max(_CANDIDATES, n_results))
        queried: Any = [vector]
        where: Any = None if scope is None else _in_scope(scope)
        near = collection.query(
            query_embeddings=queried, n_results=wanted, where=where, include=[]
        )["ids"][0]
        keywords: dict[str, float] = {}
        if self._config.keyword_share and total <= self._config.keyword_limit:
            keywords = self._keywords(folder, collection).search(query, total)
            if scope is not None:
                allowed = set(collection.get(where=where, include=[])["ids"])
                keywords = {id_: each for id_, each in keywords.items() if id_ in allowed}
            keywords = dict(islice(keywords.items(), wanted))
        candidates = list(dict.fromkeys([*near, *keywords]))
        found = _recalled(collection, candidates, vector) if candidates else {}
        if not found:
            return []
        similarities = {id_: 1.0 - each.distance for id_, each in found.items()}
        ranked = fuse(similarities, keywords, self._config.keyword_share)
        asked = frozenset(terms(query))
        near_enough = (
            found[id_]
            for id_ in ranked
            if relevance(asked, found[id_].text, similarities[id_]) >= self._floor
        )
        return list(islice(near_enough, n_results))

    def _keywords(self, folder: ChromaFolder, collection: Collection) -> KeywordIndex:
        index = folder.keywords.get(self._name)
        if index is None:
            stored = collection.get(include=["documents"])
            documents = stored["documents"] or []
            index = KeywordIndex(
                (id_, text or "") for id_, text in zip(stored["ids"], documents, strict=True)
            )
            folder.keywords[self._name] = index
        return index


def _in_scope(scope: MemoryScope) -> dict[str, object]:
    """Chroma's condition for the documents of a scope; `$ne` holds where there is no such key."""
    own = [{key: value} for key, value in scope.metadata.items()]
    return {"$or": [{"$and": own}, {SCOPED: {"$ne": True}}]}


def _recalled(collection: Collection, ids: list[str], query: list[float]) -> dict[str, Recalled]:
    stored: Any = collection.get(ids=ids, include=["documents", "metadatas", "embeddings"])
    distances = cosine_distances(query, stored["embeddings"])
    found: dict[str, Recalled] = {}
    for id_, text, metadata, distance in zip(
        stored["ids"], stored["documents"], stored["metadatas"], distances, strict=True
    ):
        kept = {key: value for key, value in (metadata or {}).items() if isinstance(value, Scalar)}
        found[id_] = Recalled(id=id_, text=text or "", metadata=kept, distance=distance)
    return found


def cosine_distances(query: list[float], vectors: Any) -> list[float]:
    """The cosine distance of each vector to the query's, never below 0."""
    import numpy as np

    ours, theirs = np.asarray(query, dtype=float), np.asarray(vectors, dtype=float)
    lengths = np.linalg.norm(theirs, axis=1) * np.linalg.norm(ours)
    products = theirs @ ours
    cosines = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
    return [max(0.0, 1.0 - float(cosine)) for cosine in cosines]


def _replacing(
    collection: Collection, ids: list[str], metadata: Mapping[str, Scalar]
) -> list[dict[str, Scalar | None]]:
    # Chroma's upsert adds the new keys to the old ones; None takes a key away.
    stored = collection.get(ids=ids, include=["metadatas"])
    earlier = dict(zip(stored["ids"], stored["metadatas"] or [], strict=True))
    return [{**dict.fromkeys(earlier.get(id_) or {}), **metadata} for id_ in ids]
