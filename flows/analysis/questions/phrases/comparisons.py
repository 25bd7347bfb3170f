"""Two sides compared: `happier than`, `have the higher`, `more`, `versus`."""

from __future__ import annotations

from collections.abc import Iterator

from flows.analysis.language.phrasebook import Phrases
from flows.analysis.questions.concepts import form_of
from flows.analysis.questions.parts import (
    ComparativePart,
    GroupingPart,
    NounPart,
    PlacedPart,
    RestPart,
)
from flows.analysis.questions.text import Text
from flows.semantics.query import FieldRef

_MORE: Phrases[bool] = Phrases({
    True: "more|higher|larger|greater|bigger|better|more often|stronger|ahead of",
    False: "less|fewer|lower|smaller|worse|less often|weaker",
})  # fmt: skip

_VERSUS: Phrases[bool] = Phrases({
    True: "versus|vs|vs .|against|compared to|compared with|in comparison to|in comparison with"
    "|relative to|as opposed to|compare",
})  # fmt: skip

_REST: Phrases[bool] = Phrases({
    True: "|".join(
        f"{lead} {what}"
        for lead in ("and", "or", "vs", "versus", "vs .", "against", "than", "compared to",
                     "compared with", "relative to", ", and", ", vs", "as opposed to", ", or")
        for what in ("rest", "others", "other ones", "rest of year", "remaining ones", "not",
                     "other months", "other days", "everyone else", "everybody else", "all others",
                     "without", "those without", "ones without", "all other months", "remainder",
                     "everything else", "all other days", "rest of them", "rest of time", "other")
    ),
})  # fmt: skip
_WITH_AND_WITHOUT: Phrases[bool] = Phrases({
    True: "with and without|with or without|with vs without|with versus without|with / without",
})  # fmt: skip
_LINKS = frozenset(["and", "or", "vs", "versus", "against", "than"])

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


def read_rest(text: Text, at: int) -> Iterator[PlacedPart]:
    """`against the rest`, `and homes without`, `with and without a garage`: the other rows."""
    found = text.phrase(_REST, at)
    if found is not None and text.word(found[1] - 1) in ("without", "not", "other"):
        found = found if _ends(text, found[1]) else None
    if found is not None:
        end = found[1]
        yield PlacedPart(RestPart(), at, end, 0.02)
        for last, _, cost in text.nouns(end):
            yield PlacedPart(RestPart(), at, last, 0.02 + cost)
    if text.word(at) in _LINKS:
        # The rows are called again: `homes with solar and homes without`.
        for end in (at + 2, at + 3):
            again = text.lowers[at + 1 : end - (text.word(end - 1) == "without")]
            if text.word(end - 1) in ("without", "not") and _ends(text, end):
                called = again[-1] if again else ""
                if called and called in text.lowers[:at]:
                    yield PlacedPart(RestPart(), at, end, 0.02)
    both = text.phrase(_WITH_AND_WITHOUT, at)
    for end, named in text.names(both[1]) if both is not None else ():
        if isinstance(named.operand, FieldRef) and named.role == "flag":
            yield PlacedPart(GroupingPart(named.operand), at, end, named.cost)


def _ends(text: Text, at: int) -> bool:
    return at >= len(text) or text.word(at) in (",", ".", "?", ":", ";", "!")
