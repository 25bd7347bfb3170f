"""The tasks of a question why a figure has changed, or is not what was planned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from flows.analysis.language.words import split_identifier, tokenize
from flows.analysis.methods.breakdown.arguments import breaks_down
from flows.analysis.methods.change.period import find_periods
from flows.analysis.methods.method import words
from flows.analysis.reading.draft import is_time
from flows.analysis.team.goals.builder import Restriction, analysis
from flows.analysis.team.goals.goal import Goal
from flows.analysis.team.goals.kinds import asks_change
from flows.analysis.team.goals.measure import TargetMeasure, is_summed
from flows.analysis.team.goals.periods import periods_of
from flows.analysis.team.goals.scope import TableScope
from flows.analysis.team.goals.steps import Steps
from flows.analysis.team.goals.wide_table import Wide
from flows.data.tables import Column
from flows.semantics.model import SemanticModel
from flows.semantics.request import Analysis

# What people call what was to be, and what has come of it.
_PLANNED: Final = words(
    "plan planned plans budget budgeted budgets target targets targeted quota "
    "quotas forecast forecasted goal expected scheduled estimate estimated"
)
_CAME: Final = words(
    "actual actuals real realised realized result results achieved spent spend "
    "sold reached done done effective"
)
_MOST_GROUPS, _GROUPED = 5, 30
_MEASURES, _FEW_ROWS = 3, 20


def plan_explained_change(
    steps: Steps, measure: TargetMeasure, wide: Wide, scope: TableScope, text: str
) -> bool:
    """The change between two periods, and where it lies."""
    if not asks_change(text) and not find_periods(text):
        return False
    times = [c for c in wide.base.columns if is_time(c) and c.name not in measure.made_of[1:]]
    if scope.time in wide.base.columns and scope.time is not None:
        times.insert(0, scope.time)
    for time in times:
        made = changes_of(measure, wide, time, scope, text, steps.model)
        if made is None:
            continue
        names = [measure.column, time.name, *made.fields("group")]
        where = [each for each in scope.filters if each.column != time.name]
        take_rows(steps, wide, where, names)
        if steps.compute(made):
            steps.tell_of(made)
            return True
    return False


def changes_of(
    measure: TargetMeasure, wide: Wide, time: Column, scope: TableScope, text: str,
    model: SemanticModel,
) -> Analysis | None:  # fmt: skip
    """The analysis of a change; None where it is not known between which periods."""
    how = {"average": "mean", "sum": "sum", "share": "share"}[measure.how]
    periods = periods_of(text, time, of_sum=how == "sum")
    if periods is None:
        return None
    groups = [
        c for c in dimensions_of(measure, wide, scope)
        if not is_time(c) and c.role in ("category", "boolean") and c.distinct <= _GROUPED
        and not (is_cleaned(time, wide, model) and wide.owner(c.name) != wide.base.name)
    ][:_MOST_GROUPS]  # fmt: skip
    where = [each for each in scope.filters if each.column != time.name]
    return analysis(
        "change", wide, where, fields=(measure.column,), time=time.name, how=how, yes=measure.yes,
        words=measure.words, before=str(periods[0]), period=str(periods[1]),
        group=tuple(c.name for c in groups),
    )  # fmt: skip


def dimensions_of(measure: TargetMeasure, wide: Wide, scope: TableScope) -> list[Column]:
    """The columns that a figure can be broken down by, the named ones first."""
    never = {measure.column, *measure.made_of, *(each.column for each in scope.entities)}
    able = [c for c in wide.table.columns if c.name not in never and breaks_down(c)]
    named = {each.name for each in (*scope.columns, *scope.by)}
    return sorted(able, key=lambda each: each.name not in named)


def take_rows(steps: Steps, wide: Wide, where: Sequence[Restriction], names: Sequence[str]) -> None:
    """Begin with rows where columns of several tables or computed ones are needed; else the table
    itself is worked on, with all that its model cleans."""
    own = all(wide.owner(each) == wide.base.name for each in names)
    if own and (wide.made is None or wide.made[0] not in names):
        steps.data = None
    else:
        steps.extract(wide, where, names)


def is_cleaned(time: Column, wide: Wide, model: SemanticModel) -> bool:
    """Whether times are texts, which only the table itself has as times."""
    dataset = model.dataset(wide.base.name)
    field = dataset.find(time.name) if dataset is not None else None
    return field is not None and bool(field.cleaning)


def plan_all_changes(steps: Steps, goal: Goal) -> str:
    """How each measure has changed between two periods, where a question names none: how that was
    understood, "" where it asks for something else."""
    if not asks_change(goal.text) or len(find_periods(goal.text)) < 2:
        return ""
    for scope in goal.scopes[:2]:
        time = scope.time
        if time is None or scope.numbers or time not in scope.wide.base.columns:
            continue
        own = [c for c in scope.measures if scope.wide.owner(c.name) == scope.wide.base.name]
        for column in [c for c in own if c.distinct > _FEW_ROWS][:_MEASURES]:
            summed = is_summed(column.name, scope.wide, goal.model)
            measure = TargetMeasure(scope.wide, column.name, "sum" if summed else "average")
            made = changes_of(measure, scope.wide, time, scope, goal.text, goal.model)
            if made is None:
                break
            where = [each for each in scope.filters if each.column != time.name]
            take_rows(steps, scope.wide, where, [time.name, column.name, *made.fields("group")])
            if steps.compute(made):
                steps.tell_of(made)
        if steps.steps:
            return "The question asks how the measures have changed."
    return ""


def plan_against(steps: Steps, goal: Goal) -> str:
    """What came beside what was planned, and where the difference lies: how the question was
    understood, "" where it asks for something else."""
    if not _PLANNED & {token.lower for token in tokenize(goal.text)}:
        return ""
    for scope in goal.scopes:
        pair = planned_and_actual(scope.wide)
        if pair is None:
            continue
        groups = [
            c for c in scope.wide.table.columns
            if c.role in ("category", "boolean") and 2 <= c.distinct <= _GROUPED
        ][:_MOST_GROUPS]  # fmt: skip
        planned, actual = pair
        names = [c.name for c in (planned, actual, *groups)]
        take_rows(steps, scope.wide, scope.filters, names)
        how = "sum" if is_summed(actual.name, scope.wide, goal.model) else "mean"
        asked = analysis(
            "change", scope.wide, scope.filters, fields=(actual.name,), against=planned.name,
            how=how, group=tuple(c.name for c in groups),
        )  # fmt: skip
        if asked is not None and steps.compute(asked):
            steps.tell_of(asked)
            return "The question asks what came beside what was planned."
    return ""


def planned_and_actual(wide: Wide) -> tuple[Column, Column] | None:
    """The two measures of a table of which one is what was planned for the other."""
    own = [c for c in wide.base.columns if c.role == "measure" and c.name in wide.home]
    for planned in own:
        words = set(split_identifier(planned.name))
        if not words & _PLANNED:
            continue
        rest = words - _PLANNED
        for actual in own:
            said = set(split_identifier(actual.name))
            if actual is not planned and not said & _PLANNED and said - _CAME == rest:
                return planned, actual
    return None
