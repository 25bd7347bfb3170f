"""Expressions of fields and metrics between SQL, which files have, and trees, which a model has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from flows.errors import ConfigError, Place
from flows.semantics.formats.sql_text import Unsayable, as_sql, quoted
from flows.semantics.formats.sql_trees import SAYABLE, ExpressionNames, SqlTreeReader, sql_tree
from flows.semantics.query import Expression, Predicate

__all__ = [
    "DIALECTS",
    "SAYABLE",
    "Unsayable",
    "as_sql",
    "parse_condition",
    "parse_expression",
    "parse_one_of",
    "quoted",
]

# The dialects of Apache Ossie that are SQL, with their names in sqlglot, the best known first. The
# others (MDX, TABLEAU, MAQL, DAX and more) are languages of their own.
DIALECTS: Final = {
    "ANSI_SQL": "", "OSSIE_SQL_2026": "", "SNOWFLAKE": "snowflake", "DATABRICKS": "databricks",
    "BIGQUERY": "bigquery",
}  # fmt: skip


def parse_expression(text: str, dialect: str, names: ExpressionNames, place: Place) -> Expression:
    """The tree of a value in SQL. `dialect` is one of sqlglot.

    Raises ConfigError at the place for what is no SQL or names nothing, Unsayable for SQL that
    trees have no words for.
    """
    return SqlTreeReader(names).expression(sql_tree(text, dialect, place))


def parse_condition(text: str, dialect: str, names: ExpressionNames, place: Place) -> Predicate:
    """The tree of a condition in SQL, as `parse_expression` for a value."""
    return SqlTreeReader(names).predicate(sql_tree(text, dialect, place))


def parse_one_of(
    texts: Sequence[tuple[str, str, Place]], names: ExpressionNames, place: Place
) -> Expression:
    """The tree of the first of several texts, each with its dialect in Ossie, that has one.

    Raises Unsayable where none of them has, and ConfigError as `parse_expression`.
    """
    held = {dialect: (text, where) for dialect, text, where in texts}
    reasons = []
    for dialect, name in DIALECTS.items():
        if dialect not in held:
            continue
        text, where = held[dialect]
        try:
            return parse_expression(text, name, names, where)
        except Unsayable as error:
            reasons.append(f"{error} cannot be said here")
    if not reasons:
        if not held:
            raise ConfigError("an expression has at least one dialect", place=place)
        raise Unsayable(f"it is written in {', '.join(held)} only, which are not SQL")
    raise Unsayable(reasons[0])
