"""Periods of the calendar as days, and which day is today."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from flows.data.tables import Table
from flows.semantics.model import Calendar
from flows.semantics.query import (
    Between,
    Comparison,
    Constant,
    During,
    Expression,
    Period,
    Predicate,
)

_MONTHS = {
    "year": 12, "half": 6, "quarter": 3, "month": 1, "fiscal year": 12, "fiscal quarter": 3,
}  # fmt: skip
_DAYS = {"week": 7, "day": 1}
# The first day of a period, and the day after its last; None where it has no such end.
Days = tuple[date | None, date | None]


def today_of(calendar: Calendar, tables: Sequence[Table]) -> date:
    """The day that periods are counted from: by the setting of the calendar the last day in the
    data, that of the clock, or a certain one; of data that say no time that of the clock."""
    named = calendar.today
    if isinstance(named, date):
        return named
    last = last_day(tables) if named == "data" else None
    return last or date.today()


def last_day(tables: Sequence[Table]) -> date | None:
    """The last day in the data that is not in the future; None where nothing says when."""
    days = [
        str(column.maximum)[:10]
        for table in tables
        for column in table.columns
        if column.type in ("date", "timestamp") and column.maximum is not None
    ]
    today = date.today().isoformat()
    last = max((each for each in days if len(each) == len(today) and each <= today), default=None)
    return None if last is None else date.fromisoformat(last)


def days_of(period: Predicate, today: date, calendar: Calendar) -> Days | None:
    """The days of a period that a condition on a time is for; None for any other condition."""
    match period:
        case During():
            return span(period, today, calendar)
        case Comparison(left=Period(grain=grain), operator=operator, right=right):
            if grain not in _MONTHS or operator == "!=":
                return None
            first = _first(right, grain, calendar)
            behind = shift(first, grain, 1)
            low = {"=": first, ">=": first, ">": behind}.get(operator)
            return low, {"=": behind, "<=": behind, "<": first}.get(operator)
        case Between(of=Period(grain=grain), low=low_end, high=high_end) if grain in _MONTHS:
            low, high = (_first(each, grain, calendar) for each in (low_end, high_end))
            return low, shift(high, grain, 1)
    return None


def _first(end: Expression, grain: str, calendar: Calendar) -> date:
    assert isinstance(end, Constant), "a period that is computed has no days"
    if not isinstance(end.value, int):
        return date.fromisoformat(str(end.value))
    begins = calendar.fiscal_start
    last = date(end.value, 12, 31) if grain == "year" else date(end.value, begins, 1)
    return start(last - timedelta(days=begins > 1), grain, calendar)


def span(during: During, today: date, calendar: Calendar) -> tuple[date, date]:
    """The first day of some periods, and the day after the last."""
    low = shift(start(today, during.grain, calendar), during.grain, during.first)
    high = shift(low, during.grain, during.length)
    return low, min(high, today + timedelta(days=1)) if during.to_date else high


def start(day: date, grain: str, calendar: Calendar) -> date:
    """The first day of the period of a day."""
    if grain == "week":
        return day - timedelta(days=(day.weekday() + (calendar.week_start == "sunday")) % 7)
    if grain == "day":
        return day
    later = calendar.fiscal_start - 1 if grain.startswith("fiscal") else 0
    month = day.year * 12 + day.month - 1
    month -= (month - later) % _MONTHS[grain]
    return date(month // 12, month % 12 + 1, 1)


def shift(day: date, grain: str, count: int) -> date:
    """The first day of a period, so many periods on."""
    if grain in _DAYS:
        return day + timedelta(days=count * _DAYS[grain])
    months = day.year * 12 + day.month - 1 + count * _MONTHS[grain]
    return date(months // 12, months % 12 + 1, 1)
