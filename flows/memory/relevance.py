"""How much of what a query asks for a passage speaks of, as a number from 0 to 1."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from flows.analysis.language.terms import STOP_WORDS, words
from flows.analysis.language.words import near, root
from flows.memory.ranking import KeywordIndex

# What a question says to be one; no document is found by it.
_ASKING = frozenset({
    "according", "describe", "define", "definition", "document", "documents", "explain", "give",
    "know", "mean", "means", "meant", "please", "say", "says", "show", "tell", "want", "whom",
    "whose",
})  # fmt: skip
_SHORTEST_MISSPELT = 5


def terms(text: str) -> list[str]:
    """The telling words of a text in order, each without its endings."""
    return [root(word) for word in words(text) if word not in STOP_WORDS]


class Wanted:
    """The telling words of a query, each with how rare it is in the index.

    A word that no passage holds stands for one that differs by a letter, if there is one, and else
    counts as one that a single passage holds.
    """

    def __init__(self, query: str, index: KeywordIndex) -> None:
        asked = [word for word in words(query) if word not in _ASKING]
        self._weights: dict[str, float] = {}
        for term in terms(" ".join(asked)) or terms(query):
            meant = _meant(term, index)
            self._weights[meant] = min(index.rarity(meant), index.rarity_of(1))

    @property
    def text(self) -> str:
        return " ".join(self._weights)

    def share(self, found: Sequence[str]) -> float:
        """The share of them that is among these terms, rare ones counting more."""
        total = sum(self._weights.values())
        held = sum(weight for term, weight in self._weights.items() if term in found)
        return held / total if total else 0.0


def relevance(asked: Collection[str], text: str, similarity: float) -> float:
    """How much of what is asked a text speaks of, from 0 to 1: the share of the terms `asked` that
    it holds, or twice its cosine similarity, which sees words that are spelt alike but is the less
    the longer a text is. Without terms nothing can be told, and it is 1."""
    if not asked:
        return 1.0
    held = len(frozenset(terms(text)).intersection(asked)) / len(asked)
    return min(1.0, max(held, 2.0 * similarity))


def stands_out(distances: Mapping[str, float], strangers: Sequence[float]) -> dict[str, float]:
    """How much nearer to a query than strangers each passage is, from 0 to 1, by its cosine
    distance; 0 where there are too few strangers to tell."""
    if len(strangers) < 8:
        return dict.fromkeys(distances, 0.0)
    usual = sorted(strangers)[len(strangers) // 4]
    return {
        id_: max(0.0, 1.0 - distance / usual) if usual > 0 else 0.0
        for id_, distance in distances.items()
    }


def _meant(term: str, index: KeywordIndex) -> str:
    known = index.vocabulary()
    if term in known or len(term) < _SHORTEST_MISSPELT or not term.isalpha():
        return term
    alike = [each for each in known if each[:1] == term[:1] and near(each, term)]
    return min(alike, key=lambda each: (index.rarity(each), each), default=term)
