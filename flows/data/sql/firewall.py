"""The SQL firewall: only one statement that reads known tables gets through, written anew."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlglot
from sqlglot import TokenType, exp
from sqlglot.errors import SqlglotError

from flows.data.physical import physical_parts
from flows.data.sql.functions import LABELS, TABLE_NAMES, refused_function
from flows.data.sql.resolve import check_columns
from flows.data.sql.writing import write
from flows.data.tables import Dialect, Table
from flows.errors import QueryRefused, nearest

# What it warns of is refused here; the warning itself would only stand in the way of a screen.
logging.getLogger("sqlglot").addHandler(logging.NullHandler())

_LONGEST_QUERY = 100_000
_MOST_NODES = 20_000
_MOST_TOKENS = 20_000
# sqlglot takes twice the time for some words with each level of brackets.
_DEEPEST = 60
_MOST_BRACKETS = 1000
_OPENING = (TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE)
_CLOSING = (TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END)
_SERVERS: tuple[Dialect, ...] = ("postgres", "mysql")
# Types whose values are read by an interpreter of their own, or that nobody here has checked.
_REFUSED_TYPES = (exp.DataType.Type.XML, exp.DataType.Type.USERDEFINED)

_TOO_DEEP = "the query is nested too deeply"
_PLAIN_NAME = re.compile(r"\w+")
_ROOTS = (exp.Select, exp.SetOperation, exp.Subquery, exp.Values)

# Everything a reading query consists of. Functions are judged in sql_functions.
_NODES: frozenset[type[exp.Expr]] = frozenset(
    {
        exp.Select, exp.Union, exp.Intersect, exp.Except, exp.Subquery, exp.Values, exp.With,
        exp.CTE, exp.From, exp.Join, exp.Lateral, exp.Table, exp.TableAlias, exp.TableSample,
        exp.Where, exp.Group, exp.Having, exp.Qualify, exp.Order, exp.Ordered, exp.Limit,
        exp.Fetch, exp.LimitOptions, exp.Offset, exp.Distinct, exp.Window, exp.WindowSpec,
        exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls, exp.Cube, exp.Rollup,
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
_MORE_NODES: dict[Dialect, frozenset[type[exp.Expr]]] = {
    "postgres": frozenset({exp.ByteString, exp.RawString}),
    "mysql": frozenset({exp.BitString, exp.JSONKeyValue}),
}


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
    *,
    foreign: bool = False,
) -> CheckedQuery:
    """Let a query through, or raise QueryRefused with the reason.

    `tables` are all tables there are, of every dialect; `physical` maps a table's name to the one
    that the database knows it by, where they differ. With `foreign` the tables of other dialects
    count too: they will be copied to where the query runs.
    """
    try:
        tree = parse_one(sql, dialect)
        _check_nodes(tree, dialect)
        used = _check_tables(tree, tables, dialect, physical or {}, foreign)
        check_columns(tree, used, dialect)
        if physical:
            _use_physical_names(tree, used, physical, dialect)
        text = _render(tree, dialect)
    except RecursionError as error:
        raise QueryRefused(_TOO_DEEP) from error
    read = {table.name.casefold(): table for table in used.values()}
    return CheckedQuery(text, dialect, tuple(read.values()))


def parse_one(sql: str, dialect: Dialect) -> exp.Expr:
    """The only statement of `sql`, or QueryRefused."""
    if len(sql) > _LONGEST_QUERY:
        raise QueryRefused(f"the query is longer than {_LONGEST_QUERY:,} characters")
    if "\x00" in sql:
        raise QueryRefused("the query holds a NUL character")
    try:
        _check_tokens(sqlglot.tokenize(sql, read=dialect), dialect)
        statements = [each for each in sqlglot.parse(sql, read=dialect) if each is not None]
    except SqlglotError as error:
        raise QueryRefused(
            f"this is not a query that {LABELS[dialect]} reads: {_first(error)}"
        ) from error
    except RecursionError as error:
        raise QueryRefused(_TOO_DEEP) from error
    if not statements:
        raise QueryRefused("there is no query")
    if len(statements) > 1:
        raise QueryRefused(f"one statement is allowed, these are {len(statements)}")
    return statements[0]


def _check_tokens(tokens: Sequence[Any], dialect: Dialect) -> None:
    """Refuse what would take the parser long, before it begins."""
    if len(tokens) > _MOST_TOKENS:
        raise QueryRefused("the query is too large")
    depth = indexed = 0
    for token in tokens:
        if dialect == "mysql" and any(each.startswith(("!", "M!")) for each in token.comments):
            raise QueryRefused("a comment that MySQL would run is not allowed in a query")
        depth += (token.token_type in _OPENING) - (token.token_type in _CLOSING)
        indexed += token.token_type == TokenType.L_BRACKET
        if depth > _DEEPEST or indexed > _MOST_BRACKETS:
            raise QueryRefused(_TOO_DEEP)


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
        if type(node) in _NODES or type(node) in _MORE_NODES.get(dialect, ()):
            _check_details(node, dialect)
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


def _check_details(node: exp.Expr, dialect: Dialect) -> None:
    if node.args.get("operation_modifiers"):
        raise QueryRefused(f"{node.args['operation_modifiers'][0]} is not allowed after SELECT")
    if dialect in _SERVERS and isinstance(node, exp.DataType) and node.this in _REFUSED_TYPES:
        raise QueryRefused(f"the type {node.sql(dialect)[:80]} is not allowed in a query")


def _check_tables(
    tree: exp.Expr,
    tables: Sequence[Table],
    dialect: Dialect,
    physical: Mapping[str, str],
    foreign: bool,
) -> dict[int, Table]:
    """The known table that each table node stands for, by the node's `id()`."""
    known = {table.name.casefold(): table for table in tables}
    by_place = _by_place(tables, dialect, physical)
    used = {}
    for node in tree.find_all(exp.Table):
        if not isinstance(node.this, exp.Identifier):
            _check_table_function(node, dialect)
            continue
        if node.args.get("db") or node.args.get("catalog"):
            table = None if node.catalog else by_place.get(_place(node.db, node.name))
            if table is None:
                raise QueryRefused(_with_schema(node, dialect, tables))
            node.set("db", None)
            used[id(node)] = table
            continue
        if _is_local(node):
            continue
        table = known.get(node.name.casefold())
        if table is None:
            raise QueryRefused(_unknown_table(node.name, tables))
        if table.dialect != dialect and not foreign:
            raise QueryRefused(_wrong_dialect(table, tables, dialect))
        used[id(node)] = table
    return used


def _by_place(
    tables: Sequence[Table], dialect: Dialect, physical: Mapping[str, str]
) -> dict[tuple[str, ...], Table]:
    """The tables of servers, by schema and name: so may queries name them too."""
    if dialect not in _SERVERS:
        return {}
    own = [table for table in tables if table.dialect == dialect and table.name in physical]
    return {_place(*physical_parts(physical[table.name], dialect)): table for table in own}


def _place(*parts: str) -> tuple[str, ...]:
    return tuple(each.casefold() for each in parts)


def _with_schema(node: exp.Table, dialect: Dialect, tables: Sequence[Table]) -> str:
    near = nearest(node.name, [table.name for table in tables])
    meant = f"; did you mean {near}?" if near else ""
    return f"a table is named without its schema: {node.sql(dialect=dialect)[:80]}{meant}"


def _check_table_function(node: exp.Table, dialect: Dialect) -> None:
    function = node.this
    if isinstance(function, (exp.GenerateSeries, exp.ExplodingGenerateSeries, exp.Unnest)):
        return
    is_named = dialect == "postgres" and isinstance(function, exp.Anonymous)
    if is_named and function.name.lower() in TABLE_NAMES:
        return
    shown = function.sql()[:80] if isinstance(function, exp.Expr) else "here"
    raise QueryRefused(f"the table function {shown} is not allowed")


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
    tree: exp.Expr, used: Mapping[int, Table], physical: Mapping[str, str], dialect: Dialect
) -> None:
    for node in tree.find_all(exp.Table):
        table = used.get(id(node))
        if table is None:
            continue
        *schema, name = physical_parts(physical.get(table.name, table.name), dialect)
        if not schema and name in (table.name, node.name):
            continue
        if not node.alias:
            # Quoted only where the query quotes it: PostgreSQL would fold other mentions of it.
            quoted = dialect not in _SERVERS or bool(node.this.args.get("quoted"))
            alias = exp.to_identifier(node.name, quoted=quoted)
            node.set("alias", exp.TableAlias(this=alias))
        node.set("this", exp.to_identifier(name, quoted=True))
        if schema:
            node.set("db", exp.to_identifier(schema[0], quoted=True))


def _render(tree: exp.Expr, dialect: Dialect) -> str:
    """The text that runs, which must read as what was checked."""
    try:
        sql = write(tree, dialect)
    except SqlglotError as error:
        raise QueryRefused(f"{LABELS[dialect]} cannot run this: {error}") from error
    try:
        again = parse_one(sql, dialect)
        _check_nodes(again, dialect)
    except QueryRefused as error:
        raise QueryRefused(f"the query cannot be written without changing it: {error}") from error
    if type(again) is not type(tree) or _read_tables(again) != _read_tables(tree):
        raise QueryRefused("the query cannot be written without changing it")
    return sql


def _read_tables(tree: exp.Expr) -> list[tuple[str, str]]:
    return sorted((node.db, node.name) for node in tree.find_all(exp.Table))


def _unknown_table(name: str, tables: Sequence[Table]) -> str:
    names = [table.name for table in tables]
    near = nearest(name, names)
    meant = f"; did you mean {near}?" if near else ""
    return f"there is no table {name}{meant} (tables: {', '.join(names[:30]) or 'none'})"


def _wrong_dialect(table: Table, tables: Sequence[Table], dialect: Dialect) -> str:
    others = ", ".join(each.name for each in tables if each.dialect == dialect) or "none"
    return (
        f"the table {table.name} is of the source {table.source}, which {LABELS[table.dialect]} "
        f"reads; this query is for {LABELS[dialect]}, whose tables are: {others}"
    )


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
