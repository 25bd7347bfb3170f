"""The tasks of a question that wants to see what there is: spread, oddities, groups."""

from __future__ import annotations

import re

from flows.analysis.methods.arguments import MOST_COLUMNS
from flows.analysis.team.goals.aims import MOST_GROUPS, MOST_MEASURES, group_of, main_group
from flows.analysis.team.goals.builder import analysis, course, figures, picture
from flows.analysis.team.goals.comparison import plan_apart, ranked
from flows.analysis.team.goals.development import plan_change
from flows.analysis.team.goals.scope import TableScope
from flows.analysis.team.goals.steps import Steps
from flows.semantics.query import Aggregate

_MANY = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}


def plan_distribution(steps: Steps, scope: TableScope, text: str) -> bool:
    """How the values of a column are spread."""
    del text
    numbers = scope.numbers
    if not numbers:
        return False
    wide, where = scope.wide, scope.entities
    group = next(iter(scope.groups), None)
    first, by = numbers[0].name, group.name if group else ""
    names = [*(each.name for each in numbers), by, *(each.column for each in where)]
    steps.extract(wide, scope.period, names)
    steps.compute(
        analysis("summary_statistics", wide, where, fields=(first,), group=by),
        analysis("summary_statistics", wide, where, fields=(first,)),
    )
    steps.draw(picture("histogram", wide, [first], where))
    if by:
        steps.draw(picture("box", wide, [first, by], where))
    steps.tell("summary_statistics")
    return True


def plan_anomalies(steps: Steps, scope: TableScope, text: str) -> bool:
    """Values that stand out."""
    del text
    numbers = scope.numbers or scope.measures
    if not numbers:
        return False
    names = [each.name for each in numbers]
    wide = scope.wide.whole() if not scope.numbers else scope.wide
    shown = names if scope.numbers else ()
    steps.extract(wide, scope.filters, [] if len(wide.tables) == 1 else shown)
    known = tuple(name for name in names if name in wide.home)
    steps.compute(
        analysis("outliers", wide, fields=known[:MOST_MEASURES]),
        analysis("outliers", wide, fields=known[:MOST_COLUMNS]),
    )
    steps.draw(picture("box", wide, known[:1]), picture("histogram", wide, known[:1]))
    if scope.time is not None and scope.numbers:
        steps.draw(course(wide, known[:1], scope.time.name))
    steps.tell("outliers")
    return True


def plan_segments(steps: Steps, scope: TableScope, text: str) -> bool:
    """Rows that are alike."""
    numbers = scope.numbers if len(scope.numbers) > 1 else scope.measures
    if len(numbers) < 2:
        return False
    found = re.search(r"\binto (\d+|two|three|four|five|six)\b", text, re.IGNORECASE)
    many = _MANY.get(found[1].casefold()) or int(found[1]) if found else 3
    wide = scope.wide.whole()
    names = tuple(each.name for each in numbers if each.name in wide.home)
    steps.extract(wide, scope.filters)
    done = steps.compute(
        analysis("clustering", wide, fields=names[: 2 * MOST_MEASURES], number=many)
    )
    steps.draw(picture("scatter", wide, names[:2]))
    steps.tell("clustering")
    return done


def plan_overview(steps: Steps, scope: TableScope, text: str) -> bool:
    """What there is to know of a table: spread, groups, time, oddities, gaps."""
    del text
    numbers = scope.numbers or scope.measures
    group = group_of(scope)
    if len(scope.entities) == 1 and group is not None and plan_apart(steps, scope, group):
        return True
    whole = scope.wide.whole()
    named = {each.name for each in scope.columns} | {each.column for each in scope.filters}
    wide = whole if named <= set(whole.home) else scope.wide
    steps.extract(wide, scope.filters)
    group = group or main_group(scope)
    if numbers:
        first = numbers[0]
        every = tuple(e.name for e in scope.measures if e.name in wide.home)[:MOST_COLUMNS]
        steps.compute(
            analysis("summary_statistics", wide, fields=every or (first.name,)),
            analysis("summary_statistics", wide, fields=(first.name,)),
        )
        steps.draw(picture("histogram", wide, [first.name]))
        if scope.time is not None:
            plan_change(steps, scope, first, ())
            steps.draw(course(scope.wide, [first.name], scope.time.name))
        steps.compute(analysis("outliers", wide, fields=every))
        if group is not None and group.distinct <= MOST_GROUPS:
            ranked(steps, scope, first, group, scope.period, "")
    elif group is not None:
        count = Aggregate(function="count")
        steps.query(figures(wide, [count], scope.wide.expression(group.name), scope.filters))
    steps.tell("summary_statistics")
    return bool(steps.steps)
