"""Figures of some of the rows: a figure with a condition of its own."""

from __future__ import annotations

from flows.analysis.questions.draft import Impossible
from flows.semantics.model import SemanticModel
from flows.semantics.query import (
    Aggregate,
    Arithmetic,
    Constant,
    Expression,
    MetricRef,
    Predicate,
    conjunction,
)


def within(figure: Expression, where: Predicate, model: SemanticModel) -> Expression:
    """The same figure of only the rows for which a condition holds."""
    match figure:
        case Aggregate() if figure.function == "share" or figure.dataset:
            raise Impossible("the figure is one of other rows already")
        case Aggregate():
            return figure.model_copy(update={"where": conjunction([figure.where, where])})
        case Arithmetic():
            left, right = within(figure.left, where, model), within(figure.right, where, model)
            return figure.model_copy(update={"left": left, "right": right})
        case Constant():
            return figure
        case MetricRef():
            metric = model.metric(figure.metric)
            if metric is not None and isinstance(metric.definition, Aggregate | Arithmetic):
                return within(metric.definition, where, model)
    raise Impossible("the figure is not one of rows")


def percentage(part: Expression, whole: Expression) -> Expression:
    """How many percent of a whole a part is."""
    ratio = Arithmetic(operator="/", left=part, right=whole)
    return Arithmetic(operator="*", left=Constant(value=100), right=ratio)


def is_difference(figure: Expression, model: SemanticModel) -> bool:
    """Whether a figure is what is left of one figure of a row after taking away another."""
    if isinstance(figure, MetricRef):
        metric = model.metric(figure.metric)
        made = None if metric is None else metric.definition
        return isinstance(made, Aggregate | Arithmetic) and is_difference(made, model)
    below = figure.of if isinstance(figure, Aggregate) else figure
    return isinstance(below, Arithmetic) and below.operator == "-"


def is_additive(figure: Expression, model: SemanticModel) -> bool:
    """Whether the figures of parts sum up to that of the whole."""
    if isinstance(figure, MetricRef):
        metric = model.metric(figure.metric)
        return metric is not None and metric.additive != "none"
    return isinstance(figure, Aggregate) and figure.function in ("count", "sum", "count distinct")
