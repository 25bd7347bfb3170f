"""Periods of time in conditions: those that have a name, and those that are counted from today."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Literal, cast, get_args

from flows.analysis.language.phrasebook import (
    BOUNDS,
    GRAINS,
    MONTHS,
    QUARTERS,
    RELATIVE,
    WEEKDAYS,
)
from flows.analysis.parser.cursor import Cursor, ParseError, Words
from flows.semantics.node import Span
from flows.semantics.query import (
    Between,
    Comparison,
    Constant,
    During,
    Expression,
    Operator,
    Period,
    Predicate,
)

Length = Literal["year", "half", "quarter", "month", "week", "day", "fiscal year", "fiscal quarter"]
_DAYS = {-1: "yesterday", 0: "today", 1: "tomorrow"}
# Several of these are counted back from today, which is the last of their days.
_ROLLING = {"day": 1, "week": 7}
_LENGTHS = frozenset(get_args(Length))


def read_period(at: Words, of: Expression) -> Predicate | None:
    """A period in which a time lies: `last month`, `March 2024`, `since Q2 2023`, `between January
    and March 2024`, `weekends`; None where none stands.

    What may stand before it, such as `in`, is not read here.
    """
    start = at.place
    for read in (_read_ends, read_named, read_relative, _read_since, _read_days_of_week):
        found = read(at, of)
        if found is not None:
            return found
        at.place = start
    return None


def find_periods(at: Words, of: Expression) -> Iterator[tuple[int, int, Predicate]]:
    """The periods that a text names, with the places of their first token and behind their last;
    not a year, which may as well be another number."""
    while not at.is_done():
        start = at.place
        found = read_period(at, of)
        if found is None:
            at.place = start + 1
        elif not _is_of_years(found):
            yield start, at.place, found


def _is_of_years(found: Predicate) -> bool:
    of = found.left if isinstance(found, Comparison) else None
    of = found.of if isinstance(found, Between) else of
    return isinstance(of, Period) and of.grain == "year"


def read_named(at: Words, of: Expression, operator: Operator = "=") -> Comparison | None:
    """`2024`, `March 2024` or `Q2 2024` as a condition on a time; None where no such stands."""
    start = at.place
    found = _named(at)
    if found is None:
        at.place = start
        return None
    spans = at.span(start)
    return Comparison(
        left=Period(of=of, grain=found[0], spans=spans), operator=operator,
        right=_first_day(*found, spans), spans=spans,
    )  # fmt: skip


def _first_day(grain: Length, first: date, spans: tuple[Span, ...] = ()) -> Constant:
    return Constant(value=first.year if grain.endswith("year") else first.isoformat(), spans=spans)


def _read_ends(at: Words, of: Expression) -> Between | None:
    """`between January and March 2024`, `from Q3 2022 to Q1 2023`: both ends are inside."""
    start = at.place
    if not at.take_any("between", "from"):
        return None
    low = _named(at, needs_year=False)
    joined = at.take_any("and", "to", "until", "through") or at.take("up", "to")
    high = _named(at) if low and joined else None
    if low is None or high is None or low[0] != high[0]:
        return None
    first = low[1] if low[1].year != date.min.year else low[1].replace(year=high[1].year)
    grain, spans = high[0], at.span(start)
    return Between(
        of=Period(of=of, grain=grain, spans=spans), low=_first_day(grain, first, spans),
        high=_first_day(grain, high[1], spans), spans=spans,
    )  # fmt: skip


def _read_since(at: Words, of: Expression) -> Predicate | None:
    """`since May 2024`, `after last month`, `before Q2 2023`; without a year the last May."""
    start = at.place
    operator = at.phrase(BOUNDS)
    if operator is None:
        return None
    place = at.place
    if operator[0] in (">", ">=") and isinstance(found := read_relative(at, of), During):
        first = found.first + (found.length if operator[0] == ">" else 0)
        if first > 0 or found.to_date:
            return None
        return During(
            of=of, grain=found.grain, first=first, length=1 - first, to_date=True,
            spans=at.span(start),
        )  # fmt: skip
    at.place = place
    found_named = _named(at, needs_year=False)
    if found_named is None:
        return None
    grain, first_day = found_named
    if first_day.year == date.min.year:
        if at.today is None:
            return None
        this = first_day.replace(year=at.today.year)
        first_day = this if this <= at.today else this.replace(year=this.year - 1)
    spans = at.span(start)
    return Comparison(
        left=Period(of=of, grain=grain, spans=spans), operator=operator[0],
        right=_first_day(grain, first_day, spans), spans=spans,
    )  # fmt: skip


def _read_days_of_week(at: Words, of: Expression) -> Comparison | None:
    """`weekends`, `Mondays`."""
    start = at.place
    found = at.phrase(WEEKDAYS)
    if found is None:
        return None
    operator, day = found[0]
    spans = at.span(start)
    return Comparison(
        left=Period(of=of, grain="weekday", spans=spans), operator=operator,
        right=Constant(value=day, spans=spans), spans=spans,
    )  # fmt: skip


def _named(at: Words, *, needs_year: bool = True) -> tuple[Length, date] | None:
    """The grain and the first day of a period; in the first year of all where it says none."""
    if quarter := at.phrase(QUARTERS):
        at.take("of")
        year = _year(at) or (None if needs_year else date.min.year)
        return ("quarter", date(year, 3 * quarter[0] - 2, 1)) if year else None
    if month := at.phrase(MONTHS):
        at.take("of")
        year = _year(at) or (None if needs_year else date.min.year)
        return ("month", date(year, month[0], 1)) if year else None
    if fiscal := _fiscal_year(at):
        return "fiscal year", date(fiscal, 1, 1)
    at.take("year")
    year = _year(at)
    return ("year", date(year, 1, 1)) if year else None


_FISCAL_YEAR = re.compile(r"fy\s?(\d{4})")


def _fiscal_year(at: Words) -> int | None:
    """`fiscal year 2024`, `FY 2024`, `FY2024`."""
    if at.take_any("fy") or at.take("fiscal", "year") or at.take("financial", "year"):
        return _year(at)
    word = at.words[at.place] if at.place < len(at.words) else ""
    found = _FISCAL_YEAR.fullmatch(word)
    at.place += found is not None
    return int(found[1]) if found else None


def _year(at: Words) -> int | None:
    place = at.place
    text = at.number() or ""
    if len(text) == 4 and text.isdecimal() and int(text) >= 1000:
        return int(text)
    at.place = place
    return None


def write_named(node: Predicate) -> str | None:
    """The name of the one period that a condition is for: `March 2024`; None for any other."""
    match node:
        case Comparison(left=Period(grain="year"), operator="=", right=Constant(value=int(year))):
            return str(year) if not isinstance(year, bool) and 1000 <= year <= 9999 else None
        case Comparison(
            left=Period(grain="fiscal year"), operator="=", right=Constant(value=int(year))
        ):
            known = not isinstance(year, bool) and 1000 <= year <= 9999
            return f"fiscal year {year}" if known else None
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


def read_relative(at: Words, of: Expression) -> During | None:
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


def _relative(at: Words) -> tuple[Length, int, int] | None:
    for first, word in _DAYS.items():
        if at.take(word):
            return "day", first, 1
    if (grain := _to_date(at)) is not None:
        return grain, 0, 1
    which = at.phrase(RELATIVE)
    if which is None:
        return _counted(at)
    length = int(number) if (number := at.number() or "1").isdecimal() else 0
    grain = _length(at)
    if grain is None or length < 1 or (which[0] == 0 and length > 1):
        return None
    if length == 1 or which[0] > 0:
        return grain, which[0], length
    if at.take("up", "to", "this", "one"):
        return grain, 1 - length, length
    if grain in _ROLLING:
        days = length * _ROLLING[grain]
        return "day", 1 - days, days
    return grain, -length, length


def _to_date(at: Words) -> Length | None:
    """The period of `year to date`, of which `to date` is left to be read."""
    place = at.place
    grain = _length(at)
    if grain is not None and (at.sees("to", "date") or at.sees("so", "far")):
        return grain
    at.place = place
    return None


def _counted(at: Words) -> tuple[Length, int, int] | None:
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


def _length(at: Words) -> Length | None:
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
    elif length > 1 and first in _plain_firsts(node):
        text = f"the {RELATIVE.write(1 if first == 1 else -1)} {length} {many}"
        text += " up to this one" if first == 1 - length and node.grain != "day" else ""
    else:
        text = f"the {length} {many if length > 1 else one} from {_place(first, one, many)}"
    text = f"in {text}" if text.startswith("the ") else text
    return f"{text} to date" if node.to_date else text


def _plain_firsts(node: During) -> tuple[int, ...]:
    """Where several periods begin that need no other word than `next` or `last`."""
    whole = () if node.grain in _ROLLING else (-node.length,)
    return (1, 1 - node.length, *whole)


def write_period(node: Predicate) -> str | None:
    """A condition on one time as people say it behind a noun: `in March 2024`, `since Q2 2023`, `on
    weekends`; None for any other condition."""
    match node:
        case During():
            text = write_relative(node)
            return f"in {text}" if text[:5] in ("this ", "last ", "next ") else text
        case Comparison(left=Period(grain="weekday"), operator=operator, right=Constant(value=day)):
            said = (operator, day)
            return f"on {WEEKDAYS.write(said)}" if said in WEEKDAYS else None  # type: ignore[operator, arg-type]
        case Comparison(left=Period(grain=grain), operator=operator, right=Constant(value=first)):
            name = _name(grain, str(first))
            name = f"{grain} {first}".removeprefix("year ") if grain.endswith("year") else name
            said_when = "in" if operator == "=" else BOUNDS.write(operator)
            return f"{said_when} {name}" if name and operator != "!=" else None
        case Between(of=Period(grain=grain), low=Constant(value=low), high=Constant(value=high)):
            names = [_name(grain, str(each)) for each in (low, high)]
            return f"between {names[0]} and {names[1]}" if all(names) else None
    return None


def _place(first: int, one: str, many: str) -> str:
    if first == 0:
        return f"this {one}"
    count = abs(first)
    return f"{count} {one if count == 1 else many} {'ago' if first < 0 else 'ahead'}"


def expect_time(at: Cursor) -> str:
    """The field that says when a row of the dataset that is spoken of happened."""
    dataset = at.names.by_name.get(at.scope.dataset or "")
    if dataset is None or not dataset.time:
        raise ParseError("it is not said which time is meant")
    return dataset.time
