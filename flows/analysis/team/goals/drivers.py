"""The tasks of a question that wants to know what drives a column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from flows.analysis.methods.arguments import MOST_COLUMNS, plots
from flows.analysis.methods.supervised import is_class, may_explain
from flows.analysis.reading.draft import is_numeric
from flows.analysis.team.goals.aims import main_group, target_of
from flows.analysis.team.goals.builder import (
    Restriction,
    analysis,
    contrast,
    course,
    figure,
    figures,
)
from flows.analysis.team.goals.comparison import difference_of
from flows.analysis.team.goals.development import plan_change
from flows.analysis.team.goals.kin import are_kin
from flows.analysis.team.goals.kinds import asks_change, asks_how_well
from flows.analysis.team.goals.scope import TableScope
from flows.analysis.team.goals.steps import Steps
from flows.analysis.team.goals.wide_table import Wide
from flows.data.tables import Column
from flows.semantics.query import Query
from flows.semantics.request import Analysis, Chart

_ENOUGH: Final = 20
_COMPARED: Final = 8


def plan_drivers(steps: Steps, scope: TableScope, text: str) -> Column | None:
    """What a target goes with, what explains it, and how the named entity stands out."""
    target = scope.numbers[0] if scope.numbers and not scope.asked else target_of(scope, text)
    if target is None:
        return None
    steps.extract(_around(scope, target), scope.period)
    if is_numeric(target):
        _of_number(steps, scope, target, text)
    else:
        _of_class(steps, scope, target)
    return target


def _around(scope: TableScope, target: Column) -> Wide:
    """All that can be said of the rows, where that has the target and what the question names."""
    whole = scope.wide.whole()
    named = {target.name, *(each.column for each in scope.filters)}
    return whole if named <= set(whole.home) else scope.wide


def _of_number(steps: Steps, scope: TableScope, target: Column, text: str) -> None:
    wide = _around(scope, target)
    others = [c for c in wide.table.columns if c in scope.measures and c.name != target.name]
    correlated = bool(others) and _correlations(steps, wide, target, others)
    for entity in (None, *scope.entities):
        if (scope.table.rows if entity is None else rows_of(scope, entity)) >= _ENOUGH:
            steps.compute(model_of(wide, target, [entity] if entity else []), learn=True)
    compared = _compared(steps, scope, target, others)
    _apart(steps, scope, target)
    if asks_change(text) and scope.time is not None:
        plan_change(steps, scope, target, scope.entities)
    if asks_how_well(text) or not (correlated or compared):
        steps.tell("key_drivers")
    if correlated:
        steps.tell("correlation")
    if compared is not None:
        steps.tell_of(compared)


def _correlations(steps: Steps, wide: Wide, target: Column, others: Sequence[Column]) -> bool:
    fields = tuple(each.name for each in (target, *others))[:MOST_COLUMNS]
    asked = analysis("correlation", wide, fields=fields, target=target.name)
    found = steps.compute(asked)
    if asked is not None:
        steps.draw(Chart(of=asked, type="heatmap"))
    return found


def model_of(wide: Wide, target: Column, where: Sequence[Restriction] = ()) -> Analysis | None:
    """A model of a column by all others that may explain it; when it was says little of why."""
    able = [c for c in wide.table.columns if c.name != target.name and may_explain(c)]
    fields = [c for c in able if c.role != "time"] or able
    kin = tuple(c.name for c in fields[:MOST_COLUMNS] if plots(c) and are_kin(target.name, c.name))
    return analysis(
        "key_drivers", wide, where, target=target.name,
        fields=tuple(each.name for each in fields[:MOST_COLUMNS]),
        classes=not plots(target) or is_class(target), kin=kin,
    )  # fmt: skip


def rows_of(scope: TableScope, entity: Restriction) -> float:
    """About how many rows have the values of a condition."""
    column = scope.wide.of(entity.column)
    counts = {each.value: each.count for each in column.top}
    even = scope.table.rows / max(column.distinct, 1)
    # Counts of a related table are of its own rows.
    own = scope.wide.owner(column.name) == scope.wide.base.name
    return sum(counts.get(str(each), even) if own else even for each in entity.values)


def _compared(
    steps: Steps, scope: TableScope, target: Column, others: Sequence[Column]
) -> Query | None:
    """The entity beside the others, in the target and in what may drive it."""
    names = [target.name, *(each.name for each in others)][:_COMPARED]
    asked = [contrast(scope.wide, names, each, scope.period) for each in scope.entities[:2]]
    return next(iter([each for each in asked if steps.query(each)]), None)


def _apart(steps: Steps, scope: TableScope, target: Column) -> None:
    """A chart of the target: of the entity over time, else by what the question names."""
    if scope.time is not None and scope.entities:
        steps.draw(course(scope.wide, [target.name], scope.time.name, scope.entities))
        return
    groups = [each for each in scope.groups if each.name != target.name]
    column = scope.wide.of(scope.entities[0].column) if scope.entities else None
    for each in [*groups, *filter(None, (column, main_group(scope)))][:1]:
        mean = figure(scope.wide, "average", target.name)
        by = scope.wide.expression(each.name)
        steps.draw(Chart(of=figures(scope.wide, [mean], by, end="high"), type="bar"))


def _of_class(steps: Steps, scope: TableScope, target: Column) -> None:
    """What tells the classes of a column apart."""
    wide = _around(scope, target)
    others = [c for c in wide.table.columns if c in scope.measures and c.name != target.name]
    steps.compute(model_of(wide, target), learn=True)
    tests = [difference_of(wide, each, target, scope.entities) for each in others[:2]]
    made = [each for each in tests if each is not None and steps.compute(each)]
    for each in made[:1]:
        steps.follow(each)
    steps.tell("key_drivers")
