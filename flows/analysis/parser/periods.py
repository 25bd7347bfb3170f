"""Periods of time in conditions: those that have a name, and those that are counted from today."""

from __future__ import annotations

from datetime import date
from typing import Literal, cast, get_args

from flows.analysis.language.phrasebook import GRAINS, MONTHS, QUARTERS, RELATIVE
from flows.analysis.parser.cursor import Cursor, Unread
from flows.semantics.query import (
    Comparison,
    Constant,
    During,
    Expression,
    Operator,
    Period,
    Predicate,
)

Length = Literal["year", "half", "quarter", "month", "week", "day"]
_DAYS = {-1: "yesterday", 0: "today", 1: "tomorrow"}
_LENGTHS = frozenset(get_args(Length))


def read_named(at: Cursor, of: Expression, operator: Operator = "=") -> Comparison | None:
    """`2024`, `March 2024` or `Q2 2024` as a condition on a time; None where no such stands."""
    start = at.place
    found = _named(at)
    if found is None:
        at.place = start
        return None
    grain, first = found
    spans = at.span(start)
    return Comparison(
        left=Period(of=of, grain=grain, spans=spans), operator=operator,
        right=Constant(value=first.year if grain == "year" else first.isoformat(), spans=spans),
        spans=spans,
    )  # fmt: skip


def _named(at: Cursor) -> tuple[Length, date] | None:
    if quarter := at.phrase(QUARTERS):
        year = _year(at)
        return ("quarter", date(year, 3 * quarter[0] - 2, 1)) if year else None
    if month := at.phrase(MONTHS):
        year = _year(at)
        return ("month", date(year, month[0], 1)) if year else None
    at.take("year")
    year = _year(at)
    return ("year", date(year, 1, 1)) if year else None


def _year(at: Cursor) -> int | None:
    text = at.number() or ""
    if len(text) == 4 and text.isdecimal() and int(text) >= 1000:
        return int(text)
    return None


def write_named(node: Predicate) -> str | None:
    """The name of the one period that a condition is for: `March 2024`; None for any other."""
    match node:
        case Comparison(left=Period(grain="year"), operator="=", right=Constant(value=int(year))):
            return str(year) if not isinstance(year, bool) and 1000 <= year <= 9999 else None
        case Comparison(
            left=Period(grain="quarter" | "month" as grain),
            operator="=", right=Constant(value=str(text)),
        ):  # fmt: skip
            return _name(grain, text)
    return None


def _name(grain: str, text: str) -> str | None:
    try:
        first = date.fromisoformat(text)
    except ValueError:
        return None
    if first.isoformat() != text or first.year < 1000 or first.day != 1:
        return None
    if grain == "month":
        return f"{MONTHS.write(first.month)} {first.year}"
    if grain == "quarter" and first.month % 3 == 1:
        return f"{QUARTERS.write(first.month // 3 + 1)} {first.year}"
    return None


def read_relative(at: Cursor, of: Expression) -> During | None:
    """`last month`, `next 3 weeks`, `this year to date`; None where no such stands."""
    start = at.place
    found = _relative(at)
    if found is None:
        at.place = start
        return None
    grain, first, length = found
    to_date = at.take("to", "date") or at.take("so", "far")
    return During(
        of=of, grain=grain, first=first, length=length, to_date=to_date, spans=at.span(start)
    )


def _relative(at: Cursor) -> tuple[Length, int, int] | None:
    for first, word in _DAYS.items():
        if at.take(word):
            return "day", first, 1
    which = at.phrase(RELATIVE)
    if which is None:
        return _counted(at)
    length = int(number) if (number := at.number() or "1").isdecimal() else 0
    grain = _length(at)
    if grain is None or length < 1 or (which[0] == 0 and length > 1):
        return None
    first = -length if which[0] < 0 else which[0]
    if length > 1 and first < 0 and at.take("up", "to", "this", "one"):
        first += 1
    return grain, first, length


def _counted(at: Cursor) -> tuple[Length, int, int] | None:
    """`3 months from 5 months ago`, `2 weeks from 1 week ahead`, `2 weeks from this week`."""
    length = int(number) if (number := at.number() or "").isdecimal() else 0
    grain = _length(at)
    if grain is None or length < 1 or not at.take("from"):
        return None
    if at.take("this"):
        return (grain, 0, length) if _length(at) == grain else None
    distance = int(number) if (number := at.number() or "").isdecimal() else 0
    if _length(at) != grain:
        return None
    if at.take("ago"):
        return grain, -distance, length
    return (grain, distance, length) if at.take("ahead") else None


def _length(at: Cursor) -> Length | None:
    found = at.phrase(GRAINS)
    if found is None or found[0] not in _LENGTHS:
        return None
    return cast(Length, found[0])


def write_relative(node: During) -> str:
    """The period of a condition, behind `is`."""
    if node.grain == "day" and node.length == 1 and node.first in _DAYS and not node.to_date:
        return _DAYS[node.first]
    one, many = GRAINS.write(node.grain), GRAINS.write(node.grain) + "s"
    first, length = node.first, node.length
    if length == 1 and first in (-1, 0, 1):
        text = f"{RELATIVE.write(first)} {one}"
    elif length > 1 and first in (1, -length, 1 - length):
        text = f"the {RELATIVE.write(1 if first == 1 else -1)} {length} {many}"
        text += " up to this one" if first == 1 - length else ""
    else:
        text = f"the {length} {many if length > 1 else one} from {_place(first, one, many)}"
    text = f"in {text}" if text.startswith("the ") else text
    return f"{text} to date" if node.to_date else text


def _place(first: int, one: str, many: str) -> str:
    if first == 0:
        return f"this {one}"
    count = abs(first)
    return f"{count} {one if count == 1 else many} {'ago' if first < 0 else 'ahead'}"


def expect_time(at: Cursor) -> str:
    """The field that says when a row of the dataset that is spoken of happened."""
    dataset = at.names.by_name.get(at.scope.dataset or "")
    if dataset is None or not dataset.time:
        raise Unread("it is not said which time is meant")
    return dataset.time
