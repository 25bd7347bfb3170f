"""Series: figures along a time."""

from __future__ import annotations

from flows.semantics.model import SemanticModel
from flows.semantics.query import Expression, FieldRef, Order, Period, Query


def is_series(query: Query, model: SemanticModel) -> bool:
    """Whether a query gives figures in the order of a time, which is its first group."""
    if not query.by or not query.metrics or query.rank is not None or query.transforms:
        return False
    return query.sort == (Order(by=query.by[0]),) and _is_time(query.by[0], model)


def _is_time(expression: Expression, model: SemanticModel) -> bool:
    if isinstance(expression, Period):
        return True
    if not isinstance(expression, FieldRef):
        return False
    dataset = model.dataset(expression.dataset)
    field = dataset.find(expression.field) if dataset else None
    return field is not None and (field.role == "time" or field.type in ("date", "timestamp"))
