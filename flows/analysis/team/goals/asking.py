"""The tasks of a question that one query or one study answers."""

from __future__ import annotations

import re
from typing import Final

from flows.analysis.methods.read import read_study
from flows.analysis.methods.specification import Specification as Study
from flows.analysis.plan import Measure, Plan
from flows.analysis.reading.draft import is_numeric, is_time
from flows.analysis.reading.outcome import Reading, Unread
from flows.analysis.reading.read import read
from flows.analysis.team.goals.scope import Scope, field_of
from flows.analysis.team.goals.steps import PLOT, PYTHON, SQL, Steps
from flows.analysis.team.queries.origin import from_words
from flows.analysis.team.queries.planned import result_of
from flows.analysis.team.queries.wide import wides_of
from flows.analysis.team.queries.wording import condition_words, quoted
from flows.data.tables import Table


def plan_question(steps: Steps, scope: Scope, text: str) -> bool:
    """One query, with the question itself; a chart where its result has groups; insights."""
    task = text
    reading = read(task, steps.tables)
    if _not_grouped(scope, reading):
        return _for_each(steps, scope, text)
    if not isinstance(reading, Reading):
        reading = read(text, [scope.table])
        if not isinstance(reading, Reading) or len(scope.wide.tables) == 1:
            return False
        task = f"{text.rstrip(' ?.!')}{from_words(scope.wide.narrowed(_used(reading.plan)))}."
    if not steps.over(None, SQL, task):
        return False
    made = result_of(task, steps.tables)
    if made is not None and (reading.plan.groups or reading.plan.kind == "trend"):
        _drawn(steps, made)
    steps.insights(f"Generate insights that answer the question: {text}")
    return True


def _not_grouped(scope: Scope, reading: Reading | Unread) -> bool:
    """Whether a question wants something for each value of a column, and was read without it."""
    if not scope.by or not [each for each in scope.numbers if each not in scope.by]:
        return False
    groups = reading.plan.groups if isinstance(reading, Reading) else ()
    return scope.by[0].name not in {each.column for each in groups}


_AGGREGATES: Final = (
    ("total", r"\b(?:total|sum|overall)\b"), ("maximum", r"\b(?:maximum|highest)\b"),
    ("minimum", r"\b(?:minimum|lowest)\b"), ("median", r"\bmedian\b"),
)  # fmt: skip


def _for_each(steps: Steps, scope: Scope, text: str) -> bool:
    """What is named for each value of the column that it is wanted by."""
    by = scope.by[0]
    measure = next(each for each in scope.numbers if each not in scope.by)
    how = next((a for a, said in _AGGREGATES if re.search(said, text, re.IGNORECASE)), "average")
    names = [measure.name, by.name, *map(field_of, scope.filters)]
    origin, where = from_words(scope.wide.narrowed(names)), condition_words(scope.filters)
    name, group = quoted(measure.name), quoted(by.name)
    if not steps.over(None, SQL, f"Calculate the {how} {name} for each {group}{origin}{where}."):
        return False
    made = result_of(steps.steps[-1].description, steps.tables)
    if made is not None:
        value, first = made.columns[-1].name, made.columns[0].name
        steps.over(made, PLOT, f"Draw a bar chart of {quoted(value)} by {quoted(first)}.")
    steps.insights(f"Generate insights that answer the question: {text}")
    return True


def _used(plan: Plan) -> list[str]:
    """The columns that a plan over one table reads."""
    terms = [*plan.columns, *plan.groups, *(order.by for order in plan.order)]
    fields = [term.field if isinstance(term, Measure) else term for term in terms]
    tests = [test.field for each in plan.filters for test in each.conditions]
    return [each.column for each in (*fields, *tests) if each is not None]


def _drawn(steps: Steps, made: Table) -> None:
    """A chart of the first number by the first thing that is none."""
    numbers = [c for c in made.columns if is_numeric(c) and c.role == "measure"]
    labels = [c for c in made.columns if c not in numbers]
    times = [each for each in labels if each.role == "time"]
    if not numbers or not labels or len(times) > 1:  # a year and a month are no one axis
        return
    style = "line" if is_time(labels[0]) else "bar"
    value, by = quoted(numbers[0].name), quoted(labels[0].name)
    steps.over(made, PLOT, f"Draw a {style} chart of {value} by {by}.",
               f"Draw a bar chart of the average {value} by {by}.")  # fmt: skip


def plan_study(steps: Steps, scope: Scope, text: str) -> bool:
    """One statistic or picture, over the table that it is about."""
    del scope
    study = read_study(text, steps.tables)
    if not isinstance(study, Study):
        return False
    wide = next(each for each in wides_of(steps.tables) if each.base.name == study.table.name)
    steps.extract(wide.narrowed(()))
    if not steps.add(PYTHON, text):
        return False
    steps.insights(f"Generate insights that answer the question: {text}")
    return True
