"""How well functions fit a question by their words: BM25 over weighted fields."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from flows.core.function_description import FunctionDescription
from flows.core.function_store import FunctionMatch
from flows.tools.catalog.terms import FunctionTerms, terms, terms_of

# The usual parameters of BM25.
_SATURATION: Final = 1.5
_LENGTH_SHARE: Final = 0.75
MOST: Final = _SATURATION + 1  # that a word adds, times its rarity


@dataclass(frozen=True, slots=True)
class TermStatistics:
    """What an index knows of its words: how many functions it has, the mean weighted length of
    their words, and by each word the functions that hold it."""

    functions: int
    mean_length: float
    holding: Mapping[str, int]

    def rarity(self, term: str) -> float:
        """How telling a word is: the fewer functions hold it, the more."""
        held = self.holding.get(term, 0)
        return math.log(1 + (self.functions - held + 0.5) / (held + 0.5))

    def weight(self, term: str, count: float, length: float) -> float:
        """What a word adds to the score of a function that holds it `count` times among words of
        that `length`; less than `MOST` times its rarity."""
        share = 1 - _LENGTH_SHARE + _LENGTH_SHARE * length / (self.mean_length or 1.0)
        return self.rarity(term) * MOST * count / (count + _SATURATION * share)


class LexicalScorer:
    """Scores functions for one question, from 0 to 1: the share of the greatest possible score
    of the question's words that some function holds."""

    def __init__(self, wanted: Sequence[str], statistics: TermStatistics) -> None:
        self._statistics = statistics
        self._wanted = [each for each in sorted(set(wanted)) if statistics.holding.get(each)]
        self._greatest = MOST * sum(statistics.rarity(each) for each in self._wanted)

    def score(self, function: FunctionTerms) -> float:
        counts = function.counts()
        length = counts.total()
        found = sum(
            self._statistics.weight(term, counts[term], length)
            for term in self._wanted
            if term in counts
        )
        return found / self._greatest if self._greatest else 0.0


def rank_functions(
    question: str, functions: Sequence[FunctionDescription], limit: int = 10
) -> list[FunctionMatch]:
    """The functions that share words with the question, the best first, without an index: for
    the few that a run has at hand."""
    known = [terms_of(each) for each in functions]
    counts = [each.counts() for each in known]
    holding = Counter(term for each in counts for term in each)
    length = sum(each.total() for each in counts)
    statistics = TermStatistics(len(known), length / max(len(known), 1), holding)
    scorer = LexicalScorer(terms(question), statistics)
    found = [
        FunctionMatch(description=function, score=score)
        for function, each in zip(functions, known, strict=True)
        if (score := scorer.score(each)) > 0
    ]
    return sorted(found, key=lambda each: (-each.score, each.description.id))[:limit]
