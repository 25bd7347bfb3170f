"""Periods counted from today, as days."""

from __future__ import annotations

from datetime import date, timedelta

from flows.semantics.query import During

_MONTHS = {"year": 12, "half": 6, "quarter": 3, "month": 1}
_DAYS = {"week": 7, "day": 1}


def span(during: During, today: date) -> tuple[date, date]:
    """The first day of some periods, and the day after the last."""
    low = shift(start(today, during.grain), during.grain, during.first)
    high = shift(low, during.grain, during.length)
    return low, min(high, today + timedelta(days=1)) if during.to_date else high


def start(day: date, grain: str) -> date:
    """The first day of the period of a day."""
    if grain in _DAYS:
        return day - timedelta(days=day.weekday()) if grain == "week" else day
    months = _MONTHS[grain]
    return date(day.year, (day.month - 1) // months * months + 1, 1)


def shift(day: date, grain: str, count: int) -> date:
    """The first day of a period, so many periods on."""
    if grain in _DAYS:
        return day + timedelta(days=count * _DAYS[grain])
    months = day.year * 12 + day.month - 1 + count * _MONTHS[grain]
    return date(months // 12, months % 12 + 1, 1)
