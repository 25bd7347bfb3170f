"""The tasks of a question that wants to know what some columns do to another."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.reading.draft import is_numeric, is_time
from flows.analysis.team.goals.aims import (
    SHOWN_GROUPS,
    target_of,
    whose,
)
from flows.analysis.team.goals.comparing import plan_test
from flows.analysis.team.goals.kinds import asks_same
from flows.analysis.team.goals.scope import Scope, field_of, makes_groups
from flows.analysis.team.goals.steps import MODEL, PLOT, PYTHON, SQL, Steps
from flows.analysis.team.queries.origin import from_words
from flows.analysis.team.queries.planned import result_of
from flows.analysis.team.queries.wording import condition_words, named, quoted
from flows.data.tables import Column


def plan_effect(steps: Steps, scope: Scope, text: str) -> Column | None:
    """What some columns do to another: correlation, picture, regression."""
    target = target_of(scope, text)
    if target is None:
        return None
    causes = [each for each in scope.columns if each.name != target.name]
    group = [each for each in causes if makes_groups(each)]
    numbers = [each for each in causes if is_numeric(each) and not is_time(each)]
    if numbers:
        group_names = [each.name for each in group]
        kept = [each.name for each in numbers] + [target.name, *group_names]
        if len(numbers) > 1:  # what else there is may stand behind both
            steps.extract(scope.wide, condition_words(scope.period))
        else:
            _begin(steps, scope, kept)
        if is_numeric(target):
            _correlated(steps, scope, numbers, target)
            if asks_same(text):
                _in_halves(steps, numbers, target)
            else:
                _modelled(steps, scope, numbers, target)
            _told(steps, scope, numbers, target)
        else:
            _by_groups(steps, scope, numbers, target)
        return target
    if not group:
        return None
    _begin(steps, scope, [group[0].name, target.name])
    if is_numeric(target):
        _by_groups(steps, scope, [target], group[0])
    else:
        _of_classes(steps, scope, group[0], target)
    return target


def _begin(steps: Steps, scope: Scope, names: Sequence[str]) -> None:
    wanted = [*names, *(field_of(each) for each in scope.entities)]
    steps.extract(scope.wide.narrowed([*wanted, *map(field_of, scope.period)]),
                  condition_words(scope.period), wanted)  # fmt: skip


def _correlated(steps: Steps, scope: Scope, causes: Sequence[Column], target: Column) -> None:
    name, where = quoted(target.name), condition_words(scope.entities)
    for each in causes[:3]:
        cause = quoted(each.name)
        steps.add(PYTHON, f"Calculate the correlation between {cause} and {name}{where}.")
    first = quoted(causes[0].name)
    if target.distinct <= 2 and _rates(steps, scope, causes[0], target):
        return
    steps.add(
        PLOT,
        f"Generate a scatter plot with {first} on the x-axis and {name} on the y-axis{where} to "
        "visualize the relationship between these two variables.",
        f"Draw a scatter plot of {name} against {first}{where}.",
    )


def _rates(steps: Steps, scope: Scope, cause: Column, target: Column) -> bool:
    """How often a yes-or-no column is yes, for each of a few amounts."""
    if cause.distinct > SHOWN_GROUPS:
        return False
    names = [cause.name, target.name, *map(field_of, scope.filters)]
    origin = from_words(scope.wide.narrowed(names))
    by, name, where = quoted(cause.name), quoted(target.name), condition_words(scope.filters)
    task = f"Calculate the average {name} for each {by}{origin}{where}."
    made = result_of(task, steps.tables) if steps.over(None, SQL, task) else None
    if made is None:
        return False
    steps.over(made, PLOT, f"Draw a bar chart of {quoted(made.columns[-1].name)} by {by}.")
    return True


def _modelled(steps: Steps, scope: Scope, causes: Sequence[Column], target: Column) -> None:
    name, where = quoted(target.name), condition_words(scope.entities)
    names = named([each.name for each in causes])
    if len(causes) > 1:
        _beside_each_other(steps, name, names, where)
        return
    steps.add(
        MODEL,
        f"Build a regression model with {name} as the target variable and {names} as the predictor"
        f"{where}.",
        f"Run a linear regression of {name} on {names}{where}.",
    )


def _beside_each_other(steps: Steps, name: str, names: str, where: str) -> None:
    """What each of several causes does while the others, and all else, stay the same."""
    steps.add(PYTHON, f"Run a linear regression of {name} on {names}{where}.")
    steps.add(
        MODEL,
        f"Build a regression model with {name} as the target variable and all other columns as "
        f"predictors{where}.",
        f"Build a regression model with {name} as the target variable and {names} as the "
        f"predictors{where}.",
    )


def _told(steps: Steps, scope: Scope, causes: Sequence[Column], target: Column) -> None:
    names, name = named([each.name for each in causes]), quoted(target.name)
    whom = whose(scope.entities)
    steps.insights(
        f"Generate insights on how {names} affects the {name}{whom} based on the correlation and "
        "the scatter plot."
    )
    if len(causes) > 1:
        steps.insights(
            f"Based on the regression generate insights on what each of {names} does to "
            f"{name}{whom} while the others stay the same."
        )


def _in_halves(steps: Steps, causes: Sequence[Column], target: Column) -> None:
    """The effect of the first cause where the last one is small, and where it is large."""
    first, split = causes[0], causes[-1]
    if split.quantiles is None:
        return
    middle = float(f"{split.quantiles.p50:.4g}")
    cause, name, half = quoted(first.name), quoted(target.name), quoted(split.name)
    for where in (f"where {half} is at most {middle:g}", f"where {half} is more than {middle:g}"):
        if steps.add(PYTHON, f"Run a linear regression of {name} on {cause} {where}."):
            steps.insights(
                f"Based on the regression {where} generate insights on how {cause} affects {name} "
                "there."
            )


def _by_groups(steps: Steps, scope: Scope, numbers: Sequence[Column], group: Column) -> None:
    for each in numbers[:3]:
        plan_test(steps, each, group, scope.entities)
    first, by = quoted(numbers[0].name), quoted(group.name)
    where = condition_words(scope.entities)
    steps.add(PLOT, f"Draw a box plot of {first} by {by}{where}.",
              f"Draw a bar chart of the average {first} by {by}{where}.")  # fmt: skip
    steps.insights(
        f"Generate insights on how {first} differs between the values of {by}"
        f"{whose(scope.entities)} based on the test."
    )


def _of_classes(steps: Steps, scope: Scope, cause: Column, target: Column) -> None:
    one, other = quoted(cause.name), quoted(target.name)
    where = condition_words(scope.entities)
    steps.add(PYTHON, f"Test whether {one} and {other} are independent{where}.",
              f"Is {other} independent of {one}{where}?")  # fmt: skip
    steps.add(PLOT, f"Draw a stacked bar chart of the number of rows by {one} and {other}{where}.",
              f"Draw a bar chart of the number of rows by {one} and {other}{where}.")  # fmt: skip
    steps.insights(f"Generate insights on how {one} affects {other} based on the test.")
