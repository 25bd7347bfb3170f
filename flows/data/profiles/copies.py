"""Rows that repeat another one exactly, as of a file that was put together twice."""

from __future__ import annotations

from flows.data.profiles.duckdb_facts import Fetch
from flows.data.tables import Column, Table

# All rows of a table are compared up to this many.
_MOST_ROWS = 1_000_000
_NAMED = ("integer", "text")


def count_copies(profiled: Table, table: str, fetch: Fetch) -> int:
    """How many rows could be left out since another one is the same, if a column then told all rows
    apart; 0 where none does: rows without a name of their own may be equal and yet others.
    `table` is quoted. It is counted in files only, since not all types of servers can be compared.
    """
    names = [each for each in profiled.columns if _may_name(each)]
    if not names or profiled.rows > _MOST_ROWS or profiled.dialect not in ("duckdb", "sqlite"):
        return 0
    different = int(fetch(f"SELECT count(*) FROM (SELECT DISTINCT * FROM {table}) AS d")[0][0])
    copies = profiled.rows - different
    return copies if any(each.distinct == different for each in names) else 0


def _may_name(column: Column) -> bool:
    """Whether most values of a column that is no figure stand in one row."""
    filled = not column.missing and column.rows > 2 * (column.rows - column.distinct)
    return filled and column.type in _NAMED and column.role != "measure"
