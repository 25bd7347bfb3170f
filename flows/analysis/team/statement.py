"""The SQL of a query that is a task."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Final

from sqlglot import exp

from flows.analysis.compiler import query_tree, result_columns
from flows.analysis.compiler.names import expression_name
from flows.data.sql.writing import write
from flows.data.tables import Dialect, Table
from flows.semantics.calendar import today_of
from flows.semantics.model import SemanticModel
from flows.semantics.query import Aggregate, Query

# Dialects in which the spread of a column is one function.
_SPREAD: Final = ("duckdb", "postgres", "mysql")
FEATURE, OWN, OTHERS, SPREAD = "feature", "own", "others", "std"


def statement(query: Query, model: SemanticModel, tables: Sequence[Table]) -> str:
    """The statement of a query. Raises LookupError where there is no table of its dataset."""
    table = next((each for each in tables if each.name == query.dataset), None)
    if table is None:
        raise LookupError(f"there is no table {query.dataset}")
    today = today_of(model.calendar, tables)
    if is_contrast(query):
        return write(_contrast(query, model, table.dialect, today), table.dialect)
    return write(query_tree(query, model, table.dialect, today=today), table.dialect)


def is_contrast(query: Query) -> bool:
    """Whether it is one row of figures of two scopes: it is laid out by figures."""
    return query.compare is not None and not query.by


def columns_of_contrast(dialect: Dialect) -> list[str]:
    """The names of the columns in which two scopes are laid out."""
    return [FEATURE, OWN, OTHERS, *([SPREAD] if dialect in _SPREAD else [])]


def feature_name(metric: object, model: SemanticModel) -> str:
    """What a figure of two scopes is of."""
    of = metric.of if isinstance(metric, Aggregate) else None
    return expression_name(of or metric, model)  # type: ignore[arg-type]


def _contrast(
    query: Query, model: SemanticModel, dialect: Dialect, today: date | None
) -> exp.Query:
    """A row for each figure: of the one scope, of the other, and how far values are spread."""
    parts = []
    for metric in query.metrics:
        metrics: tuple[Aggregate, ...] = ()
        if dialect in _SPREAD and isinstance(metric, Aggregate):
            metrics = (metric.model_copy(update={"function": "deviation"}),)
        one = query.model_copy(update={"metrics": (metric,)})
        plain = Query(dataset=query.dataset, metrics=metrics, where=query.where)
        names = result_columns(one, model)
        inner = query_tree(one, model, dialect, today=today).subquery("sides")
        tree = exp.select(
            exp.alias_(exp.Literal.string(feature_name(metric, model)), FEATURE, quoted=True),
            exp.alias_(exp.column(names[0], quoted=True), OWN, quoted=True),
            exp.alias_(exp.column(names[1], quoted=True), OTHERS, quoted=True),
        ).from_(inner)
        if metrics:
            spread = query_tree(plain, model, dialect, today=today).subquery()
            tree = tree.select(exp.alias_(spread, SPREAD, quoted=True))
        parts.append(tree)
    whole: exp.Query = parts[0]
    for each in parts[1:]:
        whole = exp.union(whole, each, distinct=False, copy=False)
    return whole
