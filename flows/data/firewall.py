"""The SQL firewall: only one statement that reads known tables gets through, written anew."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.errors import ErrorLevel, SqlglotError

from flows.data.resolve import check_columns
from flows.data.sql_functions import refused_function
from flows.data.tables import Dialect, Table
from flows.errors import QueryRefused, nearest

# What it warns of is refused here; the warning itself would only stand in the way of a screen.
logging.getLogger("sqlglot").addHandler(logging.NullHandler())

_LONGEST_QUERY = 100_000
_MOST_NODES = 20_000

_PLAIN_NAME = re.compile(r"\w+")
_ROOTS = (exp.Select, exp.SetOperation, exp.Subquery, exp.Values)

# Everything a reading query consists of. Functions are judged in sql_functions.
_NODES: frozenset[type[exp.Expr]] = frozenset(
    {
        exp.Select, exp.Union, exp.Intersect, exp.Except, exp.Subquery, exp.Values, exp.With,
        exp.CTE, exp.From, exp.Join, exp.Lateral, exp.Table, exp.TableAlias, exp.TableSample,
        exp.Where, exp.Group, exp.Having, exp.Qualify, exp.Order, exp.Ordered, exp.Limit,
        exp.Fetch, exp.Offset, exp.Distinct, exp.Window, exp.WindowSpec, exp.Filter,
        exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls, exp.Cube, exp.Rollup,
        exp.GroupingSets, exp.Column, exp.Identifier, exp.Star, exp.Alias, exp.Aliases, exp.Dot,
        exp.Literal, exp.Boolean, exp.Null, exp.Tuple, exp.Paren, exp.Var, exp.Interval,
        exp.IntervalSpan, exp.DataType, exp.DataTypeParam, exp.ColumnDef, exp.Lambda, exp.Kwarg,
        exp.PropertyEQ, exp.Slice, exp.Bracket, exp.National, exp.HexString,
        # operators
        exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Neg, exp.DPipe, exp.EQ, exp.NEQ,
        exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Is, exp.In, exp.Between, exp.Like, exp.ILike,
        exp.Glob, exp.Mod, exp.SimilarTo,
        exp.Escape, exp.Not, exp.Any, exp.All, exp.NullSafeEQ, exp.NullSafeNEQ, exp.BitwiseAnd,
        exp.BitwiseOr, exp.BitwiseXor, exp.BitwiseNot, exp.BitwiseLeftShift,
        exp.BitwiseRightShift, exp.AtTimeZone, exp.JSONPath, exp.JSONPathRoot, exp.JSONPathKey,
        exp.JSONPathSubscript, exp.JSONPathWildcard,
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class CheckedQuery:
    """A query that may run. `sql` is written from the parsed tree; `tables` is what it reads."""

    sql: str
    dialect: Dialect
    tables: tuple[Table, ...]


def check_query(
    sql: str,
    tables: Sequence[Table],
    dialect: Dialect,
    physical: Mapping[str, str] | None = None,
) -> CheckedQuery:
    """Let a query through, or raise QueryRefused with the reason.

    `tables` are all tables there are, of every dialect; `physical` maps a table's name to the one
    that the database knows it by, where they differ.
    """
    tree = parse_one(sql, dialect)
    _check_nodes(tree, dialect)
    used = _check_tables(tree, tables, dialect)
    check_columns(tree, used, dialect)
    if physical:
        _use_physical_names(tree, used, physical)
    read = {table.name.casefold(): table for table in used.values()}
    return CheckedQuery(_render(tree, dialect), dialect, tuple(read.values()))


def parse_one(sql: str, dialect: Dialect) -> exp.Expr:
    """The only statement of `sql`, or QueryRefused."""
    if len(sql) > _LONGEST_QUERY:
        raise QueryRefused(f"the query is longer than {_LONGEST_QUERY:,} characters")
    if "\x00" in sql:
        raise QueryRefused("the query holds a NUL character")
    try:
        statements = [each for each in sqlglot.parse(sql, read=dialect) if each is not None]
    except SqlglotError as error:
        raise QueryRefused(
            f"this is not a query that {_label(dialect)} reads: {_first(error)}"
        ) from error
    except RecursionError as error:
        raise QueryRefused("the query is nested too deeply") from error
    if not statements:
        raise QueryRefused("there is no query")
    if len(statements) > 1:
        raise QueryRefused(f"one statement is allowed, these are {len(statements)}")
    return statements[0]


def table_names(tree: exp.Expr) -> list[str]:
    """The names of the tables that a query reads, those of its own WITH clauses left out."""
    return [node.name for node in tree.find_all(exp.Table) if not _is_local(node)]


def _check_nodes(tree: exp.Expr, dialect: Dialect) -> None:
    if not isinstance(tree, _ROOTS):
        raise QueryRefused(f"only queries that read are allowed, not {_statement(tree)}")
    for number, node in enumerate(tree.walk()):
        if number > _MOST_NODES:
            raise QueryRefused("the query is too large")
        if isinstance(node, (exp.Identifier, exp.Var)) and not _PLAIN_NAME.fullmatch(node.name):
            _check_name(node)
        if type(node) in _NODES:
            continue
        if not isinstance(node, exp.Func):
            raise QueryRefused(f"{_statement(node)} is not allowed in a query")
        reason = refused_function(node, dialect)
        if reason is not None:
            raise QueryRefused(reason)


def _check_name(node: exp.Expr) -> None:
    """Quote a name that databases could split into words, at a space that is not ASCII."""
    if isinstance(node, exp.Var):
        raise QueryRefused(f"the word {node.name[:80]!r} is not allowed in a query")
    node.set("quoted", True)


def _check_tables(tree: exp.Expr, tables: Sequence[Table], dialect: Dialect) -> dict[int, Table]:
    """The known table that each table node stands for, by the node's `id()`."""
    known = {table.name.casefold(): table for table in tables}
    used = {}
    for node in tree.find_all(exp.Table):
        if not isinstance(node.this, exp.Identifier):
            _check_table_function(node)
            continue
        if node.args.get("db") or node.args.get("catalog"):
            raise QueryRefused(f"a table is named without its schema: {node.sql(dialect=dialect)}")
        if _is_local(node):
            continue
        table = known.get(node.name.casefold())
        if table is None:
            raise QueryRefused(_unknown_table(node.name, tables))
        if table.dialect != dialect:
            raise QueryRefused(_wrong_dialect(table, tables, dialect))
        used[id(node)] = table
    return used


def _check_table_function(node: exp.Table) -> None:
    if not isinstance(node.this, (exp.GenerateSeries, exp.Unnest)):
        raise QueryRefused(f"the table function {node.this.sql()[:80]} is not allowed")


def _is_local(node: exp.Table) -> bool:
    """Whether a WITH clause that encloses this table names it."""
    if node.args.get("db") or not isinstance(node.this, exp.Identifier):
        return False
    name = node.name.casefold()
    around = node.parent
    while around is not None:
        clause = around.args.get("with_")
        if clause is not None and any(cte.alias.casefold() == name for cte in clause.expressions):
            return True
        around = around.parent
    return False


def _use_physical_names(
    tree: exp.Expr, used: Mapping[int, Table], physical: Mapping[str, str]
) -> None:
    for node in tree.find_all(exp.Table):
        table = used.get(id(node))
        if table is None or physical.get(table.name, table.name) == table.name:
            continue
        if not node.alias:
            node.set("alias", exp.TableAlias(this=exp.to_identifier(node.name, quoted=True)))
        node.set("this", exp.to_identifier(physical[table.name], quoted=True))


def _render(tree: exp.Expr, dialect: Dialect) -> str:
    try:
        sql = tree.sql(dialect=dialect, comments=False, unsupported_level=ErrorLevel.RAISE)
    except SqlglotError as error:
        raise QueryRefused(f"{_label(dialect)} cannot run this: {error}") from error
    # What was written must read as what was checked.
    again = parse_one(sql, dialect)
    if type(again) is not type(tree):
        raise QueryRefused("the query cannot be written without changing it")
    return sql


def _unknown_table(name: str, tables: Sequence[Table]) -> str:
    names = [table.name for table in tables]
    near = nearest(name, names)
    meant = f"; did you mean {near}?" if near else ""
    return f"there is no table {name}{meant} (tables: {', '.join(names[:30]) or 'none'})"


def _wrong_dialect(table: Table, tables: Sequence[Table], dialect: Dialect) -> str:
    others = ", ".join(each.name for each in tables if each.dialect == dialect) or "none"
    return (
        f"the table {table.name} is of the source {table.source}, which {_label(table.dialect)} "
        f"reads; this query is for {_label(dialect)}, whose tables are: {others}. "
        "One query cannot read both"
    )


def _label(dialect: Dialect) -> str:
    return {"duckdb": "DuckDB", "sqlite": "SQLite"}[dialect]


def _statement(node: exp.Expr) -> str:
    if isinstance(node, exp.Command):
        return str(node.this).upper()
    return type(node).__name__.upper()


def _first(error: SqlglotError) -> str:
    found = getattr(error, "errors", None)
    if not found:
        return "it cannot be split into words"
    first = found[0]
    return f"{first['description']} (line {first['line']}, column {first['col']})"
