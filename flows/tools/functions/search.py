"""Finding tools by words of their documents (BM25): what is in a name counts most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from flows.analysis.prediction.phases import TITLES
from flows.core.function_tool import FunctionTool
from flows.semantics.inference.words import words_of
from flows.tools.catalog.scoring import TermStatistics
from flows.tools.functions.synonyms import concepts

_ENDINGS: Final = (
    "ations", "ation", "ating", "ated", "ates", "ate", "ions", "ion", "ings", "ing", "ies", "ied",
    "ers", "er", "ed", "es", "s", "y", "e",
)  # fmt: skip
_SYNONYM: Final = 0.6  # of the weight of the word itself
_SHORTEST: Final = 3  # letters of a stem
_SAYS_LITTLE: Final = frozenset({
    "a", "all", "an", "and", "are", "as", "at", "be", "by", "do", "does", "each", "for", "from",
    "have", "how", "i", "in", "is", "it", "its", "of", "on", "or", "so", "than", "that", "the",
    "their", "them", "this", "to", "use", "was", "we", "what", "when", "where", "which", "with",
    "you",
})  # fmt: skip


@dataclass(frozen=True)
class ToolMatch:
    """A tool that was found, and how well it fits: 0 is not at all."""

    tool: FunctionTool
    score: float


class ToolIndex:
    """Tools by the words of their documents. The same tools and words always find the same."""

    def __init__(self, tools: Sequence[FunctionTool]) -> None:
        self.tools = tuple(sorted(tools, key=lambda each: each.name))
        self._counts = [_counts(each) for each in self.tools]
        self._lengths = [_length(each) for each in self._counts]
        mean = sum(self._lengths) / len(self._lengths) if self._lengths else 1
        holding = Counter(word for each in self._counts for word in each)
        self._statistics = TermStatistics(len(self.tools), mean, holding)

    def search(self, words: str, phase: str = "", limit: int = 5) -> tuple[ToolMatch, ...]:
        """The tools that share words with these, the best first; with a `phase`, of those that it
        may use. Of equals the one comes first that has worked more often."""
        wanted = sorted(set(_stems(words)))
        found = [
            ToolMatch(tool, score)
            for number, tool in enumerate(self.tools)
            if not phase or phase in tool.phases
            if (score := self._score(number, wanted)) > 0
        ]
        found.sort(key=lambda each: (-each.score, -each.tool.successes, each.tool.name))
        return tuple(found[:limit])

    def _score(self, number: int, wanted: Sequence[str]) -> float:
        counts, length = self._counts[number], self._lengths[number]

        def fits(word: str) -> float:
            if word not in counts:
                return 0.0
            return self._statistics.weight(word, counts[word], length)

        def fits_best(word: str) -> float:
            """By the word itself, or by all that mean the same, which say less."""
            others = (_SYNONYM * fits(each) for each in _CONCEPTS.get(word, ()))
            return max(fits(word), *others, 0.0)

        return sum(fits_best(word) for word in wanted)


def _counts(tool: FunctionTool) -> Counter[str]:
    counts: Counter[str] = Counter()
    parts = [
        (4, tool.name),
        (2, tool.purpose),
        (1, f"{tool.description} {tool.returns} {tool.errors}"),
        *((1, f"{each.name} {each.description}") for each in tool.parameters),
        *((1, f"{each} {title}") for each, title in TITLES.items() if each in tool.phases),
    ]
    for weight, text in parts:
        for stem in _stems(text):
            for each in (stem, *_CONCEPTS.get(stem, ())):
                counts[each] += weight
    return counts


def _length(counts: Counter[str]) -> int:
    """The words of a document, without the concepts that they stand for."""
    return sum(count for word, count in counts.items() if not word.startswith("="))


def _stems(text: str) -> Iterator[str]:
    for word in words_of(text.replace("_", " ")):
        if word not in _SAYS_LITTLE:
            yield _stem(word)


def _stem(word: str) -> str:
    """The word without the ending that most of its forms differ in: encode, encoder, encoding."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            stem = word.removesuffix(ending)
            return word if ending == "s" and stem.endswith("s") else stem
    return word


_CONCEPTS: Final = concepts(_stem)
