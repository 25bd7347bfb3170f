"""The tasks of a question about time: how something developed, what comes next."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from flows.analysis.team.goals.aims import SHOWN_GROUPS, main_group, usual
from flows.analysis.team.goals.builder import (
    Restriction,
    analysis,
    course,
    figure,
    figures,
)
from flows.analysis.team.goals.kinds import AHEAD
from flows.analysis.team.goals.scope import TableScope, is_period
from flows.analysis.team.goals.steps import Steps
from flows.data.tables import Column
from flows.semantics.query import FieldRef, Function, Period, Query
from flows.semantics.request import Analysis, Argument

_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")
_MANY: Final = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10, "twelve": 12}
# How far ahead a forecast looks: steps, and of what; no unit is the step of the data.
Ahead = tuple[int, str]


def plan_trend(steps: Steps, scope: TableScope, text: str, ahead: Ahead | None = None) -> bool:
    """A column over time: its growth, its picture; what comes next when that is asked."""
    time = scope.time
    numbers = scope.numbers or scope.measures[:1] * (len(scope.measures) == 1)
    if time is None or not numbers:
        return False
    wide, where, first = scope.wide, scope.entities, numbers[0]
    group = next(iter(scope.groups), None)
    names = [time.name, *(each.name for each in numbers[:3]), *([group.name] if group else [])]
    steps.extract(wide, scope.period, [*names, *(each.column for each in where)])
    how = _how(first, scope, text)
    if group and group.distinct <= SHOWN_GROUPS:
        steps.compute(_series("growth", scope, first, where, group=group.name))
    yearly = _by_year(steps, scope, first, how)
    for each in numbers[yearly:3]:
        plan_change(steps, scope, each, where, how)
    steps.draw(
        course(wide, [each.name for each in numbers[:3]], time.name, where),
        course(wide, [first.name], time.name, where),
    )
    if ahead:
        steps.compute(_series("forecast", scope, first, where, how, steps=ahead[0], unit=ahead[1]))
        steps.tell("forecast")
    steps.tell("growth", "trend")
    return True


def _series(
    method: str, scope: TableScope, column: Column, where: Sequence[Restriction],
    how: Function = "average", **given: object,
) -> Analysis | None:  # fmt: skip
    """A method over a column in the order of the scope's time."""
    assert scope.time is not None
    joined = "sum" if how == "sum" else "mean"
    named = {"fields": (column.name,), "time": scope.time.name, "how": joined}
    return analysis(method, scope.wide, where, **named, **given)


def plan_change(
    steps: Steps, scope: TableScope, target: Column, entities: Sequence[Restriction],
    how: Function = "average",
) -> bool:  # fmt: skip
    """How a column has changed in time; a month that is a text is a group of its rows."""
    assert scope.time is not None
    if is_period(scope.time):
        figured = [figure(scope.wide, how, target.name)]
        by = scope.wide.expression(scope.time.name)
        return steps.query(figures(scope.wide, figured, by, [*entities, *scope.period]))
    return steps.compute(
        _series("growth", scope, target, entities, how),
        _series("trend", scope, target, entities, how),
    )


def _by_year(steps: Steps, scope: TableScope, target: Column, how: Function) -> bool:
    """How a column changed from year to year, where a table has the days of several."""
    time = scope.time
    if time is None or time.type not in ("date", "timestamp"):
        return False
    if str(time.minimum)[:4] == str(time.maximum)[:4] or time.distinct <= SHOWN_GROUPS:
        return False
    figured = figure(scope.wide, how, target.name)
    year = Period(of=scope.wide.expression(time.name), grain="year")
    asked = figures(scope.wide, [figured], year, scope.filters)
    return steps.query(asked) and steps.compute(growth_of(asked, steps), over=asked)


def growth_of(asked: Query, steps: Steps) -> Analysis:
    """The growth of figures along their groups."""
    time, value = (FieldRef(dataset=asked.dataset, field=each) for each in steps.columns(asked))
    return Analysis(
        method="growth", over=asked,
        arguments=(Argument(name="fields", values=(value,)),
                   Argument(name="time", values=(time,))),
    )  # fmt: skip


def _how(column: Column, scope: TableScope, text: str) -> Function:
    """A sum where the rows of one time are to be added up, else the average."""
    if re.search(r"\b(?:average|mean)\b", text, re.IGNORECASE) or scope.entities:
        return "average"
    if re.search(r"\b(?:total|sum|overall)\b", text, re.IGNORECASE):
        return "sum"
    return usual(column) if main_group(scope) is not None else "average"


def plan_forecast(steps: Steps, scope: TableScope, text: str) -> bool:
    """What may come next. A year after all that the data holds is how far ahead, and no choice of
    rows."""
    if years := _years_ahead(scope, text):
        return plan_trend(steps, replace(scope, period=()), text, (years, "year"))
    found = AHEAD.search(text)
    if found is None:
        return plan_trend(steps, scope, text, (3, ""))
    many = (found["many"] or "1").casefold()
    ahead = (_MANY.get(many) or int(many), found["unit"].casefold())
    return plan_trend(steps, scope, text, ahead)


def _years_ahead(scope: TableScope, text: str) -> int:
    """How many years after the last of the data the text asks about; 0 where it does not."""
    last = re.match(r"\d{4}", str(scope.time.maximum)) if scope.time is not None else None
    years = [int(each) for each in _YEAR.findall(text)]
    return max(0, max(years) - int(last.group())) if last and years else 0
