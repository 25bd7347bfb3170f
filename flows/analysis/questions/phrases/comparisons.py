"""Two sides compared: `happier than`, `have the higher`, `more`, `versus`."""

from __future__ import annotations

from collections.abc import Iterator

from flows.analysis.language.phrasebook import Phrases
from flows.analysis.questions.concepts import form_of
from flows.analysis.questions.parts import ComparativePart, NounPart, PlacedPart
from flows.analysis.questions.text import Text

_MORE: Phrases[bool] = Phrases({
    True: "more|higher|larger|greater|bigger|better|more often|stronger|ahead of",
    False: "less|fewer|lower|smaller|worse|less often|weaker",
})  # fmt: skip

_VERSUS: Phrases[bool] = Phrases({
    True: "versus|vs|vs .|against|compared to|compared with|in comparison to|in comparison with"
    "|relative to|as opposed to|compare",
})  # fmt: skip

_FIGURES = frozenset(["average", "mean", "median", "usual", "half", "twice", "once"])
_LASTING = frozenset(["take", "takes", "took", "last", "lasts", "lasted"])  # `take longer`


def read_comparative(text: Text, at: int) -> Iterator[PlacedPart]:
    """`more`, `happier`, `pays better`, `more profitable`: of one side than of another."""
    word = text.word(at)
    begin = at + (word in _LASTING)
    if form_of(text.word(begin)) == 1:
        for found, _ in text.vocabulary.measured(text.word(begin))[:4]:
            yield PlacedPart(ComparativePart(found.operand), at, begin + 1, found.cost)
    if form_of(word) == 0 and text.word(at + 1) in ("better", "worse", "more", "less"):
        for found, _ in text.vocabulary.measured(word)[:4]:
            yield PlacedPart(ComparativePart(found.operand), at, at + 2, found.cost)
    sized = text.phrase(_MORE, at)
    if sized is not None and text.word(sized[1]) == "than" and text.word(sized[1] + 1) in _FIGURES:
        return  # `more than average`: a condition
    if sized is not None and text.number(sized[1]) is None:
        yield PlacedPart(ComparativePart(), at, sized[1], 0.02)
        for end, dataset, cost in text.nouns(sized[1]):
            yield PlacedPart(ComparativePart(None, NounPart(dataset)), at, end, cost)
        if form_of(text.word(sized[1])) == 0:
            for found, _ in text.vocabulary.measured(text.word(sized[1]))[:4]:
                yield PlacedPart(ComparativePart(found.operand), at, sized[1] + 1, found.cost)
    versus = text.phrase(_VERSUS, at)
    if versus is not None:
        yield PlacedPart(ComparativePart(), at, versus[1], 0.01)
