"""The plain meaning of cleaning, of periods and of figures, in Python."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from statistics import stdev
from typing import Any

from flows.semantics.model import Calendar, Fold, Number, SemanticField, Time, Unknown

Value = Any


def clean(value: Value, field: SemanticField) -> Value:
    """A value as its field means it."""
    for each in field.cleaning:
        if value is None:
            return None
        match each:
            case Unknown(values=values):
                value = (
                    None if any(value == v and type(value) is type(v) for v in values) else value
                )
            case Fold(names=names):
                value = dict(names).get(value.strip(" "), value.strip(" "))
            case Number():
                value = _money(value, each)
            case Time(format=pattern, others=others):
                read = (_time(value, form, field.type == "date") for form in (pattern, *others))
                value = next((found for found in read if found is not None), None)
    return value


def _money(text: str, how: Number) -> Value:
    for said in how.left_out:
        text = text.replace(said, "")
    for sign in f"€$£¥% \u00a0\u202f{how.thousands}":
        text = text.replace(sign, "")
    if how.decimal == ",":
        text = text.replace(",", ".")
    number = read_number(text.replace("(", "-").replace(")", ""))
    return None if number is None else number * how.scale


def _time(text: str, pattern: str, day: bool) -> Value:
    try:
        read = datetime.strptime(text, pattern)
    except ValueError:
        return None
    return read.date() if day else read


def read_number(text: Value) -> Value:
    if text is None:
        return None
    plain = re.fullmatch(r" *[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)? *", text)
    return float(text) if plain else None


def _first(months: int) -> Callable[[date], date]:
    return lambda day: date(day.year, (day.month - 1) // months * months + 1, 1)


def _day(when: date) -> date:
    return when.date() if isinstance(when, datetime) else when


def _monday(when: date) -> date:
    return _day(when) - timedelta(days=when.weekday())


CALENDAR: dict[str, Callable[[Any], Any]] = {
    "year": lambda when: when.year,
    "half": _first(6),
    "quarter": _first(3),
    "month": _first(1),
    "week": _monday,
    "day": _day,
    "hour": lambda when: datetime(when.year, when.month, when.day, when.hour),
    "quarter of year": lambda when: (when.month + 2) // 3,
    "month of year": lambda when: when.month,
    "day of month": lambda when: when.day,
    "weekday": lambda when: when.isoweekday(),
    "hour of day": lambda when: when.hour,
}


def period_of(when: date, grain: str, calendar: Calendar) -> Any:
    """The period that a time lies in, as requests have it."""
    if grain == "week" and calendar.week_start == "sunday":
        return _day(when) - timedelta(days=when.isoweekday() % 7)
    if not grain.startswith("fiscal"):
        return CALENDAR[grain](when)
    first = fiscal_month(_day(when), 12 if grain == "fiscal year" else 3, calendar.fiscal_start)
    if grain == "fiscal quarter":
        return first
    return move(first, "month", 11).year


def fiscal_month(day: date, months: int, fiscal_start: int) -> date:
    """The first day of the part of a fiscal year that takes so many months."""
    first = day.replace(day=1)
    while (first.month - fiscal_start) % months:
        first = move(first, "month", -1)
    return first


def move(day: date, grain: str, count: int) -> date:
    """The same day of another period, so many periods on; days of a month are the first."""
    if grain in ("day", "week"):
        return day + timedelta(days=count * (7 if grain == "week" else 1))
    for _ in range(
        abs(count) * {"year": 12, "half": 6, "quarter": 3, "month": 1}[grain.split()[-1]]
    ):
        if count > 0:
            day = (day.replace(day=28) + timedelta(days=4)).replace(day=1)
        else:
            day = (day.replace(day=1) - timedelta(days=1)).replace(day=1)
    return day


def aggregate_values(function: str, values: Sequence[Value], at: float | None) -> Value:
    """A figure of values none of which is missing."""
    if function == "count":
        return len(values)
    if function == "count distinct":
        return len(set(values))
    if not values:
        return None
    if function == "sum":
        return sum(values)
    if function == "average":
        return math.fsum(values) / len(values)
    if function in ("minimum", "maximum"):
        return min(values) if function == "minimum" else max(values)
    if function == "deviation":
        return stdev(values) if len(values) > 1 else None
    ordered = sorted(values)
    place = (len(ordered) - 1) * (50 if at is None else at) / 100
    low, high = ordered[math.floor(place)], ordered[math.ceil(place)]
    return low + (high - low) * (place - math.floor(place))
