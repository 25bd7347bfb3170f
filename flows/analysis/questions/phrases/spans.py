"""Lengths of time between two times of a row: `time from pickup to delivery`, `days between`."""

from __future__ import annotations

from collections.abc import Iterator

from flows.analysis.language.phrasebook import Phrases
from flows.analysis.questions.parts import NamedPart, PlacedPart
from flows.analysis.questions.text import Text
from flows.semantics.query import Arithmetic, FieldRef

_LENGTHS: Phrases[str] = Phrases({
    "": "time|duration|number of days|number of hours|number of minutes|days|hours|minutes|gap"
    "|interval|lag|time span|how long|time elapsed|time passed|how many days|how many hours"
    "|how many minutes|lead time|delay|turnaround|turnaround time|time it takes|length of time",
})  # fmt: skip
_FROM = frozenset(["from", "between"])
_TO = frozenset(["to", "until", "and", "till", "through"])
_TIMES = ("date", "timestamp")


def read_span(text: Text, at: int) -> Iterator[PlacedPart]:
    """`time from pickup to delivery`, `days between order date and shipping date`."""
    if (length := text.phrase(_LENGTHS, at)) is None or text.word(length[1]) not in _FROM:
        return
    for middle, start, cost in _times(text, length[1] + 1):
        if text.word(middle) not in _TO:
            continue
        for last, end, more in _times(text, middle + 1):
            if end.dataset == start.dataset and end != start:
                made = Arithmetic(operator="-", left=end, right=start)
                yield PlacedPart(NamedPart(made), at, last, cost + more + 0.02)


def _times(text: Text, at: int) -> Iterator[tuple[int, FieldRef, float]]:
    for end, found in text.names(at):
        field = text.vocabulary.field(found.operand)
        if field is not None and field.type in _TIMES and isinstance(found.operand, FieldRef):
            yield end, found.operand, found.cost
