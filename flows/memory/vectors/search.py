"""A search by vectors and by keywords (BM25) in one ranking, over any database of vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flows.core.memory import Embedder
from flows.memory.documents import encodable
from flows.memory.folder import vectors_of
from flows.memory.lexical import LexicalEmbedder
from flows.memory.ranking import KeywordIndex, fuse
from flows.memory.relevance import Wanted, stands_out, terms
from flows.memory.vectors.engine import NearRow, RowFilter, VectorEngine, VectorTable

_CANDIDATES = 60
KEYWORD_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class RankedEntry:
    """A row with its score from 0 to 1, as `FoundEntry` says it."""

    row: NearRow
    score: float


def indexed(id_: str, text: str) -> str:
    """What a row is found by: the stems of its id's and its text's telling words."""
    return " ".join(terms(f"{id_}\n{text}"))


async def hybrid_search(
    engine: VectorEngine, embedder: Embedder, question: str, limit: int, which: RowFilter
) -> list[RankedEntry]:
    """The rows that share telling words with the question or, where vectors tell of meaning, are
    much nearer to it than others; best first. Errors: `RecallError`, also of the embedder."""
    question = encodable(question).strip()
    if not question or not await engine.is_there():
        return []
    [vector] = await vectors_of(embedder, [question])
    semantic = not isinstance(embedder, LexicalEmbedder)
    return await engine.run(
        lambda table: _search(table, question, vector, limit, which, semantic=semantic)
    )


def _search(
    table: VectorTable,
    question: str,
    vector: list[float],
    limit: int,
    which: RowFilter,
    *,
    semantic: bool,
) -> list[RankedEntry]:
    most = max(_CANDIDATES, limit)
    index = table.keywords()
    words = index.search(Wanted(question, index).text, table.count() if which else most)
    if which and words:
        allowed = table.ids(which)
        words = {id_: score for id_, score in words.items() if id_ in allowed}
    found = _candidates(table, vector, list(words)[:most], most, which)
    if not found:
        return []
    if not len(index):
        index = KeywordIndex((id_, indexed(id_, each.text)) for id_, each in found.items())
        words = index.search(Wanted(question, index).text, len(found))
    wanted = Wanted(question, index)
    scores = {id_: wanted.share(index.words_of(id_)) for id_ in found}
    if semantic:
        distances = {id_: each.distance for id_, each in found.items()}
        nearer = stands_out(distances, table.some_distances(vector))
        scores = {id_: max(score, nearer[id_]) for id_, score in scores.items()}
    similarities = {id_: 1.0 - each.distance for id_, each in found.items()}
    ranked = fuse(similarities, words, KEYWORD_SHARE)
    best = sorted((id_ for id_ in ranked if scores[id_] > 0), key=lambda id_: -scores[id_])
    return [RankedEntry(found[id_], round(min(1.0, scores[id_]), 4)) for id_ in best[:limit]]


def _candidates(
    table: VectorTable, vector: list[float], ids: Sequence[str], limit: int, which: RowFilter
) -> dict[str, NearRow]:
    near = {each.id: each for each in table.nearest(vector, limit, which)}
    others = [id_ for id_ in ids if id_ not in near]
    if others:
        near |= {each.id: each for each in table.rows(others, vector)}
    return near
