"""The tasks of a question that wants to see what there is: spread, oddities, groups."""

from __future__ import annotations

import re

from flows.analysis.team.goals.aims import (
    MOST_GROUPS,
    MOST_MEASURES,
    entity_words,
    group_of,
    main_group,
    whose,
)
from flows.analysis.team.goals.comparing import plan_apart, ranked
from flows.analysis.team.goals.developing import plan_change, time_series
from flows.analysis.team.goals.scope import Scope, field_of
from flows.analysis.team.goals.steps import PLOT, PYTHON, SQL, Steps
from flows.analysis.team.queries.origin import from_words
from flows.analysis.team.queries.wording import condition_words, named, quoted


def plan_distribution(steps: Steps, scope: Scope, text: str) -> bool:
    """How the values of a column are spread."""
    del text
    numbers = scope.numbers
    if not numbers:
        return False
    group = next(iter(scope.groups), None)
    names = [*(each.name for each in numbers), *([group.name] if group else [])]
    wanted = [*names, *map(field_of, scope.entities)]
    narrow = scope.wide.narrowed([*wanted, *map(field_of, scope.period)])
    steps.extract(narrow, condition_words(scope.period), wanted)
    where = condition_words(scope.entities)
    first = quoted(numbers[0].name)
    by = f" by {quoted(group.name)}" if group else ""
    steps.add(PYTHON, f"Calculate summary statistics of {first}{by}{where}.",
              f"Calculate summary statistics of {first}.")  # fmt: skip
    steps.add(PLOT, f"Draw a histogram of {first}{where}.", f"Draw a histogram of {first}.")
    if by:
        steps.add(PLOT, f"Draw a box plot of {first}{by}{where}.")
    steps.insights(f"Generate insights about how the values of {first}{whose(scope.entities)} are "
                   "spread.")  # fmt: skip
    return True


def plan_anomalies(steps: Steps, scope: Scope, text: str) -> bool:
    """Values that stand out."""
    del text
    numbers = scope.numbers or scope.measures
    if not numbers:
        return False
    steps.extract(scope.wide.narrowed([each.name for each in numbers]),
                  condition_words(scope.filters))  # fmt: skip
    names = named([each.name for each in numbers[:MOST_MEASURES]])
    steps.add(PYTHON, f"Find the outliers of {names}.", "Find the outliers of all numeric columns.")
    first = quoted(numbers[0].name)
    steps.add(PLOT, f"Draw a box plot of {first}.", f"Draw a histogram of {first}.")
    if scope.time is not None and scope.numbers:
        steps.add(PLOT, *time_series([numbers[0].name], (), scope.time))
    steps.insights(f"Generate insights about the unusual values of {names} based on the outliers.")
    return True


def plan_segments(steps: Steps, scope: Scope, text: str) -> bool:
    """Rows that are alike."""
    numbers = scope.numbers if len(scope.numbers) > 1 else scope.measures
    if len(numbers) < 2:
        return False
    found = re.search(r"\binto (\d+|two|three|four|five|six)\b", text, re.IGNORECASE)
    many = found[1] if found else "3"
    steps.extract(scope.wide.narrowed([each.name for each in numbers]),
                  condition_words(scope.filters))  # fmt: skip
    names = named([each.name for each in numbers[: 2 * MOST_MEASURES]])
    done = steps.add(PYTHON, f"Cluster the rows by {names} into {many} groups.",
                     f"Cluster the rows into {many} groups.")  # fmt: skip
    one, other = quoted(numbers[0].name), quoted(numbers[1].name)
    steps.add(PLOT, f"Draw a scatter plot of {other} against {one}.")
    steps.insights("Generate insights about how the groups differ based on the clusters.")
    return done


def plan_overview(steps: Steps, scope: Scope, text: str) -> bool:
    """What there is to know of a table: spread, groups, time, oddities, gaps."""
    del text
    numbers = scope.numbers or scope.measures
    group = group_of(scope)
    if len(scope.entities) == 1 and group is not None and plan_apart(steps, scope, group):
        return True
    where = condition_words(scope.filters)
    steps.extract(scope.wide, where)
    if numbers:
        steps.add(PYTHON, "Calculate summary statistics of all numerical columns.",
                  f"Calculate summary statistics of {quoted(numbers[0].name)}.")  # fmt: skip
        first = numbers[0]
        steps.add(PLOT, f"Draw a histogram of {quoted(first.name)}.")
        group = group_of(scope) or main_group(scope)
        if scope.time is not None:
            plan_change(steps, scope, first, ())
            steps.add(PLOT, *time_series([first.name], (), scope.time))
        steps.add(PYTHON, "Find the outliers of all numeric columns.")
        if group is not None and group.distinct <= MOST_GROUPS:
            ranked(steps, scope, first, group, condition_words(scope.period), "")
    else:
        group = group_of(scope) or main_group(scope)
        if group is not None:
            by = quoted(group.name)
            steps.over(None, SQL, f"Count the rows for each {by}{from_words(scope.wide)}.")
    what = f" of {entity_words(scope.entities)}" if scope.entities else ""
    steps.insights(
        f"Generate insights about what is notable{what} based on the summary statistics."
    )
    return bool(steps.steps)
