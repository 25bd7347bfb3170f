"""Ranges that are told by those before them: `30 to 60 minutes, longer`, `the first 45 minutes`."""

from __future__ import annotations

from collections.abc import Iterator

from flows.analysis.language.phrasebook import Phrases
from flows.analysis.questions.parts import AmountPart, BoundPart, PlacedPart
from flows.analysis.questions.phrases.units import UNIT_WORDS, unit_at
from flows.analysis.questions.text import Text
from flows.semantics.query import Operator

_BEYOND: Phrases[bool] = Phrases({
    True: "longer|more|above|above that|higher|older|over|over that|bigger|larger|later|after"
    "|after that|afterwards|beyond|beyond that|heavier|rest|more than that|longer than that"
    "|even more|even longer|thereafter|dearer|taller",
})  # fmt: skip
_UNDER: Phrases[bool] = Phrases({
    True: "shorter than|less than|under|below|within|up to|at most|lasting under|no longer than"
    "|no more than",
    False: "longer than|more than|over|above|beyond|at least|lasting over",
})  # fmt: skip
_PARTS = {"half": 0.5, "quarter": 0.25}
_COUNTS: Phrases[bool] = Phrases({
    True: "counts|counts of each|count of each|count each|number of each|how many of each"
    "|how many each|how many in each|numbers of each|how many are in each",
})  # fmt: skip
_NO_MORE = frozenset(["up to", "at most", "no longer than", "no more than"])


def read_beyond(text: Text, at: int) -> Iterator[PlacedPart]:
    """`longer` behind the ranges that a question lists: all that is above the last of them."""
    found = text.phrase(_BEYOND, at)
    begin = at - 1
    while text.word(begin) in ("many", "how", "are", "were", "is", "lasted"):
        begin -= 1
    if found is None or text.word(begin) not in (",", "and", "or", ";", "/"):
        return
    if found[1] < len(text) and text.word(found[1]) not in (",", ".", "?", ";", ":", "please"):
        return
    last = _last_number(text, begin)
    if last is not None:
        yield PlacedPart(BoundPart(">", last[0], None, last[1]), at, found[1], 0.02)


def _last_number(text: Text, at: int) -> tuple[float, str] | None:
    """The last number before a place, with its unit."""
    for place in range(at - 1, -1, -1):
        value = text.number(place)
        if value is not None:
            return abs(value), unit_at(text, place + 1)[1]
        if text.word(place) in _PARTS and text.word(place + 1) in UNIT_WORDS:
            return _PARTS[text.word(place)], text.word(place + 1)
    return None


def read_stretch(text: Text, at: int) -> Iterator[PlacedPart]:
    """`in the first 45 minutes`, `shorter than half an hour`."""
    begin = at + (text.word(at) in ("in", "within", "during"))
    value = text.number(begin + 1)
    if text.word(begin) == "first" and value is not None:
        end, unit = unit_at(text, begin + 2)
        if unit:
            yield PlacedPart(BoundPart("<=", value, None, unit), at, end, 0.02)
    compared = text.phrase(_UNDER, at)
    if compared is None or text.word(compared[1]) not in _PARTS:
        return
    behind = compared[1] + 1 + (text.word(compared[1] + 1) == "of")
    if text.word(behind) in UNIT_WORDS:
        operator: Operator = "<" if compared[0] else ">"
        if text.said(at, compared[1]) in _NO_MORE:
            operator = "<="
        number = _PARTS[text.word(compared[1])]
        part = BoundPart(operator, number, None, text.word(behind))
        yield PlacedPart(part, at, behind + 1)


def read_counts(text: Text, at: int) -> Iterator[PlacedPart]:
    """`counts` behind ranges or values: the rows of each are to be counted."""
    if (found := text.phrase(_COUNTS, at)) is not None:
        yield PlacedPart(AmountPart(True), at, found[1], 0.02)
