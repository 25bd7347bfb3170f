"""Periods of the calendar: `which month`, `Q1 and Q2 of 2023`, `first half of 2025`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from flows.analysis.language.phrasebook import MONTHS, QUARTERS, Phrases
from flows.analysis.questions.concepts import form_of
from flows.analysis.questions.parts import (
    TIME,
    FormPart,
    GroupingPart,
    Join,
    LatestPart,
    PeriodsPart,
    PlacedPart,
    WhenPart,
)
from flows.analysis.questions.phrases.grouping import BY_GRAINS
from flows.analysis.questions.text import Text
from flows.core.observation import Cell
from flows.semantics.query import Comparison, Constant, Grain, OneOf, Operator, Period

_HALVES: Phrases[int] = Phrases({
    1: "H1|first half|1st half|first half year", 2: "H2|second half|2nd half|second half year",
})  # fmt: skip
_LONG_QUARTERS: Phrases[int] = Phrases({
    1: "first quarter|1st quarter", 2: "second quarter|2nd quarter", 3: "third quarter|3rd quarter",
    4: "fourth quarter|4th quarter",
})  # fmt: skip
_JOINS: Phrases[Join] = Phrases({
    "list": "and|,|or|, and|and in|, or|as well as",
    "range": "to|until|through|up to|over|towards|till",
    "versus": "vs|with|versus|vs .|than|than in|compared to|compared with|against|relative to"
    "|compared to in|compared with in|as against|than during|versus in|vs in|, compared to"
    "|, compared with|than it was in|than they were in|compare to|and then in|rather than in",
})  # fmt: skip
# The months of the seasons as the weather has them, north of the equator.
_SEASONS: Phrases[tuple[int, ...]] = Phrases({
    (12, 1, 2): "winter|winters|winter months", (3, 4, 5): "spring|springtime|spring months",
    (6, 7, 8): "summer|summers|summer months|summertime", (9, 10, 11): "autumn|autumn months",
})  # fmt: skip
_LEADS = frozenset(["in", "during", "for", "of", "on", "at", "from", "between", "within"])
_GRAIN_LEADS = frozenset(["which", "what", "over", "whichever"])
_LATEST: Phrases[Grain] = Phrases({
    grain: f"last {grain} we have data for|last {grain} in data|latest {grain}|last {grain} of data"
    f"|most recent {grain}|last {grain} with data|last {grain} that we have data for"
    f"|last {grain} on record|last available {grain}|latest available {grain}"
    f"|last {grain} available|last {grain} for which we have data|last {grain} there is data for"
    for grain in ("year", "quarter", "month", "week", "day")
})  # fmt: skip
_SINCE: Phrases[Operator] = Phrases({
    ">=": "since start of|since beginning of|from start of|from beginning of|since"
    "|from beginning of|starting in|from",
    "<": "before start of|before beginning of|before",
    "<=": "until end of|by end of|up to end of|through end of", ">": "since end of|after end of",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Moment:
    """A period with its number, and its year where one is said."""

    grain: Grain
    number: int
    year: int | None
    end: int


def read_grain(text: Text, at: int) -> Iterator[PlacedPart]:
    """A length of time that is asked for: `which month`, `busiest hour of the day`."""
    before = text.word(at - 1)
    if before not in _GRAIN_LEADS and form_of(before) != 2 and before not in ("busiest", "best"):
        return
    if (grain := text.phrase(BY_GRAINS, at)) is not None:
        asked = before in ("which", "what", "whichever")
        yield PlacedPart(GroupingPart(grain[0], asked=asked), at, grain[1], 0.02)


def read_latest(text: Text, at: int) -> Iterator[PlacedPart]:
    """`the last year we have data for`."""
    start = at + (text.word(at) in _LEADS)
    if (found := text.phrase(_LATEST, start)) is not None:
        yield PlacedPart(LatestPart(found[0]), at, found[1])


def read_since(text: Text, at: int) -> Iterator[PlacedPart]:
    """`since the start of 2024`, `until the end of May 2023`."""
    if (found := text.phrase(_SINCE, at)) is None:
        return
    moment = _moment(text, found[1])
    if moment is None or (text.word(at) == "from" and text.word(moment.end) in ("to", "until")):
        return
    made = _periods([moment])
    if made is not None:
        side = Period(of=TIME, grain=made[0])
        test = Comparison(left=side, operator=found[0], right=Constant(value=made[1][0]))
        # Without a year it is one of each year.
        yield PlacedPart(
            WhenPart(test), at, moment.end, 0.1 if made[0].endswith("of year") else 0.02
        )


def read_periods(text: Text, at: int) -> Iterator[PlacedPart]:
    """Periods of one grain: `Q1 and Q2 of 2023`, `from 2022 to 2024`, `first half of 2025`."""
    lead = text.word(at) in _LEADS
    first = _moment(text, at + lead)
    if first is None:
        return
    if first.grain == "half":
        yield from _half(first, at)
    moments, joined = [first], _lead_of(text, at)
    while (join := text.phrase(_JOINS, moments[-1].end)) is not None:
        following = _moment(text, join[1])
        if following is None or following.grain != first.grain:
            break
        moments.append(following)
        joined = join[0] if joined == "list" else joined
        if (made := _periods(moments)) is not None:
            periods = PeriodsPart(*made, joined)
            # A year stands there as any number does.
            bare = 0.05 if first.grain == "year" and not lead else 0.02
            yield PlacedPart(periods, at, following.end, bare)


def read_base(text: Text, at: int) -> Iterator[PlacedPart]:
    """`2022 = 100`: the period from which an index goes."""
    moment = _moment(text, at)
    if moment is None or text.word(moment.end) not in ("=", "is", "at", "to"):
        return
    if text.number(moment.end + 1) != 100 or "index" not in " ".join(text.lowers):
        return
    made = _periods([moment])
    if made is not None:
        side = Period(of=TIME, grain=made[0])
        test = Comparison(left=side, operator=">=", right=Constant(value=made[1][0]))
        yield PlacedPart(WhenPart(test), at, moment.end + 2, 0.05)


def read_season(text: Text, at: int) -> Iterator[PlacedPart]:
    """`in winter`: the months of a season, unless they stand behind it in brackets."""
    begin = at + (text.word(at) in _LEADS)
    if (found := text.phrase(_SEASONS, begin)) is None:
        return
    behind = found[1] + (text.word(found[1]) == "(")
    if _moment(text, behind) is not None and text.number(behind) is None:
        yield PlacedPart(FormPart(), at, found[1], 0.02)
        return
    months = PeriodsPart("month of year", found[0])
    yield PlacedPart(months, at, found[1], 0.1)


def _lead_of(text: Text, at: int) -> Join:
    return "range" if text.word(at) == "between" else "list"


def _half(moment: _Moment, at: int) -> Iterator[PlacedPart]:
    made = _periods([moment])
    if made is not None:
        side = Period(of=TIME, grain=made[0])
        test = Comparison(left=side, operator="=", right=Constant(value=made[1][0]))
        yield PlacedPart(WhenPart(test), at, moment.end, 0.02)
        return
    quarters = (2 * moment.number - 1, 2 * moment.number)
    side = Period(of=TIME, grain="quarter of year")
    yield PlacedPart(WhenPart(OneOf(of=side, values=quarters)), at, moment.end, 0.05)


def _moment(text: Text, at: int) -> _Moment | None:
    """The period that is named at a place."""
    if (year := _year(text, at + text.sees(at, "year"))) is not None:
        return _Moment("year", year, year, at + text.sees(at, "year") + 1)
    tables: tuple[tuple[Phrases[int], Grain], ...] = (
        (MONTHS, "month"), (_HALVES, "half"), (QUARTERS, "quarter"), (_LONG_QUARTERS, "quarter"),
    )  # fmt: skip
    for table, grain in tables:
        found = text.phrase(table, at)
        if found is None or not text.names_month(at):
            continue
        end = found[1]
        behind = end + (text.word(end) in ("of", "in"))
        behind += text.word(behind) == "year" and _year(text, behind + 1) is not None
        if (year := _year(text, behind)) is not None:
            return _Moment(grain, found[0], year, behind + 1)
        if text.sees(end, "of", "year"):
            end += 2
        return _Moment(grain, found[0], None, end)
    return None


def _year(text: Text, at: int) -> int | None:
    number = text.number(at)
    known = isinstance(number, int) and 1700 <= number <= 2200
    return int(number) if known and number is not None else None


_MONTHS_OF = {"month": 1, "quarter": 3, "half": 6}


def _periods(moments: list[_Moment]) -> tuple[Grain, tuple[Cell, ...]] | None:
    """The grain and the values of its periods; a year that one says is that of the others."""
    grain = moments[0].grain
    if grain == "year":
        return grain, tuple(dict.fromkeys(each.number for each in moments))
    years = {each.year for each in moments if each.year is not None}
    if not years:
        of_year: dict[Grain, Grain] = {"month": "month of year", "quarter": "quarter of year"}
        if grain not in of_year:
            return None
        return of_year[grain], tuple(dict.fromkeys(each.number for each in moments))
    if len(years) > 1 and any(each.year is None for each in moments):
        return None
    first = min(years)
    months = _MONTHS_OF[grain]
    days = [
        date(each.year or first, months * (each.number - 1) + 1, 1).isoformat() for each in moments
    ]
    return grain, tuple(dict.fromkeys(days))
