"""The tasks of a question about a metric of the model, which is computed as it is declared."""

from __future__ import annotations

from datetime import date
from typing import Final

from flows.analysis.reading.outcome import Reading
from flows.analysis.team.goals.development import growth_of
from flows.analysis.team.goals.goal import Goal
from flows.analysis.team.goals.kinds import kinds_of
from flows.analysis.team.goals.single_request import draw_first
from flows.analysis.team.goals.steps import Steps
from flows.data.tables import Column
from flows.semantics.kinds import with_evidence
from flows.semantics.model import Dataset, Metric
from flows.semantics.query import FieldRef, Grain, MetricRef, Order, Period, Query
from flows.semantics.tree import parts

# The days that a time spans at least for a course by years, and by months.
_SPANS: Final[tuple[tuple[Grain, int], ...]] = (("year", 4 * 365), ("month", 90))


def plan_metric(steps: Steps, goal: Goal) -> bool:
    """Its course in time, where that is asked for; else the query that was read, if it is one of
    the metric."""
    metric = goal.metric
    if metric is None:
        return False
    if "trend" in kinds_of(goal.text) and (course := _course(metric, goal)) is not None:
        if not steps.query(course):
            return False
        steps.compute(growth_of(course, steps), over=course)
        draw_first(steps, course)
        steps.tell("growth")
        return True
    asked = _read(goal)
    if asked is None or MetricRef(metric=metric.name) not in parts(asked) or not steps.query(asked):
        return False
    draw_first(steps, asked)
    steps.tell_of(asked)
    return True


def metric_words(goal: Goal) -> str:
    """How the question was understood, in a sentence."""
    assert goal.metric is not None
    said = goal.metric.description or "as the semantic model has it"
    return f'The question asks for the metric "{goal.metric.name}", {said}.'


def _read(goal: Goal) -> Query | None:
    if not isinstance(goal.reading, Reading):
        return None
    return with_evidence(goal.reading.query, goal.model)


def _course(metric: Metric, goal: Goal) -> Query | None:
    """The metric by periods of its dataset's time."""
    dataset = goal.model.dataset(metric.dataset)
    time = dataset.find(dataset.time) if dataset and dataset.time else None
    if dataset is None or time is None:
        return None
    of = FieldRef(dataset=dataset.name, field=time.name)
    dated = time.type in ("date", "timestamp")
    by = Period(of=of, grain=_grain(_column(dataset, goal))) if dated else of
    figure = MetricRef(metric=metric.name)
    return Query(dataset=dataset.name, metrics=(figure,), by=(by,), sort=(Order(by=by),))


def _column(dataset: Dataset, goal: Goal) -> Column:
    table = next(each for each in goal.tables if each.name == dataset.name)
    return next(each for each in table.columns if each.name == dataset.time)


def _grain(time: Column) -> Grain:
    """The longest period of which the data hold several."""
    try:
        ends = [date.fromisoformat(str(each)[:10]) for each in (time.minimum, time.maximum)]
    except ValueError:
        return "month"
    days = (ends[1] - ends[0]).days
    return next((grain for grain, least in _SPANS if days >= least), "day")
