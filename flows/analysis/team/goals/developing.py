"""The tasks of a question about time: how something developed, what comes next."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from flows.analysis.plan import AnyOf
from flows.analysis.team.goals.aims import (
    SHOWN_GROUPS,
    main_group,
    usual,
    whose,
)
from flows.analysis.team.goals.kinds import AHEAD
from flows.analysis.team.goals.scope import Scope, field_of, is_period
from flows.analysis.team.goals.steps import PLOT, PYTHON, SQL, Steps
from flows.analysis.team.queries.origin import from_words
from flows.analysis.team.queries.planned import result_of
from flows.analysis.team.queries.wording import condition_words, named, quoted
from flows.data.tables import Column

_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")


def plan_trend(steps: Steps, scope: Scope, text: str, ahead: str = "") -> bool:
    """A column over time: its growth, its picture; what comes next when that is asked."""
    time = scope.time
    numbers = scope.numbers or scope.measures[:1] * (len(scope.measures) == 1)
    if time is None or not numbers:
        return False
    group = next(iter(scope.groups), None)
    names = [time.name, *(each.name for each in numbers[:3]), *([group.name] if group else [])]
    wanted = [*names, *map(field_of, scope.entities)]
    narrow = scope.wide.narrowed([*wanted, *map(field_of, scope.period)])
    steps.extract(narrow, condition_words(scope.period), wanted)
    first = numbers[0]
    where = condition_words(scope.entities)
    total = _total(first, scope, text)
    by = f" for each {quoted(group.name)}" if group and group.distinct <= SHOWN_GROUPS else ""
    if by:
        steps.add(PYTHON, f"Calculate the growth of {quoted(first.name)}{by} over time{where}.")
    yearly = _by_year(steps, scope, first, total)
    for each in numbers[yearly:3]:
        plan_change(steps, scope, each, scope.entities, total)
    steps.add(PLOT, *time_series([each.name for each in numbers[:3]], scope.entities, time),
              *time_series([first.name], scope.entities, time))  # fmt: skip
    if ahead:
        steps.add(PYTHON, f"Forecast {total}{quoted(first.name)} for {ahead}{where}.")
    _told(steps, first, scope, ahead)
    return True


def plan_change(
    steps: Steps, scope: Scope, target: Column, entities: Sequence[AnyOf], total: str = ""
) -> bool:
    """How a column has changed in time; a month that is a text is a group of its rows."""
    name, where = quoted(target.name), condition_words(entities)
    if scope.time is not None and is_period(scope.time):
        names = [target.name, scope.time.name, *map(field_of, [*entities, *scope.period])]
        origin = from_words(scope.wide.narrowed(names))
        rows = condition_words([*entities, *scope.period])
        how = total.removeprefix("the ") or "average "
        by = quoted(scope.time.name)
        return steps.over(None, SQL, f"Calculate the {how}{name} for each {by}{origin}{rows}.")
    return steps.add(
        PYTHON,
        f"Calculate the growth of {total}{name} over time{where}.",
        f"Calculate the linear trend of {total}{name} over time{where}.",
    )


def _by_year(steps: Steps, scope: Scope, target: Column, total: str) -> bool:
    """How a column changed from year to year, where a table has the days of several."""
    time = scope.time
    if time is None or time.type not in ("date", "timestamp"):
        return False
    if str(time.minimum)[:4] == str(time.maximum)[:4] or time.distinct <= SHOWN_GROUPS:
        return False
    names = [target.name, time.name, *map(field_of, scope.filters)]
    origin, where = from_words(scope.wide.narrowed(names)), condition_words(scope.filters)
    how = total.removeprefix("the ") or "average "
    task = f"Calculate the {how}{quoted(target.name)} for each year{origin}{where}."
    made = result_of(task, steps.tables) if steps.over(None, SQL, task) else None
    if made is None:
        return False
    value = quoted(made.columns[-1].name)
    return steps.over(made, PYTHON, f"Calculate the growth of {value} over time.")


def time_series(names: Sequence[str], entities: Sequence[AnyOf], time: Column) -> tuple[str, ...]:
    """Descriptions of a chart of columns over time, of the rows of the entities."""
    where = condition_words(entities)
    what = named(names)
    return (
        f"Generate a time series plot for {what} by {quoted(time.name)}{where} to visualize the "
        "performance over time.",
        f"Draw a line chart of {what} by {quoted(time.name)}{where}.",
        f"Draw a line chart of the average {what} over {quoted(time.name)}{where}.",
    )


def _told(steps: Steps, first: Column, scope: Scope, ahead: str) -> None:
    name, whom = quoted(first.name), whose(scope.entities)
    if ahead:
        steps.insights(
            f"Based on the forecast generate insights about what {name}{whom} may be in {ahead}, "
            "and how sure that is."
        )
    steps.insights(
        f"Based on the growth generate insights about how {name}{whom} developed over time."
    )


def _total(column: Column, scope: Scope, text: str) -> str:
    """`the total ` where the rows of one time are to be added up."""
    if re.search(r"\b(?:average|mean)\b", text, re.IGNORECASE) or scope.entities:
        return ""
    said = bool(re.search(r"\b(?:total|sum|overall)\b", text, re.IGNORECASE))
    group = main_group(scope)
    added = said or (group is not None and usual(column, group, scope.table) == "total")
    return "the total " if added else ""


def plan_forecast(steps: Steps, scope: Scope, text: str) -> bool:
    """What may come next. A year after all that the data holds is how far ahead, and no choice of
    rows."""
    found = AHEAD.search(text)
    if years := _years_ahead(scope, text):
        ahead = f"the next {years} years" if years > 1 else "the next year"
        return plan_trend(steps, replace(scope, period=()), text, ahead)
    if found is None:
        ahead = "the next 3 periods"
    else:
        many, unit = found["many"], found["unit"].casefold()
        ahead = f"the next {many} {unit}s" if many else f"the next {unit}"
    return plan_trend(steps, scope, text, ahead)


def _years_ahead(scope: Scope, text: str) -> int:
    """How many years after the last of the data the text asks about; 0 where it does not."""
    last = re.match(r"\d{4}", str(scope.time.maximum)) if scope.time is not None else None
    years = [int(each) for each in _YEAR.findall(text)]
    return max(0, max(years) - int(last.group())) if last and years else 0
