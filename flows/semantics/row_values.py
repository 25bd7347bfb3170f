"""What single rows have of a metric."""

from __future__ import annotations

from flows.semantics.model import Metric
from flows.semantics.query import Aggregate, Expression


class NoRowHasIt(Exception):
    """A metric is asked for as if each row had it."""


def of_a_row(metric: Metric) -> Expression:
    """What a metric sums up of each row. Raises NoRowHasIt for one that rows do not have."""
    made = metric.definition
    if isinstance(made, Aggregate) and made.function == "sum" and made.of and not made.where:
        return made.of
    raise NoRowHasIt(f"{metric.name} is a figure of many rows, and no row has it")
