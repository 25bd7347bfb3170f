"""The parts of a query that say which rows it needs."""

from __future__ import annotations

from collections.abc import Iterator

from flows.semantics.kinds import parts
from flows.semantics.node import Node
from flows.semantics.query import Aggregate, Expression, Query


def joining(query: Query) -> Iterator[Node]:
    """All the parts of a query that name fields of its rows."""
    yield from (*query.by, *query.metrics, *query.show, *query.identity)
    yield from (each for each in (query.where, query.having) if each is not None)
    yield from query.transforms
    if query.compare is not None:
        yield query.compare
    yield from query.sort
    if query.rank is not None:
        yield query.rank


def referring(expression: Expression, dataset: str) -> Expression:
    """The same figures, of the rows of another dataset that refer to those of the query."""
    if isinstance(expression, Aggregate):
        return expression.model_copy(update={"dataset": dataset})
    changed = {
        place: referring(part, dataset)  # type: ignore[arg-type]
        for place, part in parts(expression)
        if place in ("of", "left", "right")
    }
    return expression.model_copy(update=changed)
