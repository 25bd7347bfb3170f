"""The names that tables have as data frames, for Python code."""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence

from flows.data.tables import Table


def frame_names(tables: Sequence[Table]) -> dict[str, Table]:
    """The tables by the variables that they are data frames under: names made into identifiers.

    Where two would be the same, the source stands before it; where that helps not, a number after.
    """
    plain = [_identifier(table.name) for table in tables]
    found: dict[str, Table] = {}
    for table, name in zip(tables, plain, strict=True):
        whole = f"{_identifier(table.source)}_{name}" if plain.count(name) > 1 else name
        free, number = whole, 2
        while free in found:
            free, number = f"{whole}_{number}", number + 1
        found[free] = table
    return found


def frame_name(table: Table, tables: Sequence[Table]) -> str:
    """The variable of one of the tables."""
    named = frame_names(tables).items()
    return next(
        name for name, each in named if (each.source, each.name) == (table.source, table.name)
    )


def _identifier(name: str) -> str:
    plain = re.sub(r"\W+", "_", name).strip("_") or "table"
    return f"t_{plain}" if plain[0].isdigit() or keyword.iskeyword(plain) else plain
