"""The passages of documents in one collection of Chroma: kept, dropped, found."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from flows.core.documents import Passage
from flows.data.documents.chunks import Chunk
from flows.memory.chroma import cosine_distances
from flows.memory.document_ledger import Ledger
from flows.memory.documents import encodable
from flows.memory.folder import ChromaFolder, write_rows
from flows.memory.ranking import KeywordIndex, fuse
from flows.memory.relevance import Wanted, stands_out, terms

if TYPE_CHECKING:
    from chromadb.api.client import Client
    from chromadb.api.models.Collection import Collection

_CANDIDATES = 60
_BATCH = 1_000
_STRANGERS = 200
# Above it the words of the nearest passages alone tell which are rare.
_MOST_INDEXED = 50_000
_KEYWORD_SHARE = 0.5


class DocumentVectors(NamedTuple):
    """A document that is ready to be stored: its SHA-256, its passages and their vectors."""

    digest: str
    passages: tuple[tuple[Chunk, Sequence[float]], ...]


class _Candidate(NamedTuple):
    passage: Passage
    searched: str
    distance: float


class Passages:
    """A collection. All methods belong to the thread of its folder, alone in it.

    The ledger is told that a document is held after its passages are, and that it is not before
    they go: what was interrupted is done again.
    """

    def __init__(self, name: str, folder: ChromaFolder, ledger: Ledger) -> None:
        self._name = name
        self._folder = folder
        self._ledger = ledger

    def held(self, client: Client) -> dict[str, str]:
        """The documents that are there, with their SHA-256."""
        return self._ledger.held(self._name, str(self._collection(client).id))

    def state(self, client: Client) -> tuple[dict[str, str], int]:
        """What `held` says, and the number of passages."""
        return self.held(client), self._collection(client).count()

    def drop(self, client: Client, names: Sequence[str]) -> None:
        """Forget documents."""
        if names:
            self._ledger.let_go(self._name, names)
            self._delete(self._collection(client), names)

    def replace(
        self, client: Client, kept: Mapping[str, DocumentVectors], lost: Sequence[str]
    ) -> None:
        """Store documents in place of what was there of them, and forget those that are `lost`."""
        collection = self._collection(client)
        names = [*kept, *lost]
        self._ledger.let_go(self._name, names)
        if collection.count():
            self._delete(collection, names)
        rows = [
            (_id(name, number), vector, chunk.text, _metadata(name, number, chunk))
            for name, each in kept.items()
            for number, (chunk, vector) in enumerate(each.passages)
        ]
        for start in range(0, len(rows), _BATCH):
            ids, vectors, texts, metadata = zip(*rows[start : start + _BATCH], strict=True)
            write_rows(
                self._folder.path, collection, list(ids), list(vectors), list(texts), list(metadata)
            )
        self._ledger.hold(self._name, {name: each.digest for name, each in kept.items()})
        index = self._folder.keywords.get(self._name)
        if index is not None:
            for id_, _, text, told in rows:
                index.add(id_, _indexed(text, told))

    def find(
        self, client: Client, query: str, vector: list[float], n_results: int, *, semantic: bool
    ) -> list[Passage]:
        """The passages that share telling words with the query, or, where vectors are `semantic`,
        are much nearer to it than others; best first."""
        collection = self._collection(client)
        total = collection.count()
        if total == 0:
            return []
        index = self._keywords(collection) if total <= _MOST_INDEXED else KeywordIndex()
        keywords = index.search(Wanted(query, index).text, _CANDIDATES)
        candidates = self._candidates(collection, vector, keywords, max(_CANDIDATES, n_results))
        if total > _MOST_INDEXED:
            index = KeywordIndex((id_, each.searched) for id_, each in candidates.items())
        wanted = Wanted(query, index)
        scores = {id_: wanted.share(index.words_of(id_)) for id_ in candidates}
        if semantic:
            nearer = self._nearer(collection, vector, candidates)
            scores = {id_: max(score, nearer[id_]) for id_, score in scores.items()}
        similarities = {id_: 1.0 - each.distance for id_, each in candidates.items()}
        ranked = fuse(similarities, keywords, _KEYWORD_SHARE)
        best = sorted((id_ for id_ in ranked if scores[id_] > 0), key=lambda id_: -scores[id_])
        return [
            candidates[id_].passage.model_copy(update={"score": round(min(1.0, scores[id_]), 4)})
            for id_ in best[:n_results]
        ]

    def _nearer(
        self, collection: Collection, vector: list[float], found: Mapping[str, _Candidate]
    ) -> dict[str, float]:
        """How much nearer than some passages, whichever they are, each of those found is."""
        some: Any = collection.get(limit=_STRANGERS, include=["embeddings"])
        distances = {id_: each.distance for id_, each in found.items()}
        return stands_out(distances, cosine_distances(vector, some["embeddings"]))

    def _candidates(
        self,
        collection: Collection,
        vector: list[float],
        keywords: Mapping[str, float],
        wanted: int,
    ) -> dict[str, _Candidate]:
        queried: Any = [vector]
        near = collection.query(query_embeddings=queried, n_results=wanted, include=[])["ids"][0]
        ids = list(dict.fromkeys([*near, *keywords]))
        stored: Any = collection.get(ids=ids, include=["documents", "metadatas", "embeddings"])
        distances = cosine_distances(vector, stored["embeddings"])
        rows = zip(stored["ids"], stored["documents"], stored["metadatas"], distances, strict=True)
        return {
            id_: _Candidate(_passage(id_, text, told), _indexed(text, told), distance)
            for id_, text, told, distance in rows
        }

    def _collection(self, client: Client) -> Collection:
        known = self._folder.collections.get(self._name)
        if known is None:
            known = client.get_or_create_collection(
                self._name, embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
            )
            self._folder.collections[self._name] = known
        return known

    def _keywords(self, collection: Collection) -> KeywordIndex:
        index = self._folder.keywords.get(self._name)
        if index is None:
            stored: Any = collection.get(include=["documents", "metadatas"])
            rows = zip(stored["ids"], stored["documents"], stored["metadatas"], strict=True)
            index = KeywordIndex((id_, _indexed(text, told)) for id_, text, told in rows)
            self._folder.keywords[self._name] = index
        return index

    def _delete(self, collection: Collection, names: Sequence[str]) -> None:
        index = self._folder.keywords.get(self._name)
        for start in range(0, len(names), _BATCH):
            some: Any = {"document": {"$in": [encodable(n) for n in names[start : start + _BATCH]]}}
            found = collection.get(where=some, include=[])["ids"]
            for at in range(0, len(found), _BATCH):
                collection.delete(ids=found[at : at + _BATCH])
            _forget(index, found)


def _forget(index: KeywordIndex | None, ids: Iterable[str]) -> None:
    if index is not None:
        for each in ids:
            index.remove(each)


def searched(name: str, section: str, text: str) -> str:
    """What a passage is found by: its text, the headings above it, and the document's name."""
    return "\n".join(filter(None, (PurePath(name).stem, section, text)))


def _id(name: str, number: int) -> str:
    mark = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{mark}-{number}"


def _metadata(name: str, number: int, chunk: Chunk) -> dict[str, str | int]:
    told = {"document": name, "where": chunk.where, "section": chunk.section}
    return {**{key: encodable(each) for key, each in told.items()}, "number": number}


def _indexed(text: str, told: Mapping[str, Any]) -> str:
    return " ".join(terms(searched(str(told["document"]), str(told["section"]), text)))


def _passage(id_: str, text: str, told: Mapping[str, Any]) -> Passage:
    document, where = str(told["document"]), str(told["where"])
    return Passage(id=id_, document=document, where=where, text=text, score=0.0)
