"""What single rows have of a metric."""

from __future__ import annotations

from flows.semantics.model import Conversion, Cumulative, Metric, SemanticModel
from flows.semantics.query import Aggregate, Arithmetic, Expression, MetricRef


class NoRowHasIt(Exception):
    """A metric is asked for as if each row had it."""


def row_value(metric: Metric, model: SemanticModel) -> Expression:
    """What each row adds to a metric: what it sums up, or the difference of what two metrics sum
    up. Raises NoRowHasIt as `of_a_row`."""
    return _row_value(metric.definition, metric, model)


def _row_value(
    made: Expression | Cumulative | Conversion, metric: Metric, model: SemanticModel
) -> Expression:
    if isinstance(made, MetricRef) and (other := model.metric(made.metric)) is not None:
        return row_value(other, model)
    if isinstance(made, Aggregate):
        return of_a_row(metric.model_copy(update={"definition": made}))
    if isinstance(made, Arithmetic) and made.operator in ("+", "-"):
        sides = {at: _row_value(each, metric, model)
                 for at, each in (("left", made.left), ("right", made.right))}  # fmt: skip
        return made.model_copy(update=sides)
    raise NoRowHasIt(f"{metric.name} is a figure of many rows, and no row has it")


def of_a_row(metric: Metric) -> Expression:
    """What a metric sums up of each row. Raises NoRowHasIt for one that rows do not have."""
    made = metric.definition
    if isinstance(made, Aggregate) and made.function == "sum" and made.of and not made.where:
        return made.of
    raise NoRowHasIt(f"{metric.name} is a figure of many rows, and no row has it")
