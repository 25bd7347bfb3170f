"""An index of functions on the disk, searched by words and, with an embedder, by meaning."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Final, ParamSpec, TypeVar

from flows.core.function_description import FunctionDescription
from flows.core.function_store import FunctionClass, FunctionMatch
from flows.core.memory import Embedder
from flows.tools.catalog.database import FunctionDatabase
from flows.tools.catalog.scoring import LexicalScorer
from flows.tools.catalog.table import Change, Filter, FunctionTable, IndexCandidate
from flows.tools.catalog.terms import terms, text_of
from flows.tools.catalog.vectors import FunctionVectors, embedders_of

T = TypeVar("T")
P = ParamSpec("P")

# Of one transaction: what a process that is killed loses, and what others wait for.
_FUNCTIONS_AT_ONCE: Final = 500
_EMBEDDED_AT_ONCE: Final = 64
_CANDIDATES: Final = 100
_MOST_TERMS: Final = 200  # of a question
# The part of a score that meaning has; the rest is that of words. Fitted on one half of the
# tuning queries.
_SIMILARITY_SHARE: Final = 0.4


class FunctionIndex:
    """The functions of a folder. Several processes may read while one writes.

    Functions are kept in small transactions: what a killed process has added stays, and adding the
    same again goes on where it stopped. The search by words finds a function as soon as it is
    added, the search by meaning when `embed` has come to it. Errors: `ToolError`; those of the
    embedder.
    """

    def __init__(self, folder: Path, embedder: Embedder | None = None) -> None:
        self._database = FunctionDatabase(folder.expanduser().absolute())
        self._table = FunctionTable(self._database)
        self._embedder = embedder
        self._vectors: FunctionVectors | None = None
        self._turn = asyncio.Lock()

    async def add(self, functions: Iterable[FunctionDescription]) -> Change:
        """Keep the functions, each in place of the one that had its id, without their vectors."""
        change, left = Change(), iter(functions)
        while batch := list(islice(left, _FUNCTIONS_AT_ONCE)):
            change += await self._work(self._table.put, batch)
        return change

    async def embed(self) -> int:
        """Make the vectors that are missing; returns how many. Without an embedder it does
        nothing."""
        vectors = await self._opened()
        if vectors is None or self._embedder is None:
            return 0
        made, last = 0, 0
        while due := await self._work(vectors.missing, last, _EMBEDDED_AT_ONCE):
            found = await self._embedder.embed([text_of(each) for each in due.values()])
            await self._work(vectors.put, dict(zip(due, found, strict=True)))
            made, last = made + len(due), max(due)
        return made

    async def remove(self, ids: Iterable[str]) -> int:
        """Forget functions by their ids; returns how many there were."""
        return await self._work(self._table.remove, list(ids))

    async def search(
        self,
        question: str,
        limit: int = 10,
        function_class: FunctionClass = "Any",
        namespace: str = "",
    ) -> list[FunctionMatch]:
        """The functions that fit the question, the best first; an empty question finds none.

        `function_class` and `namespace` keep those of that class and namespace alone. Scores are
        between 0 and 1 and compare within one search.
        """
        if not question.strip() or limit < 1:
            return []
        wanted = Filter("" if function_class == "Any" else function_class, namespace)
        most = max(_CANDIDATES, limit)
        scores = await self._work(self._by_words, question, wanted, most)
        vectors = await self._opened()
        if vectors is not None and self._embedder is not None:
            [vector] = await self._embedder.embed([question])
            scores = await self._work(
                self._by_both, question, vector, vectors, scores, wanted, most
            )
        return await self._work(self._matches, scores, limit)

    async def get(self, id_: str) -> FunctionDescription | None:
        return await self._work(self._table.get, id_)

    async def ids(self) -> list[str]:
        return await self._work(self._table.ids)

    async def ids_of(self, source: str) -> list[str]:
        """The ids of the functions that come from a source, as `openapi:petstore.json`."""
        return await self._work(self._table.ids_of, source)

    async def count(self) -> int:
        return await self._work(self._table.count)

    async def embedders(self) -> tuple[str, ...]:
        """The names of the embedders that the index has vectors of."""
        return await self._work(embedders_of, self._database)

    async def descriptions(
        self, function_class: FunctionClass = "Any", namespace: str = ""
    ) -> tuple[FunctionDescription, ...]:
        """All functions, or those of a class and namespace, by their ids."""
        wanted = Filter("" if function_class == "Any" else function_class, namespace)
        return await self._work(self._table.all, wanted)

    async def aclose(self) -> None:
        await self._work(self._database.close)

    def _by_words(self, question: str, wanted: Filter, most: int) -> dict[int, float]:
        """Scores of the functions that share words with the question, by their numbers."""
        scorer, found = self._candidates(question, wanted, most)
        return {each.number: scorer.score(each.terms) for each in found}

    def _candidates(
        self, question: str, wanted: Filter, most: int
    ) -> tuple[LexicalScorer, Sequence[IndexCandidate]]:
        asked = list(dict.fromkeys(terms(question)))[:_MOST_TERMS]
        statistics = self._table.statistics(asked)
        found = self._table.candidates(statistics, wanted, most)
        return LexicalScorer(asked, statistics), found

    def _by_both(
        self,
        question: str,
        vector: list[float],
        vectors: FunctionVectors,
        lexical: dict[int, float],
        wanted: Filter,
        most: int,
    ) -> dict[int, float]:
        """Scores by words and meaning, of the candidates of both."""
        unfiltered = wanted == Filter()
        among = None if unfiltered else self._table.numbers(wanted)
        near = vectors.similarities(vector, most, among)
        near |= vectors.of([each for each in lexical if each not in near], vector)
        asked = list(dict.fromkeys(terms(question)))[:_MOST_TERMS]
        scorer = LexicalScorer(asked, self._table.statistics(asked))
        missing = self._table.terms([each for each in near if each not in lexical])
        words = lexical | {each.number: scorer.score(each.terms) for each in missing}
        return {
            number: (1 - _SIMILARITY_SHARE) * score
            # One without a vector yet is as near by meaning as it is by its words.
            + _SIMILARITY_SHARE * max(0.0, near.get(number, score))
            for number, score in words.items()
        }

    def _matches(self, scores: dict[int, float], limit: int) -> list[FunctionMatch]:
        # Equals are told apart by the order in which they were added.
        best = sorted(scores, key=lambda number: (-scores[number], number))[:limit]
        functions = self._table.numbered(best)
        return [
            FunctionMatch(description=functions[number], score=scores[number])
            for number in best
            if number in functions and scores[number] > 0
        ]

    async def _opened(self) -> FunctionVectors | None:
        """The vectors of the embedder, if there is one."""
        if self._embedder is not None and self._vectors is None:
            [vector] = await self._embedder.embed(["dimension"])
            self._vectors = FunctionVectors(self._database, self._embedder.name, len(vector))
        return self._vectors

    async def _work(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do it in a thread, one after the other: a connection is not safe in several."""
        async with self._turn:
            return await asyncio.to_thread(work, *args, **kwargs)
