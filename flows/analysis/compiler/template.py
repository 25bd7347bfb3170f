"""Pieces of SQL of one dialect, filled with expressions."""

from __future__ import annotations

from functools import lru_cache

import sqlglot
from sqlglot import exp

from flows.data.tables import Dialect

_LOOSE = (exp.Binary, exp.Unary, exp.Between, exp.In, exp.Case)


@lru_cache(maxsize=500)
def _parsed(text: str, dialect: Dialect) -> exp.Expr:
    return sqlglot.parse_one(text, read=dialect)


def fill(text: str, dialect: Dialect, **values: exp.Expr) -> exp.Expr:
    """The tree of a piece of SQL, with `_name` in it replaced by the value of that name."""

    def put(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column) and not node.table and node.name.startswith("_"):
            value = values[node.name[1:]].copy()
            return wrap(value) if isinstance(node.parent, _LOOSE) else value
        return node

    return _parsed(text, dialect).copy().transform(put)


def wrap(value: exp.Expr) -> exp.Expr:
    """A value that keeps together beside an operator."""
    loose = isinstance(value, (exp.Binary, exp.Not, exp.Neg, exp.Between, exp.In, exp.Connector))
    return exp.paren(value, copy=False) if loose and not isinstance(value, exp.Dot) else value


def name(text: str) -> exp.Identifier:
    return exp.to_identifier(text, quoted=True)


def column(text: str, table: str = "") -> exp.Column:
    return exp.Column(this=name(text), table=name(table) if table else None)


def text(value: str) -> exp.Literal:
    return exp.Literal.string(value)


def both(tests: list[exp.Expr]) -> exp.Expr:
    """All of some tests."""
    return exp.and_(*tests, copy=False) if len(tests) > 1 else tests[0]
