"""How hard a question is, by the query that answers it."""

from __future__ import annotations

import logging
from typing import Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

KINDS: Final = ("one table", "one join", "more joins", "grouped", "nested or set")
UNKNOWN: Final = "unknown"
_DIALECTS: Final = ("sqlite", "duckdb", "mysql", "postgres")

# What it warns of is no concern of who counts joins.
logging.getLogger("sqlglot").addHandler(logging.NullHandler())


def kind_of(sql: str) -> str:
    """One of `KINDS`, the hardest that fits; `unknown` for what cannot be parsed."""
    tree = _parsed(sql)
    if tree is None:
        return UNKNOWN
    if tree.find(exp.SetOperation) or len(list(tree.find_all(exp.Select))) > 1:
        return "nested or set"
    if tree.find(exp.Group):
        return "grouped"
    joins = len(list(tree.find_all(exp.Join)))
    return "one table" if not joins else "one join" if joins == 1 else "more joins"


def is_ordered(sql: str) -> bool:
    """Whether the outermost query says in which order its rows come."""
    tree = _parsed(sql)
    return tree is not None and tree.args.get("order") is not None


def _parsed(sql: str) -> exp.Expr | None:
    for dialect in _DIALECTS:
        try:
            tree = sqlglot.parse_one(sql, read=dialect)
        except (SqlglotError, RecursionError):
            continue
        return tree if isinstance(tree, exp.Query) else None
    return None
