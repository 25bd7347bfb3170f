"""Numbers that something is compared with: `over 80`, `between 2 and 10`, `over budget`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from flows.analysis.language.phrasebook import (
    Phrases,
)
from flows.analysis.questions.parts import (
    AgainstPart,
    BoundPart,
    Operand,
    PlacedPart,
    RangePart,
)
from flows.analysis.questions.phrases.ratios import actual_of
from flows.analysis.questions.phrases.units import UNIT_WORDS, unit_at
from flows.analysis.questions.text import Text
from flows.analysis.questions.units import factor_between, unit_of
from flows.semantics.query import (
    Operator,
)

_NUMBER_COMPARISONS: Phrases[Operator] = Phrases({
    ">": "over|above|more than|greater than|higher than|exceeding|larger than|longer than|beyond"
    "|bigger than|older than|later than|exceeds|in excess of|better than|>|taller than|heavier than"
    "|upwards of|costlier than|slower than|faster than|go over|went over|exceed|exceeded",
    "<": "under|below|less than|fewer than|smaller than|lower than|shorter than|younger than"
    "|cheaper than|earlier than|within less than|<|worse than|lighter than",
    ">=": "at least|no less than|not less than|minimum of|from|>=|no fewer than|not below",
    "<=": "at most|up to|no more than|not more than|maximum of|<=|within|not over|not above",
    "=": "exactly|equal to|of exactly|=",
})  # fmt: skip

_TIME_COMPARISONS: Phrases[Operator] = Phrases({
    ">": "after|later than|past", "<": "before|earlier than|ahead of", "<=": "by|no later than",
})  # fmt: skip

_OF_TIMES = frozenset(["date", "time", "day", "moment"])
_BEHIND_NUMBER: Phrases[Operator] = Phrases({
    ">=": "or more|or above|or over|or higher|or longer|or older|and more|and above|+|and up",
    "<=": "or less|or fewer|or below|or under|or lower|or younger|or shorter",
})  # fmt: skip

_BY_ONE = re.compile(r"\b(?:an?|one)\s+$", re.IGNORECASE)
_DIGITS = re.compile(r"[0-9][0-9,]*(?:\.[0-9]+)?")


def read_bound(text: Text, at: int) -> Iterator[PlacedPart]:
    """`over 80`, `longer than ten minutes`, `price above 100`, `10 or more`."""
    for name_end, operand, cost in _named_before(text, at):
        compared = text.phrase(_NUMBER_COMPARISONS, name_end)
        if compared is None:
            if operand is not None and (value := text.number(name_end)) is not None and cost < 0.3:
                yield PlacedPart(BoundPart("=", value, operand), at, name_end + 1, cost + 0.05)
            continue
        value = text.number(compared[1])
        if value is None and text.word(compared[1]) in UNIT_WORDS:
            one = BoundPart(compared[0], 1, operand, text.word(compared[1]))  # `up to an hour`
            if _BY_ONE.search(text.question[: text.tokens[compared[1]].start]):
                yield PlacedPart(one, at, compared[1] + 1, cost)
        if value is None and (before := _number_before(text, compared[1])) is not None:
            part = BoundPart(compared[0], before[0], operand, before[1])
            yield PlacedPart(part, at, compared[1] + 1, cost)
        if value is None:
            continue
        end, unit = unit_at(text, compared[1] + 1)
        yield PlacedPart(BoundPart(compared[0], value, operand, unit), at, end, cost)
        if operand is None and unit and text.word(end) in ("of", "from", "to"):
            for last, found in text.names(end + 1):  # `within 2 km of the station`
                if factor_between(unit, unit_of(found.operand, text.vocabulary)) is not None:
                    part = BoundPart(compared[0], value, found.operand, unit)
                    yield PlacedPart(part, at, last, found.cost / 2)
        if operand is None:
            for last, found in text.names(compared[1] + 1):
                if found.role in ("measure", "time"):
                    yield PlacedPart(
                        BoundPart(compared[0], value, found.operand), at, last, found.cost + 0.02
                    )
    if (value := text.number(at)) is not None:
        behind = text.phrase(_BEHIND_NUMBER, at + 1)
        if behind is not None:
            end, unit = unit_at(text, behind[1])
            yield PlacedPart(BoundPart(behind[0], value, None, unit), at, end)
        end, unit = unit_at(text, at + 1)
        if unit and (behind := text.phrase(_BEHIND_NUMBER, end)) is not None:
            yield PlacedPart(BoundPart(behind[0], value, None, unit), at, behind[1])


def _number_before(text: Text, at: int) -> tuple[float, str] | None:
    """The number with its unit that `that` speaks of: `up to 30 minutes, and more than that`."""
    if text.word(at) not in ("that", "this", "it"):
        return None
    for place in range(at - 1, -1, -1):
        if text.word(place) in UNIT_WORDS and text.number(place - 1) is None:
            return 1, text.word(place)  # `an hour`
        if (value := text.number(place)) is not None:
            return value, unit_at(text, place + 1)[1]
    return None


def read_free(text: Text, at: int) -> Iterator[PlacedPart]:
    """`commission-free`, `free of charge`, `zero stock`: a measure that is zero."""
    if text.sees(at, "free", "of") or text.word(at) == "zero":
        for end, found in text.names(at + 1 + (text.word(at) == "free")):
            if found.role == "measure":
                yield PlacedPart(BoundPart("=", 0, found.operand), at, end, found.cost)
    for end, found in text.names(at):
        behind = end + (text.word(end) == "-")
        if found.role == "measure" and text.word(behind) == "free":
            yield PlacedPart(BoundPart("=", 0, found.operand), at, behind + 1, found.cost)


_YEARS: Phrases[Operator] = Phrases({
    "<": "before|prior to|earlier than", ">": "after|later than", ">=": "since|from|from on",
    "=": "in", "<=": "until|up to|by",
})  # fmt: skip


def read_year(text: Text, at: int) -> Iterator[PlacedPart]:
    """`built before 1950`, where the rows hold the year as a number."""
    for end, found in text.names(at):
        field = text.vocabulary.field(found.operand)
        if found.role != "time" or field is None or field.type != "integer" or found.cost > 0.4:
            continue
        compared = text.phrase(_YEARS, end)
        value = text.number(compared[1]) if compared is not None else None
        if compared is not None and value is not None and 1000 <= value < 3000:
            part = BoundPart(compared[0], value, found.operand)
            yield PlacedPart(part, at, compared[1] + 1, found.cost)


def _named_before(text: Text, at: int) -> Iterator[tuple[int, Operand | None, float]]:
    yield at, None, 0.0
    for end, found in text.names(at):
        if found.role in ("measure", "time"):
            yield (
                end + (text.word(end) in ("is", "are", "was", "were", "of")),
                found.operand,
                found.cost,
            )


def comparison_at(text: Text, at: int) -> tuple[tuple[Operator, float], int] | None:
    """What a number is compared with at a place, `more than 30`, and the place behind it; a number
    alone is the least."""
    compared = text.phrase(_NUMBER_COMPARISONS, at)
    operator, begin = compared if compared is not None else (">=", at)
    number = text.number(begin)
    if number is None and compared is not None and text.word(begin) in UNIT_WORDS:
        return (operator, 1), begin  # `more than an hour`
    return None if number is None else ((operator, number), begin + 1)


def read_range(text: Text, at: int) -> Iterator[PlacedPart]:
    """`between 2 and 10`, `price from 5 to 10`."""
    for begin, operand, cost in _named_before(text, at):
        if (dashed := _dashed(text, begin)) is not None:
            end, unit = unit_at(text, begin + 2)
            yield PlacedPart(RangePart(*dashed, operand, unit), at, end, cost + 0.02)
            for last, found in text.names(begin + 2) if operand is None else ():
                if found.role == "measure":  # `1-2 pieces`
                    part = RangePart(*dashed, found.operand)
                    yield PlacedPart(part, at, last, found.cost + 0.02)
            continue
        if text.word(begin) not in ("between", "from"):
            if text.number(begin) is None or text.word(begin + 1) not in ("to", "-", "through"):
                continue
            begin -= 1  # `500 to 1000`
            cost += 0.02
        low, high = text.number(begin + 1), text.number(begin + 3)
        low = _scaled(low, high, text.tokens[begin + 3].text if high is not None else "")
        joined = text.word(begin + 2) in ("and", "to", "-", "through")
        if low is None or high is None or not joined or low > high:
            continue
        end, unit = unit_at(text, begin + 4)
        yield PlacedPart(RangePart(low, high, operand, unit), at, end, cost)


def _dashed(text: Text, at: int) -> tuple[float, float] | None:
    """The ends of `3-5`, whose dash looks like the sign of the second."""
    low, high = text.number(at), text.number(at + 1)
    if low is None or high is None or text.word(at + 1)[:1] not in "-\u2013":
        return None
    one, two = text.tokens[at : at + 2]
    return (low, -high) if one.end == two.start and low <= -high else None


def _scaled(low: float | None, high: float | None, written: str) -> float | None:
    """The lower end of a range in the millions of the upper one: `10 to 50 million`."""
    digits = _DIGITS.match(written)
    if low is None or high is None or digits is None or digits.end() == len(written):
        return low
    times = high / float(digits[0].replace(",", "")) if high else 1.0
    return low * times if low * times <= high else low


def read_against(text: Text, at: int) -> Iterator[PlacedPart]:
    """`cost above revenue`, `over budget`: two fields of one row compared."""
    for begin, left, cost in _named_before(text, at):
        compared = text.phrase(_TIME_COMPARISONS, begin)
        if compared is not None and left is not None:
            yield from _after(text, at, left, compared, cost)
        compared = text.phrase(_NUMBER_COMPARISONS, begin)
        if compared is None or compared[0] == "=":
            continue
        behind = compared[1] + (text.word(compared[1]) in ("its", "their", "his", "her"))
        for end, right in text.names(behind):
            if right.role == "measure" and right.operand != left and right.cost < 0.4:
                cost += right.cost
                yield PlacedPart(AgainstPart(compared[0], right.operand, left), at, end, cost)
                for found in actual_of(text, right) if left is None else ():
                    made = AgainstPart(compared[0], right.operand, found.operand)
                    yield PlacedPart(made, at, end, cost + 0.05)


def _after(
    text: Text, at: int, left: Operand, compared: tuple[Operator, int], cost: float
) -> Iterator[PlacedPart]:
    """One time of a row later or earlier than another: `delivered after the due date`."""
    for end, right in text.names(compared[1]):
        if right.role == "time" and right.operand != left and right.cost < 0.4:
            last = end + (text.word(end) in _OF_TIMES)
            yield PlacedPart(
                AgainstPart(compared[0], right.operand, left), at, last, cost + right.cost
            )
