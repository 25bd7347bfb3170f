"""The tasks of a question that sets groups beside each other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from flows.analysis.plan import AnyOf
from flows.analysis.team.goals.aims import (
    MOST_GROUPS,
    MOST_MEASURES,
    SHOWN_GROUPS,
    compared,
    entity_words,
    group_of,
    main_group,
    measures_of,
    usual,
)
from flows.analysis.team.goals.scope import Scope, field_of
from flows.analysis.team.goals.steps import PLOT, PYTHON, SQL, Steps
from flows.analysis.team.queries.beside import comparison
from flows.analysis.team.queries.origin import from_words
from flows.analysis.team.queries.planned import result_of
from flows.analysis.team.queries.wording import condition_text, condition_words, named, quoted
from flows.data.tables import Column

# Columns in which one thing is set beside the others.
_SEEN: Final = 20


def plan_ranking(steps: Steps, scope: Scope, text: str) -> bool:
    """Groups beside each other in what is named, else in all measures."""
    group = group_of(scope)
    measures = measures_of(scope, group)
    if group is None or not measures:
        return False
    period = condition_words([*scope.period, *_others(scope, group), *compared(scope, group)])
    for each in measures[:2] if scope.numbers else measures[:1]:
        ranked(steps, scope, each, group, period, text)
    if not _set_beside(steps, scope, measures) and len(measures) > (2 if scope.numbers else 1):
        _averages(steps, scope, measures, group, period)
    if measures and group.distinct <= SHOWN_GROUPS:
        _tested(steps, scope, measures[0], group)
    said = named([each.name for each in measures])
    if len(scope.entities) == 1 and not any("highest first" in s.description for s in steps.steps):
        steps.insights(
            f"Generate insights about how {entity_words(scope.entities)} and the others differ in "
            f"{said}."
        )
        return True
    steps.insights(
        f"Generate insights about which {quoted(group.name)} does best and worst in {said} and how "
        "far they are apart."
    )
    return True


def _set_beside(steps: Steps, scope: Scope, measures: Sequence[Column]) -> bool:
    """The one thing that is named beside all others."""
    alone = [each for each in scope.entities if len(each.conditions[0].values) == 1]
    if len(scope.entities) != 1 or not alone:
        return False
    names = [each.name for each in measures]
    narrow = scope.wide.narrowed([*names, *map(field_of, scope.filters)])
    period = condition_words(scope.period)
    return steps.over(None, SQL, comparison(narrow, names, condition_text(alone[0]), period))


def _others(scope: Scope, group: Column) -> list[AnyOf]:
    return [each for each in scope.entities if field_of(each) != group.name]


def ranked(
    steps: Steps, scope: Scope, measure: Column, group: Column, where: str, text: str
) -> None:
    """One measure by the group, with its bars."""
    how = "total" if re.search(r"\b(?:total|sum|overall)\b", text, re.IGNORECASE) else ""
    how = how or usual(measure, main_group(scope) or group, scope.table)
    name, by = quoted(measure.name), quoted(group.name)
    few = f", only the first {first_of(text)}" if first_of(text) else ""
    origin = from_words(
        scope.wide.narrowed([measure.name, group.name, *map(field_of, scope.period)])
    )
    task = f"Calculate the {how} {name} for each {by}{origin}{where}, highest first{few}."
    if not steps.over(None, SQL, task):
        return
    made = result_of(task, steps.tables)
    if made is not None:
        value, by = made.columns[-1].name, quoted(made.columns[0].name)
        steps.over(made, PLOT, f"Draw a bar chart of {quoted(value)} by {by}.",
                   f"Draw a bar chart of the average {quoted(value)} by {by}.")  # fmt: skip


_MANY: Final = {
    word: number
    for number, word in enumerate(
        ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], 2
    )
}
_FIRST: Final = re.compile(
    rf"\b(?P<one>\d+|{'|'.join(_MANY)}) (?:\w+ )?(?:best|worst|top|largest|biggest|highest|most|"
    rf"strongest|leading)\b|\b(?:best|top|largest|biggest|highest|leading) "
    rf"(?P<other>\d+|{'|'.join(_MANY)})\b",
    re.IGNORECASE,
)


def first_of(text: str) -> int:
    """How many of the groups a question wants, `the five best`; 0 for all."""
    found = _FIRST.search(text)
    if found is None:
        return 0
    word = (found["one"] or found["other"]).casefold()
    return _MANY.get(word) or int(word)


def _averages(
    steps: Steps, scope: Scope, measures: Sequence[Column], group: Column, where: str
) -> None:
    names = [each.name for each in measures[:MOST_MEASURES]]
    origin = from_words(scope.wide.narrowed([*names, group.name, *map(field_of, scope.period)]))
    by = quoted(group.name)
    steps.over(None, SQL, f"Calculate the average {named(names)} for each {by}{origin}{where}.")


def _tested(steps: Steps, scope: Scope, measure: Column, group: Column) -> None:
    """Whether the groups differ by more than chance, over the rows themselves."""
    names = [measure.name, group.name]
    narrow = scope.wide.narrowed([*names, *map(field_of, scope.period)])
    if steps.extract(narrow, condition_words(scope.period), names):
        plan_test(steps, measure, group, compared(scope, group))


def plan_test(steps: Steps, number: Column, group: Column, entities: Sequence[AnyOf] = ()) -> bool:
    """Whether a number differs between groups."""
    what, by, where = quoted(number.name), quoted(group.name), condition_words(entities)
    return steps.add(PYTHON, f"Test whether {what} differs significantly by {by}{where}.")


def plan_apart(steps: Steps, scope: Scope, group: Column) -> bool:
    """One thing beside all others, in what is named, else in all that is measured."""
    named_ones = [each for each in scope.numbers if each.name != group.name]
    measures = (named_ones or [each for each in scope.measures if each.name != group.name])[:_SEEN]
    if not _set_beside(steps, scope, measures):
        return False
    who = entity_words(scope.entities)
    steps.insights(
        f"Based on the comparison generate insights about what sets {who} apart from the others in "
        f"{named([each.name for each in measures])}, the largest differences first."
    )
    return True


def plan_difference(steps: Steps, scope: Scope, text: str) -> bool:
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
    entities = compared(scope, group)
    names = [*(each.name for each in measures[:3]), group.name]
    narrow = scope.wide.narrowed([*names, *map(field_of, scope.filters)])
    others = [*scope.period, *_others(scope, group)]
    steps.extract(narrow, condition_words(others), names)
    found = [each for each in measures[:3] if plan_test(steps, each, group, entities)]
    if not found:
        return False
    name, by, where = quoted(found[0].name), quoted(group.name), condition_words(entities)
    steps.add(PLOT, f"Draw a box plot of {name} by {by}{where}.",
              f"Draw a bar chart of the average {name} by {by}{where}.")  # fmt: skip
    steps.insights(
        f"Generate insights on whether and how much {name} differs between the values of {by} "
        "based on the test."
    )
    return True
