"""The two periods that a question for a change compares."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final

from flows.analysis.methods.change.period import CalendarPeriod, Grain, find_periods, period_of
from flows.data.tables import Column

_OPEN: Final = re.compile(r"\b(?:since|(?:beginning|starting) (?:in|with)|as of)\b", re.IGNORECASE)


def periods_of(
    text: str, time: Column, *, of_sum: bool
) -> tuple[CalendarPeriod, CalendarPeriod] | None:
    """The two periods that a text compares: both named, one and that before it, all since one and
    what was before; else the last whole one of the data and that before it."""
    ends = _ends(time)
    if ends is None:
        return None
    first, last = ends
    named = sorted({_dated(each, first, last) for each in find_periods(text)} - {""})
    found = sorted((period_of(each) for each in named), key=lambda each: each.start)
    if len(found) > 1:
        one, other = found[0], found[-1]
        return (one, other) if one.grain == other.grain and one.end <= other.start else None
    if found and _OPEN.search(text):
        start = found[0].start
        if not first < start <= last:
            return None
        after = CalendarPeriod(start, "day", last)
        begin = start - (after.end - after.start) if of_sum else first
        return CalendarPeriod(max(begin, first), "day", start - timedelta(days=1)), after
    if found:
        before = found[0].moved(-1)
        return (before, found[0]) if before.end > first else None
    return _latest(first, last, whole_years=time.type == "integer")


def _latest(
    first: date, last: date, *, whole_years: bool
) -> tuple[CalendarPeriod, CalendarPeriod] | None:
    """The last period that the data hold all of, beside the one before it."""
    grains: tuple[Grain, ...] = ("year",) if whole_years else ("year", "quarter", "month")
    for grain in grains:
        month = {"year": 1, "quarter": 3 * ((last.month - 1) // 3) + 1, "month": last.month}[grain]
        after = CalendarPeriod(date(last.year, month, 1), grain)
        if (after.end - last).days > 1 + (after.end - after.start).days // 20:
            after = after.moved(-1)
        before = after.moved(-1)
        slack = timedelta(days=(before.end - before.start).days // 20)
        if first <= before.start + slack:
            return before, after
    return None


def _ends(time: Column) -> tuple[date, date] | None:
    """The first and the last day of a column of times."""
    ends = []
    for value, day in ((time.minimum, "01-01"), (time.maximum, "12-31")):
        text = str(value)[:10]
        written = f"{text}-{day}" if re.fullmatch(r"[12]\d{3}", text) else text
        try:
            ends.append(date.fromisoformat(written))
        except ValueError:
            return None
    return ends[0], ends[1]


def _dated(written: str, first: date, last: date) -> str:
    """A period with its year: without one the last year of the data that has it."""
    if not written.startswith("-"):
        return written
    for year in range(last.year, first.year - 1, -1):
        made = period_of(f"{year}{written}")
        if made.start <= last and made.end > first:
            return str(made)
    return ""
