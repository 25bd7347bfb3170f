"""Profiles of tables: every column counted, measured and looked at, whatever the database."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from flows.core.observation import Cell
from flows.data.cells import to_cell, written_type
from flows.data.physical import quote_name, quote_table
from flows.data.profiles.copies import count_copies
from flows.data.profiles.duckdb_facts import Arrays, Fetch, measure_duckdb
from flows.data.profiles.facts import LONGEST_VALUE, Facts, shortened
from flows.data.profiles.keys import declared_joins, find_keys
from flows.data.profiles.roles import Shape, role_of
from flows.data.profiles.sql_facts import measure_all
from flows.data.profiles.units import unit_of
from flows.data.profiles.wide_facts import measure_wide
from flows.data.tables import (
    SAMPLE_ROWS,
    TOP_KEPT,
    VALUES_KEPT,
    Column,
    ColumnType,
    Dialect,
    ForeignKey,
    Table,
)

__all__ = ["Arrays", "Declared", "Fetch", "TableLayout", "profile_table", "quote"]

_MANY_COLUMNS = 150
_FEW_CELLS = 2_000_000
# Bytes of a value in memory; of texts, of the place where it ends.
_WIDTHS: dict[ColumnType, int] = {
    "integer": 8,
    "real": 8,
    "text": 4,
    "boolean": 1,
    "date": 4,
    "timestamp": 8,
    "time": 8,
    "other": 4,
}


@dataclass(frozen=True, slots=True)
class Declared:
    """A column as its database declares it. `type` is None when only its values can tell it.

    `empty_type` is the type that such a column has while it holds nothing.
    """

    name: str
    type: ColumnType | None
    empty_type: ColumnType = "text"
    description: str = ""


@dataclass(frozen=True, slots=True)
class TableLayout:
    """A table before it is profiled. `name` is what queries call it, `physical` what it is.

    `notes` say what was noticed while it was read; `spooled` is the database that holds its rows
    when there are too many for the memory.
    """

    source: str
    name: str
    physical: str
    dialect: Dialect
    columns: tuple[Declared, ...]
    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    description: str = ""
    notes: tuple[str, ...] = ()
    spooled: Path | None = None


def profile_table(layout: TableLayout, fetch: Fetch, arrays: Arrays | None = None) -> Table:
    """Count, measure and look at every column of one table.

    `fetch` runs one query of ours. `arrays` gives whole columns of DuckDB to numpy, which is faster
    and smaller for long ones.
    """
    table = quote_table(layout.physical, layout.dialect)
    rows = int(fetch(f"SELECT count(*) FROM {table}")[0][0])
    typed = [(each.name, each.type or _stored_type(table, each, fetch)) for each in layout.columns]
    facts: Iterable[Facts]
    if (
        layout.dialect == "duckdb"
        and len(typed) > _MANY_COLUMNS
        and len(typed) * rows <= _FEW_CELLS
    ):
        facts = measure_wide(table, typed, fetch)
    elif layout.dialect == "duckdb":
        facts = (measure_duckdb(table, name, kind, fetch, arrays) for name, kind in typed)
    else:
        facts = measure_all(table, typed, layout.dialect, fetch)
    columns = []
    size = 0
    for declared, (_, kind), found in zip(layout.columns, typed, facts, strict=True):
        columns.append(_column(layout, declared, kind, rows, found))
        size += _bytes(kind, rows, found)
    profiled = Table(
        source=layout.source,
        name=layout.name,
        dialect=layout.dialect,
        rows=rows,
        columns=tuple(columns),
        primary_key=layout.primary_key,
        foreign_keys=layout.foreign_keys,
        joins=tuple(declared_joins(layout.foreign_keys)),
        sample=_sample(table, fetch),
        bytes=size,
        notes=layout.notes,
        description=layout.description,
    )
    keys = find_keys(profiled, table, fetch)
    copies = 0 if keys else count_copies(profiled, table, fetch)
    return profiled.model_copy(update={"keys": keys, "copies": copies})


def quote(name: str) -> str:
    """A name as a quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def _stored_type(table: str, declared: Declared, fetch: Fetch) -> ColumnType:
    """The type of a SQLite column, by what is stored in it."""
    column = quote_name(declared.name, "sqlite")
    found = fetch(f"SELECT DISTINCT typeof({column}) FROM {table} WHERE {column} IS NOT NULL")
    kinds = {str(row[0]) for row in found}
    if not kinds:
        return declared.empty_type
    if kinds == {"integer"}:
        return "integer"
    if kinds <= {"integer", "real"}:
        return "real"
    return "other" if "blob" in kinds else "text"


def _column(
    layout: TableLayout, declared: Declared, kind: ColumnType, rows: int, found: Facts
) -> Column:
    name = declared.name
    listed = kind == "text" or found.distinct <= VALUES_KEPT
    common = [each.value for each in found.common] if listed else []
    if layout.dialect == "sqlite" and kind == "text":
        kind = written_type(common)
    values = tuple(value for value in common if len(value) <= LONGEST_VALUE)
    shape = Shape(
        name=name,
        type=kind,
        rows=rows,
        missing=rows - found.filled,
        distinct=found.distinct,
        minimum=found.minimum,
        maximum=found.maximum,
        length=sum(map(len, common)) / len(common) if common else 0.0,
        values=values,
        is_key=layout.primary_key == (name,),
        is_reference=any(name in key.columns for key in layout.foreign_keys),
    )
    return Column(
        name=name,
        type=kind,
        role=role_of(shape),
        rows=rows,
        missing=shape.missing,
        distinct=found.distinct,
        minimum=found.minimum,
        maximum=found.maximum,
        mean=found.mean,
        std=found.std,
        quantiles=found.quantiles,
        lengths=found.lengths,
        unit=unit_of(name, kind),
        values=values,
        values_complete=len(values) == found.distinct,
        top=tuple(
            each.model_copy(update={"value": each.value[:LONGEST_VALUE]})
            for each in found.common[:TOP_KEPT]
        ),
        description=declared.description,
    )


def _sample(table: str, fetch: Fetch) -> tuple[tuple[Cell, ...], ...]:
    found = fetch(f"SELECT * FROM {table} LIMIT {SAMPLE_ROWS}")
    return tuple(tuple(shortened(to_cell(value)) for value in row) for row in found)


def _bytes(kind: ColumnType, rows: int, found: Facts) -> int:
    """What a column takes in memory: its values, and for texts where each of them ends."""
    return rows * _WIDTHS[kind] + (found.bytes or 0)
