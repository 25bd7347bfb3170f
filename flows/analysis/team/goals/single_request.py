"""The tasks of a question that one query or one analysis answers."""

from __future__ import annotations

import re
from typing import Final

from pydantic import BaseModel

from flows.analysis.reading.draft import is_numeric, is_time
from flows.analysis.reading.outcome import Reading, Unread
from flows.analysis.reading.reader import read
from flows.analysis.team.goals.builder import figure, figures, rows
from flows.analysis.team.goals.goal import Goal
from flows.analysis.team.goals.scope import TableScope
from flows.analysis.team.goals.steps import Steps
from flows.analysis.team.goals.wide_table import Wide, wides_of
from flows.analysis.team.results import profile_of
from flows.semantics.kinds import fields_in, with_evidence
from flows.semantics.query import FieldRef, Function, Query
from flows.semantics.request import Analysis, Chart
from flows.semantics.tables import model_of_result
from flows.semantics.tree import changed

_AGGREGATES: Final[tuple[tuple[Function, str], ...]] = (
    ("sum", r"\b(?:total|sum|overall)\b"), ("maximum", r"\b(?:maximum|highest)\b"),
    ("minimum", r"\b(?:minimum|lowest)\b"), ("median", r"\bmedian\b"),
)  # fmt: skip


def plan_query(steps: Steps, scope: TableScope, goal: Goal) -> bool:
    """One query, the question itself; a chart where its result has groups; insights."""
    asked = _for_each(scope, goal) if _not_grouped(scope, goal.reading) else _read(scope, goal)
    if asked is None:
        return False
    asked = with_evidence(asked, steps.model)
    if not steps.query(asked):
        return False
    draw_first(steps, asked)
    steps.tell_of(asked)
    return True


def _read(scope: TableScope, goal: Goal) -> Query | None:
    """The query of the question: over the tables, else over one with what its rows belong to."""
    if isinstance(goal.reading, Reading):
        return with_evidence(goal.reading.query, goal.model)
    if len(scope.wide.tables) == 1:
        return None
    reading = read(goal.text, [scope.table], model_of_result(scope.table))
    return None if isinstance(reading, Unread) else _spread(reading.query, scope.wide)


def _spread(query: Query, wide: Wide) -> Query:
    """A query over a wide table as one over the tables that it is made of."""
    return changed(query, lambda node: _home(node, wide))


def _home(node: BaseModel, wide: Wide) -> BaseModel:
    named = isinstance(node, FieldRef) and node.field in wide.home
    return wide.expression(node.field) if named and isinstance(node, FieldRef) else node


def _not_grouped(scope: TableScope, reading: Reading | Unread) -> bool:
    """Whether a question wants something for each value of a column, and was read without it."""
    if not scope.by or not [each for each in scope.numbers if each not in scope.by]:
        return False
    groups = reading.query.by if isinstance(reading, Reading) else ()
    return not any(ref.field == scope.by[0].name for each in groups for ref in fields_in(each))


def _for_each(scope: TableScope, goal: Goal) -> Query:
    """What is named for each value of the column that it is wanted by."""
    measure = next(each for each in scope.numbers if each not in scope.by)
    said = (a for a, pattern in _AGGREGATES if re.search(pattern, goal.text, re.IGNORECASE))
    how: Function = next(said, "average")
    by = scope.wide.expression(scope.by[0].name)
    return figures(scope.wide, [figure(scope.wide, how, measure.name)], by, scope.filters)


def draw_first(steps: Steps, asked: Query) -> None:
    """A chart of the first number by the first thing that is none."""
    if not asked.by:
        return
    made = profile_of(asked, steps.tables, steps.model)
    numbers = [c for c in made.columns if is_numeric(c) and c.role == "measure"]
    labels = [c for c in made.columns if c not in numbers]
    times = [each for each in labels if each.role == "time"]
    if not numbers or not labels or len(times) > 1:  # a year and a month are no one axis
        return
    steps.draw(Chart(of=asked, type="line" if is_time(labels[0]) else "bar"), over=asked)


def plan_analysis(steps: Steps, goal: Goal) -> bool:
    """One statistic or picture, over the table that it is about."""
    study = goal.study
    if study is None or isinstance(study, Unread):
        return False
    wide = next(
        each for each in wides_of(steps.tables, goal.model) if each.base.name == study.table.name
    )
    base = Wide((wide.base,), wide.base, {c.name: (wide.base.name, c.name)
                                          for c in wide.base.columns})  # fmt: skip
    asked = study.request
    if isinstance(asked, Chart):
        done = steps.query(rows(base)) and steps.draw(asked, over=rows(base))
    else:
        steps.extract(base)
        done = steps.compute(asked)
    if done:
        steps.tell(*([asked.method] if isinstance(asked, Analysis) else []))
    return done
