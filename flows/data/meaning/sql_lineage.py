"""Follows the columns of a query back to those of its tables, through its subqueries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import Scope, build_scope

from flows.data.tables import Dialect, Table

# They give a value of their column, or a mean of its values: in the same unit.
_KEEP_UNIT = (
    exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Median, exp.Quantile, exp.PercentileCont,
    exp.Round, exp.Abs, exp.Coalesce, exp.Cast, exp.Paren, exp.Column, exp.Stddev, exp.StddevSamp,
    exp.Literal, exp.DataType, exp.Identifier, exp.Add, exp.Sub, exp.Neg, exp.FirstValue,
    exp.LastValue, exp.AnyValue,
)  # fmt: skip
_MOST_FOLLOWED = 2000
_MOST_NODES = 20_000


@dataclass(frozen=True, slots=True)
class Made:
    """A column of a result: `text` is how it was computed, "" for one that was only taken over;
    `sources` are the columns of tables that it was made from, `unit` what its values stay in."""

    text: str = ""
    sources: tuple[tuple[str, str], ...] = ()
    keeps_unit: bool = False


def made_columns(sql: str, dialect: Dialect, tables: Sequence[Table]) -> list[Made] | None:
    """What each column of the query's result was made from; None when that cannot be told."""
    schema: dict[str, object] = {
        table.name: {column.name: column.type for column in table.columns} for table in tables
    }
    try:
        tree = sqlglot.parse_one(sql, read=dialect)
        if sum(1 for _ in tree.walk()) > _MOST_NODES:
            return None
        whole = qualify(
            tree,
            dialect=dialect,
            schema=schema,
            validate_qualify_columns=False,
            quote_identifiers=False,
            identify=False,
        )
        scope = build_scope(whole)
        return None if scope is None else _Trace(dialect, tables).of_scope(scope)
    except (SqlglotError, RecursionError):  # whatever it is, it ran; only its origin is unknown
        return None


class _Trace:
    def __init__(self, dialect: Dialect, tables: Sequence[Table]) -> None:
        self.dialect = dialect
        self.left = _MOST_FOLLOWED
        self.tables: Mapping[str, Table] = {each.name.casefold(): each for each in tables}

    def of_scope(self, scope: Scope) -> list[Made]:
        branches = scope.set_operation_scopes or []
        if branches:
            made = [self.of_scope(each) for each in branches]
            return [_joined(each) for each in zip(*made, strict=True)]
        by = self._grouped(scope)
        return [self._made(each, scope, by) for each in _selects(scope)]

    def _made(self, selected: exp.Expr, scope: Scope, by: str) -> Made:
        inner = self._followed(selected.unalias(), scope)
        sources = self._sources(inner)
        if isinstance(inner, exp.Column) and sources:
            return Made(sources=sources)
        words = self._words(inner)
        homes = list(dict.fromkeys(table for table, _ in sources))
        if not homes:
            homes = [each.name for each in scope.tables if each.name.casefold() in self.tables]
        of = f" of {', '.join(homes)}" if homes else ""
        grouped = f", for each {by}" if by and inner.find(exp.AggFunc) is not None else ""
        keeps = all(isinstance(node, _KEEP_UNIT) for node in inner.walk())
        return Made(f"{words}{of}{grouped}", sources, keeps)

    def _followed(self, node: exp.Expr, scope: Scope) -> exp.Expr:
        """The expression with the columns of subqueries replaced by what these select."""
        whole = exp.Paren(this=node.copy())
        for column in list(whole.find_all(exp.Column)):
            source = scope.sources.get(column.table)
            if not isinstance(source, Scope):
                self._name_table(column, source)
                continue
            selected = _selected(source, column.name)
            if selected is not None and self.left > 0:
                self.left -= 1
                home = source.set_operation_scopes[0] if source.set_operation_scopes else source
                column.replace(_bracketed(self._followed(selected.unalias(), home)))
        followed: exp.Expr = whole.this
        return followed

    def _name_table(self, column: exp.Column, source: object) -> None:
        """Give a column the name of its table instead of the alias that the query uses."""
        name = source.name if isinstance(source, exp.Table) else column.table
        table = self.tables.get(name.casefold())
        if table is not None:
            column.set("table", exp.to_identifier(table.name))

    def _sources(self, node: exp.Expr) -> tuple[tuple[str, str], ...]:
        found: dict[tuple[str, str], None] = {}
        for column in node.find_all(exp.Column):
            table = self.tables.get(column.table.casefold())
            if table is not None:
                names = {each.name.casefold(): each.name for each in table.columns}
                name = names.get(column.name.casefold(), column.name)
                found[(table.name, name)] = None
        return tuple(found)

    def _words(self, node: exp.Expr) -> str:
        """The expression as text, with the columns' names alone."""
        shown = exp.Paren(this=node.unnest().copy())
        for alias in list(shown.find_all(exp.Alias)):
            alias.replace(alias.this)
        for table in shown.find_all(exp.Table):
            table.set("alias", None)
        several = len({table for table, _ in self._sources(node)}) > 1
        for column in list(shown.find_all(exp.Column)):
            name = f"{column.table}.{column.name}" if several and column.table else column.name
            column.replace(exp.Var(this=name))
        text = shown.this.sql(dialect=self.dialect, comments=False, normalize_functions="lower")
        return str(text)

    def _grouped(self, scope: Scope) -> str:
        """By what the rows are grouped: the names of the columns, else the expressions."""
        group = scope.expression.args.get("group")
        if group is None:
            inner = [each for each in scope.sources.values() if isinstance(each, Scope)]
            return self._grouped(inner[0]) if len(inner) == 1 and len(scope.sources) == 1 else ""
        keys = list(group.expressions)
        if group.args.get("all"):
            keys = [
                each.unalias() for each in _selects(scope)
                if each.find(exp.AggFunc) is None
            ]  # fmt: skip
        followed = [self._followed(each, scope) for each in keys]
        return " and ".join(
            self._words(each) for each in followed if each.find(exp.AggFunc) is None
        )


def _selects(scope: Scope) -> Sequence[exp.Expr]:
    """What a query selects; nothing for a source that is no query, such as VALUES."""
    return scope.expression.selects if isinstance(scope.expression, exp.Query) else ()


def _selected(scope: Scope, name: str) -> exp.Expr | None:
    """What a subquery selects under that name."""
    inner = scope.set_operation_scopes[0] if scope.set_operation_scopes else scope
    for each in _selects(inner):
        if each.alias_or_name.casefold() == name.casefold():
            return each
    return None


def _bracketed(node: exp.Expr) -> exp.Expr:
    plain = (exp.Column, exp.Literal, exp.Func, exp.Paren)
    return node if isinstance(node, plain) else exp.Paren(this=node)


def _joined(branches: Sequence[Made]) -> Made:
    """A column of a union: what its first query says, made from the columns of all."""
    first = branches[0]
    sources = tuple(dict.fromkeys(pair for each in branches for pair in each.sources))
    if len(sources) > 1 and not first.text:
        text = " and ".join(f"{table}.{column}" for table, column in sources)
        return Made(text, sources, keeps_unit=True)
    return Made(first.text, sources, all(each.keeps_unit for each in branches))
