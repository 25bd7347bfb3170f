"""Rows that a join leaves out since they have no partner in the other table."""

from __future__ import annotations

from collections.abc import Sequence

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from flows.data.tables import Table

# What chooses, groups or counts rows in other ways than a join does.
_MORE = ("where", "group", "having", "qualify", "limit", "offset", "distinct")


def rows_without_partner(sql: str, tables: Sequence[Table], total: int) -> str:
    """How many rows of its first table a query that only joins leaves out, in words; empty where
    its `total` rows are all of them, and for a query of another kind."""
    for dialect in dict.fromkeys(each.dialect for each in tables):
        try:
            tree = sqlglot.parse_one(sql, read=dialect)
        except SqlglotError:
            continue
        first = tree.args.get("from_") if isinstance(tree, exp.Select) else None
        joins = tree.args.get("joins") or []
        more = any(tree.args.get(each) for each in _MORE)
        if first is None or not joins or more or tree.find(exp.AggFunc, exp.Subquery):
            return ""
        base = next((each for each in tables if each.name == first.this.name), None)
        if base is None or total >= base.rows:
            return ""
        others = ", ".join(each.this.name for each in joins)
        return (f"{base.rows - total:,} of {base.rows:,} rows of {base.name} are left out: they "
                f"have no partner in {others}.")  # fmt: skip
    return ""
