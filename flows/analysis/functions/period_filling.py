"""Arguments that the periods of a question fill: both ends, a day, a month, a quarter, a year."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final

from flows.analysis.functions.fit import DATES, ENDS, STARTS
from flows.analysis.functions.periods import TimePeriod, periods_of
from flows.analysis.functions.schema import FunctionArgument

_UNITS: Final = ("year", "quarter", "month", "week")
_SEVERAL: Final = 2
_MONTHLY: Final = re.compile(r"YYYY-MM(?!-)|\d{4}-\d{2}(?!-|\d)")
_DAILY: Final = re.compile(r"YYYY-MM-DD|\d{4}-\d{2}-\d{2}|ISO", re.IGNORECASE)


def period_values(
    arguments: Sequence[FunctionArgument], text: str, today: str = ""
) -> tuple[Mapping[str, object], TimePeriod | None]:
    """The values of the arguments that one period of a text fills, and the period."""
    periods = periods_of(text, today)
    days = len({each.first for each in periods if each.first == each.last})
    for period in periods:
        for found in (_ends(arguments, period, today), _units(arguments, period)):
            # Of several days none is both the first and the last.
            if found and (days < _SEVERAL or len(found) < _SEVERAL or period.first != period.last):
                return found, period
    return {}, None


def _ends(
    arguments: Sequence[FunctionArgument], period: TimePeriod, today: str
) -> dict[str, object]:
    """The first and the last day, for a pair of arguments or for the one side that there is."""
    dated = [each for each in arguments if _is_day(each)]
    starts = [each for each in dated if side_of(each) == "start"]
    ends = [each for each in dated if side_of(each) == "end"]
    found: dict[str, object] = {}
    if starts and period.first is not None:
        found[starts[0].name] = period.first.isoformat()
    if ends and period.last is not None:
        found[ends[0].name] = period.last.isoformat()
    elif found and ends and ends[0].required and today:
        found[ends[0].name] = today
    if found and any(each.required and each.name not in found for each in (*starts, *ends)):
        return {}
    if found and (len(found) == 2 or None in (period.first, period.last)):
        return found
    single = [each for each in dated if side_of(each) == ""]
    if single and period.first is not None and period.first == period.last:
        return {single[0].name: period.first.isoformat()}
    return {}


def side_of(argument: FunctionArgument) -> str:
    """Whether an argument is the start or the end of something; "" where it is neither."""
    words = frozenset(argument.terms)
    start, end = bool(words & STARTS), bool(words & ENDS)
    if start == end:
        said = argument.description.casefold()
        start = re.match(r"(?:the )?(?:first|start|earliest|beginning)\b", said) is not None
        end = re.match(r"(?:the )?(?:last|end|latest|final)\b", said) is not None
    return "start" if start and not end else "end" if end and not start else ""


def _is_day(argument: FunctionArgument) -> bool:
    if argument.value_type != "string" or argument.options or _MONTHLY.search(argument.description):
        return False
    dated = bool(frozenset(argument.terms) & DATES) or argument.format in ("date", "date-time")
    return dated or _DAILY.search(argument.description) is not None


def _units(arguments: Sequence[FunctionArgument], period: TimePeriod) -> dict[str, object]:
    """The year, quarter, month or week, each for an argument of that name."""
    first = period.first
    if first is None or period.grain not in _UNITS:
        return {}
    units = {unit: each for each in arguments for unit in _UNITS if unit in _unit_terms(each)}
    own = units.get(period.grain)
    if own is None:
        return {}
    found = {own.name: _unit_value(own, period.grain, first)}
    for unit in ("year",):
        other = units.get(unit)
        if other is not None and other is not own:
            found[other.name] = _unit_value(other, unit, first)
    return {} if any(value is None for value in found.values()) else found


def _unit_terms(argument: FunctionArgument) -> frozenset[str]:
    parts = argument.name.casefold().replace("-", "_").split("_")
    plural = any(each.removesuffix("s") in _UNITS and each.endswith("s") for each in parts)
    return frozenset() if plural else frozenset(parts)


def _unit_value(argument: FunctionArgument, unit: str, first: date) -> object:
    """A unit of the calendar as the argument takes it; None where it cannot be told."""
    quarter, week = (first.month + 2) // 3, first.isocalendar()
    numbers = {"year": first.year, "quarter": quarter, "month": first.month, "week": week.week}
    texts = {
        "year": (f"{first.year}",),
        "quarter": (f"{first.year}-Q{quarter}", f"Q{quarter}", f"{quarter}"),
        "month": (f"{first:%Y-%m}", f"{first:%B}", f"{first:%b}", f"{first.month:02}"),
        "week": (f"{week.year}-W{week.week:02}", f"{week.week}"),
    }[unit]
    if argument.options:
        given = {str(each).casefold(): each for each in argument.options}
        return next((given[each.casefold()] for each in texts if each.casefold() in given), None)
    if argument.value_type in ("integer", "number", "float"):
        return numbers[unit]
    if _DAILY.search(argument.description):
        return first.isoformat()
    if unit == "quarter" and not re.search(r"YYYY|\d{4}", argument.description):
        return texts[1]
    return texts[0]
