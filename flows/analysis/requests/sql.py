"""The SQL of a query over tables."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.compiler import compile_query
from flows.analysis.compiler.preparation import compile_preparation
from flows.data.tables import Dialect, Table
from flows.semantics.calendar import today_of
from flows.semantics.model import SemanticModel
from flows.semantics.query import Query
from flows.semantics.request import Prepare
from flows.semantics.tree import parts


def sql_of(query: Query, model: SemanticModel, tables: Sequence[Table]) -> str:
    """The statement of a query that `check` accepts. Periods are counted from the today of
    the model. Raises LookupError where there is no table of one of its datasets."""
    return compile_query(
        query, model, dialect_of(query, tables), today=today_of(model.calendar, tables)
    )


def sql_of_prepared(prepare: Prepare, model: SemanticModel, tables: Sequence[Table]) -> str:
    """The statement of a preparation whose `then` is a query, as `sql_of`."""
    dialect = dialect_of(prepare, tables)
    return compile_preparation(prepare, model, dialect, today=today_of(model.calendar, tables))


def dialect_of(request: Query | Prepare, tables: Sequence[Table]) -> Dialect:
    """The dialect that a query is written in: tables of several sources meet in DuckDB."""
    known = {each.name: each for each in tables}
    named = [str(name) for each in parts(request) if (name := getattr(each, "dataset", ""))]
    missing = next((name for name in named if name not in known), None)
    if missing is not None:
        raise LookupError(f"there is no table {missing}")
    sources = {known[name].source for name in named}
    return known[request.dataset].dialect if len(sources) == 1 else "duckdb"
