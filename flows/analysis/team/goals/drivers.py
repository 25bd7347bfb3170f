"""The tasks of a question that wants to know what drives a column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from flows.analysis.plan import AnyOf
from flows.analysis.reading.draft import is_numeric
from flows.analysis.team.goals.aims import (
    MOST_CLASSES,
    entity_words,
    main_group,
    target_of,
    whose,
)
from flows.analysis.team.goals.comparing import plan_test
from flows.analysis.team.goals.developing import plan_change, time_series
from flows.analysis.team.goals.kinds import asks_change, asks_how_well
from flows.analysis.team.goals.scope import Scope, field_of, is_period, makes_groups
from flows.analysis.team.goals.steps import MODEL, PLOT, PYTHON, SQL, Steps
from flows.analysis.team.queries.beside import comparison
from flows.analysis.team.queries.origin import from_words
from flows.analysis.team.queries.wording import condition_text, condition_words, named, quoted
from flows.data.tables import Column

_ENOUGH: Final = 20
_COMPARED: Final = 8


def plan_drivers(steps: Steps, scope: Scope, text: str) -> Column | None:
    """What a target goes with, what explains it, and how the named entity stands out."""
    target = scope.numbers[0] if scope.numbers and not scope.asked else target_of(scope, text)
    if target is None:
        return None
    others = [each for each in scope.measures if each.name != target.name]
    steps.extract(scope.wide, condition_words(scope.period))
    if is_numeric(target):
        _of_number(steps, scope, target, others, text)
    else:
        _of_class(steps, scope, target, others)
    return target


def _of_number(
    steps: Steps, scope: Scope, target: Column, others: Sequence[Column], text: str
) -> None:
    name, whom = quoted(target.name), whose(scope.entities)
    correlated = bool(others) and _correlations(steps, name)
    _models(steps, scope, name)
    compared = _compared(steps, scope, target, others)
    _apart(steps, scope, target)
    if asks_change(text) and scope.time is not None:
        plan_change(steps, scope, target, scope.entities)
    if asks_how_well(text):
        steps.insights(
            f"Based on the model generate insights about how well {name} can be predicted and "
            "which columns that takes."
        )
    if correlated:
        steps.insights(
            f"Based on the correlation analysis generate insights about the key drivers of "
            f"{name}{whom}."
        )
    if compared:
        who = entity_words(scope.entities)
        steps.insights(
            f"Based on the comparison generate insights about what sets {who} apart from the "
            f"others in {name} and in what drives it."
        )
    if not correlated and not compared:
        steps.insights(f"Generate insights about the key drivers of {name}{whom}.")


def _correlations(steps: Steps, name: str) -> bool:
    found = steps.add(
        PYTHON,
        f"Perform feature correlation analysis between {name} and all other numerical features in "
        "the dataset to identify potential key drivers.",
        f"Calculate the correlations of {name} with all other numeric columns.",
    )
    steps.add(
        PLOT,
        f"Generate a correlation heatmap of {name} with all other numerical features to visually "
        "identify potential key drivers.",
        f"Draw a correlation heatmap of {name} with all other numeric columns.",
    )
    return found


def _models(steps: Steps, scope: Scope, name: str) -> None:
    few = [
        c for c in scope.table.columns
        if makes_groups(c) and not is_period(c) and 2 <= c.distinct <= MOST_CLASSES
    ]  # fmt: skip
    features = "columns" if few else "numerical features"
    rest = (
        f"with {name} as the target variable and all other {features} as predictors. Use "
        f"the model to identify the most important features driving {name}."
    )
    if scope.table.rows >= _ENOUGH:
        steps.add(
            MODEL,
            f"Build a regression model {rest}",
            f"Train a model that predicts {name}.",
            f"Which columns are most important for {name}?",
        )
    for entity in scope.entities:
        if rows_of(scope, entity) < _ENOUGH:
            continue
        where = condition_text(entity)
        steps.add(
            MODEL,
            f"Build a regression model for the rows where {where}, {rest}",
            f"Train a model that predicts {name} where {where}.",
        )


def rows_of(scope: Scope, entity: AnyOf) -> float:
    """About how many rows have the values of a condition."""
    [test] = entity.conditions
    column = scope.wide.of(test.field.column)
    counts = {each.value: each.count for each in column.top}
    even = scope.table.rows / max(column.distinct, 1)
    # Counts of a related table are of its own rows.
    own = scope.wide.owner(column.name) == scope.wide.base.name
    return sum(counts.get(str(each), even) if own else even for each in test.values)


def _compared(steps: Steps, scope: Scope, target: Column, others: Sequence[Column]) -> bool:
    """The entity beside the others, in the target and in what may drive it."""
    if not scope.entities:
        return False
    names = [target.name, *(each.name for each in others)][:_COMPARED]
    found = False
    for entity in scope.entities[:2]:
        where = condition_text(entity)
        group = quoted(field_of(entity))
        narrow = scope.wide.narrowed([*names, *map(field_of, scope.filters)])
        found |= steps.over(
            None, SQL,
            comparison(narrow, names, where, condition_words(scope.period)),
            f"Calculate the average {named(names)} for each {group}{from_words(narrow)}.",
        )  # fmt: skip
    return found


def _apart(steps: Steps, scope: Scope, target: Column) -> None:
    """A chart of the target: of the entity over time, else by what the question names."""
    name = quoted(target.name)
    if scope.time is not None and scope.entities:
        steps.add(PLOT, *time_series([target.name], scope.entities, scope.time))
        return
    groups = [each for each in scope.groups if each.name != target.name]
    column = scope.wide.of(field_of(scope.entities[0])) if scope.entities else None
    usual_group = main_group(scope)
    for each in [*groups, *filter(None, (column, usual_group))][:1]:
        steps.add(PLOT, f"Draw a bar chart of the average {name} by {quoted(each.name)}.")


def _of_class(steps: Steps, scope: Scope, target: Column, others: Sequence[Column]) -> None:
    """What tells the classes of a column apart."""
    name = quoted(target.name)
    steps.add(
        MODEL,
        f"Build a classification model with {name} as the target variable and all other columns as "
        f"predictors. Use the model to identify the most important features driving {name}.",
        f"Train a model that predicts {name}.",
        f"Which columns are most important for {name}?",
    )
    tested = [each for each in others[:2] if plan_test(steps, each, target, scope.entities)]
    for each in tested[:1]:
        steps.add(PLOT, f"Draw a box plot of {quoted(each.name)} by {name}.")
    steps.insights(
        f"Based on the model generate insights about the key drivers of {name}"
        f"{whose(scope.entities)}."
    )
