"""The tasks of a question that sets groups beside each other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from flows.analysis.language.words import COUNTS
from flows.analysis.team.goals.aims import (
    MOST_GROUPS,
    MOST_MEASURES,
    SHOWN_GROUPS,
    compared,
    group_of,
    measures_of,
    usual,
)
from flows.analysis.team.goals.builder import (
    Restriction,
    analysis,
    contrast,
    figure,
    figures,
    picture,
)
from flows.analysis.team.goals.kinds import end_of
from flows.analysis.team.goals.scope import TableScope
from flows.analysis.team.goals.steps import Steps
from flows.analysis.team.goals.wide_table import Wide
from flows.data.tables import Column
from flows.semantics.query import Function, Query
from flows.semantics.request import Analysis, Chart

# Columns in which one thing is set beside the others.
_SEEN: Final = 20


def plan_ranking(steps: Steps, scope: TableScope, text: str) -> bool:
    """Groups beside each other in what is named, else in all measures."""
    group = group_of(scope)
    measures = measures_of(scope, group)
    if group is None or not measures:
        return False
    where = [*scope.period, *_others(scope, group), *compared(scope, group)]
    first = [ranked(steps, scope, each, group, where, text)
             for each in (measures[:2] if scope.numbers else measures[:1])]  # fmt: skip
    beside = _set_beside(steps, scope, measures)
    if beside is None and len(measures) > len(first):
        means = [figure(scope.wide, "average", each.name) for each in measures[:MOST_MEASURES]]
        steps.query(figures(scope.wide, means, scope.wide.expression(group.name), where))
    if group.distinct <= SHOWN_GROUPS:
        _tested(steps, scope, measures[0], group)
    told = list(filter(None, first)) or list(filter(None, [beside]))
    for each in told:
        steps.tell_of(each)
    if not told:
        steps.tell()
    return True


def _set_beside(steps: Steps, scope: TableScope, measures: Sequence[Column]) -> Query | None:
    """The one thing that is named beside all others."""
    if len(scope.entities) != 1 or not scope.entities[0].names_one:
        return None
    names = [each.name for each in measures]
    asked = contrast(scope.wide, names, scope.entities[0], scope.period)
    return asked if steps.query(asked) else None


def _others(scope: TableScope, group: Column) -> list[Restriction]:
    return [each for each in scope.entities if each.column != group.name]


def ranked(
    steps: Steps, scope: TableScope, measure: Column, group: Column,
    where: Sequence[Restriction], text: str,
) -> Query | None:  # fmt: skip
    """One measure by the group, the end that is asked for first, with its bars."""
    total = re.search(r"\b(?:total|sum|overall)\b", text, re.IGNORECASE)
    how: Function = "sum" if total else usual(measure)
    by = scope.wide.expression(group.name)
    figured = [figure(scope.wide, how, measure.name)]
    first = first_of(text)
    end = end_of(text) or ("high" if first else "")
    asked = figures(scope.wide, figured, by, where, end=end, first=first)
    if not steps.query(asked):
        return None
    steps.draw(Chart(of=asked, type="bar"), over=asked)
    return asked


_FIRST: Final = re.compile(
    rf"\b(?P<one>\d+|{'|'.join(COUNTS)}) (?:\w+ )?(?:best|worst|top|largest|biggest|highest|most|"
    rf"strongest|leading)\b|\b(?:best|top|largest|biggest|highest|leading) "
    rf"(?P<other>\d+|{'|'.join(COUNTS)})\b",
    re.IGNORECASE,
)


def first_of(text: str) -> int:
    """How many of the groups a question wants, `the five best`; 0 for all."""
    found = _FIRST.search(text)
    if found is None:
        return 0
    word = (found["one"] or found["other"]).casefold()
    return COUNTS.get(word) or int(word)


def _tested(steps: Steps, scope: TableScope, measure: Column, group: Column) -> None:
    """Whether the groups differ by more than chance, over the rows themselves."""
    asked = difference_of(scope.wide, measure, group, compared(scope, group))
    if asked is not None and steps.extract(scope.wide, scope.period, [measure.name, group.name]):
        steps.compute(asked)


def difference_of(
    wide: Wide, number: Column, group: Column, where: Sequence[Restriction] = ()
) -> Analysis | None:
    """Whether a number differs between groups."""
    return analysis("hypothesis_test", wide, where, fields=(number.name,), group=group.name)


def plan_apart(steps: Steps, scope: TableScope, group: Column) -> bool:
    """One thing beside all others, in what is named, else in all that is measured."""
    named_ones = [each for each in scope.numbers if each.name != group.name]
    measures = (named_ones or [each for each in scope.measures if each.name != group.name])[:_SEEN]
    asked = _set_beside(steps, scope, measures) if measures else None
    if asked is not None:
        steps.tell_of(asked)
    return asked is not None


def plan_difference(steps: Steps, scope: TableScope, text: str) -> bool:
    """Whether groups differ: a test, a picture, the averages."""
    del text
    group = group_of(scope)
    measures = measures_of(scope, group)
    if group is None or not measures:
        return False
    if len(scope.entities) == 1 and not compared(scope, group):
        return plan_apart(steps, scope, group)
    if group.distinct > MOST_GROUPS:
        return False
    names = [*(each.name for each in measures[:3]), group.name]
    steps.extract(scope.wide, [*scope.period, *_others(scope, group)], names)
    return by_group(steps, scope.wide, measures[:3], group, compared(scope, group))


def by_group(
    steps: Steps, wide: Wide, numbers: Sequence[Column], group: Column,
    where: Sequence[Restriction],
) -> bool:  # fmt: skip
    """Whether numbers differ between groups, with what follows from the first test."""
    asked = [difference_of(wide, each, group, where) for each in numbers]
    tests = [each for each in asked if each is not None and steps.compute(each)]
    if not tests:
        return False
    if not steps.follow(tests[0]):
        mean = figure(wide, "average", numbers[0].name)
        bars = figures(wide, [mean], wide.expression(group.name), where)
        steps.draw(picture("box", wide, [numbers[0].name, group.name], where),
                   Chart(of=bars, type="bar"))  # fmt: skip
    steps.tell_of(tests[0])
    return True
