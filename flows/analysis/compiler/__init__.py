"""A checked request to SQL, for DuckDB, SQLite, PostgreSQL and MySQL."""

from __future__ import annotations

from datetime import date

from sqlglot import exp

from flows.analysis.compiler.brevity import shorten
from flows.analysis.compiler.setting import StatementContext
from flows.analysis.compiler.statement import Statement
from flows.data.sql.writing import write
from flows.data.tables import Dialect
from flows.semantics.model import SemanticModel
from flows.semantics.query import Query

# The names of columns are the same on every day; periods before it are still in the calendar.
_ANY_DAY = date(2000, 1, 1)


def compile_query(
    query: Query, model: SemanticModel, dialect: Dialect, *, today: date | None = None
) -> str:
    """The SQL text of a query that `check` accepts.

    `today` is what periods are counted from; without it, the day that the model names, or else
    that of the clock.
    """
    return write(query_tree(query, model, dialect, today=today), dialect)


def query_tree(
    query: Query, model: SemanticModel, dialect: Dialect, *, today: date | None = None
) -> exp.Query:
    """The same as a tree."""
    setting = setting_for(model, dialect, today=today)
    return shorten(Statement(query, setting, inside=False).build(), model)


def setting_for(
    model: SemanticModel, dialect: Dialect, *, today: date | None = None
) -> StatementContext:
    """What the parts of a statement over a model are written with."""
    named = model.calendar.today
    day = today or (named if isinstance(named, date) else date.today())

    def nested(each: Query) -> exp.Query:
        return Statement(each, setting, inside=True).build()

    setting = StatementContext(model, dialect, day, nested)
    return setting


def result_columns(query: Query, model: SemanticModel) -> list[str]:
    """The names of the columns that the result of a query has."""
    setting = StatementContext(model, "duckdb", _ANY_DAY, lambda _: exp.select())
    return Statement(query, setting, inside=True).names


__all__ = ["compile_query", "query_tree", "result_columns", "setting_for"]
