"""A look at the first rows of a server's tables: one short query for each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import duckdb

from flows.data.cells import to_cell
from flows.data.engines.engine import Engine
from flows.data.engines.head import noted, open_memory
from flows.data.physical import quote_name, quote_table
from flows.data.profiles.profile import TableLayout, profile_table
from flows.data.tables import ColumnType, Table

_TABLE = "head"
# All others are kept as they are written: servers know days and times that DuckDB does not.
_TYPES: dict[ColumnType, str] = {"integer": "HUGEINT", "real": "DOUBLE", "boolean": "BOOLEAN"}


def read_server_heads(engine: Engine, rows: int) -> tuple[Table, ...]:
    """The tables of an engine, profiled over their first rows alone; a note says so.

    Raises SourceError.
    """
    with open_memory() as connection:
        found = [_head(engine, each, rows, connection) for each in engine.layouts]
    warnings = tuple(engine.warnings)
    return tuple(
        noted(each.model_copy(update={"notes": (*each.notes, *warnings)}), rows) for each in found
    )


def _head(
    engine: Engine, layout: TableLayout, rows: int, connection: duckdb.DuckDBPyConnection
) -> Table:
    names = ", ".join(quote_name(each.name, engine.dialect) for each in layout.columns)
    table = quote_table(layout.physical, engine.dialect)
    found = engine.fetch(f"SELECT {names or '*'} FROM {table} LIMIT {rows}")
    _fill(layout, found, connection)

    def fetch(sql: str) -> Sequence[tuple[Any, ...]]:
        return connection.execute(sql).fetchall()

    near = replace(layout, physical=_TABLE, dialect="duckdb")
    return profile_table(near, fetch).model_copy(update={"dialect": engine.dialect})


def _fill(
    layout: TableLayout, rows: Sequence[tuple[Any, ...]], connection: duckdb.DuckDBPyConnection
) -> None:
    """Make a table of the rows, instead of the last one."""
    columns = []
    for number, declared in enumerate(layout.columns, start=1):
        kind = _TYPES.get(declared.type or "text", "VARCHAR")
        name = quote_name(declared.name, "duckdb")
        columns.append(f"TRY_CAST(unnest(${number}::VARCHAR[]) AS {kind}) AS {name}")
    values = [[_text(row[at]) for row in rows] for at in range(len(columns))]
    connection.execute(f"CREATE OR REPLACE TABLE {_TABLE} AS SELECT {', '.join(columns)}", values)


def _text(value: object) -> str | None:
    cell = to_cell(value)
    return None if cell is None else str(cell)
