"""Profiles of columns, made by queries that DuckDB and SQLite both understand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from flows.core.observation import Cell
from flows.data.cells import to_cell, written_type
from flows.data.roles import Shape, role_of
from flows.data.tables import VALUES_KEPT, Column, ColumnType, Dialect, ForeignKey, Table

Fetch = Callable[[str], Sequence[tuple[Any, ...]]]

_CHUNK = 40
_LONGEST_VALUE = 200


@dataclass(frozen=True, slots=True)
class Declared:
    """A column as its database declares it. `type` is None when only its values can tell it.

    `empty_type` is the type that such a column has while it holds nothing.
    """

    name: str
    type: ColumnType | None
    empty_type: ColumnType = "text"


@dataclass(frozen=True, slots=True)
class Layout:
    """A table before it is profiled. `name` is what queries call it, `physical` what it is."""

    source: str
    name: str
    physical: str
    dialect: Dialect
    columns: tuple[Declared, ...]
    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()


@dataclass(frozen=True, slots=True)
class _Statistics:
    filled: int
    distinct: int
    minimum: Cell
    maximum: Cell
    mean: float | None


def profile_table(layout: Layout, fetch: Fetch) -> Table:
    """Count, measure and look at every column of one table. `fetch` runs one query."""
    table = quote(layout.physical)
    rows = int(fetch(f"SELECT count(*) FROM {table}")[0][0])
    typed = [(each.name, each.type or _stored_type(table, each, fetch)) for each in layout.columns]
    columns = []
    for start in range(0, len(typed), _CHUNK):
        chunk = typed[start : start + _CHUNK]
        statistics = _statistics(table, chunk, layout.dialect, fetch)
        for (name, kind), found in zip(chunk, statistics, strict=True):
            columns.append(_column(layout, table, name, kind, rows, found, fetch))
    return Table(
        source=layout.source,
        name=layout.name,
        dialect=layout.dialect,
        rows=rows,
        columns=tuple(columns),
        primary_key=layout.primary_key,
        foreign_keys=layout.foreign_keys,
    )


def quote(name: str) -> str:
    """A name as a quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def _stored_type(table: str, declared: Declared, fetch: Fetch) -> ColumnType:
    """The type of a SQLite column, by what is stored in it."""
    column = quote(declared.name)
    found = fetch(f"SELECT DISTINCT typeof({column}) FROM {table} WHERE {column} IS NOT NULL")
    kinds = {str(row[0]) for row in found}
    if not kinds:
        return declared.empty_type
    if kinds == {"integer"}:
        return "integer"
    if kinds <= {"integer", "real"}:
        return "real"
    return "other" if "blob" in kinds else "text"


def _statistics(
    table: str, columns: Sequence[tuple[str, ColumnType]], dialect: Dialect, fetch: Fetch
) -> Iterator[_Statistics]:
    parts = []
    for name, kind in columns:
        column = quote(name)
        if kind == "other":
            column = f"CAST({column} AS {_text(dialect)})"
        # NaN is no smallest, largest or mean number.
        finite = f" FILTER (WHERE isfinite({column}))" if (dialect, kind) == _FLOATS else ""
        mean = f"avg({column}){finite}" if kind in ("integer", "real") else "NULL"
        parts += [
            f"count({column})",
            f"count(DISTINCT {column})",
            f"min({column}){finite}",
            f"max({column}){finite}",
            mean,
        ]
    row = fetch(f"SELECT {', '.join(parts)} FROM {table}")[0]
    for start in range(0, len(row), 5):
        filled, distinct, low, high, mean_value = row[start : start + 5]
        mean_cell = to_cell(mean_value)
        yield _Statistics(
            filled=int(filled),
            distinct=int(distinct),
            minimum=_shortened(to_cell(low)),
            maximum=_shortened(to_cell(high)),
            mean=float(mean_cell) if isinstance(mean_cell, (int, float)) else None,
        )


_FLOATS = ("duckdb", "real")


def _column(
    layout: Layout,
    table: str,
    name: str,
    kind: ColumnType,
    rows: int,
    found: _Statistics,
    fetch: Fetch,
) -> Column:
    values: tuple[str, ...] = ()
    length = 0.0
    if kind == "text" or (kind != "other" and found.distinct <= VALUES_KEPT):
        values, length = _values(table, name, layout.dialect, fetch)
    complete = len(values) == found.distinct
    if layout.dialect == "sqlite" and kind == "text":
        kind = written_type(values)
    shape = Shape(
        name=name,
        type=kind,
        rows=rows,
        missing=rows - found.filled,
        distinct=found.distinct,
        minimum=found.minimum,
        maximum=found.maximum,
        length=length,
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
        values=values,
        values_complete=complete,
    )


def _values(table: str, name: str, dialect: Dialect, fetch: Fetch) -> tuple[tuple[str, ...], float]:
    """The most frequent values as text, and their average length; very long ones are left out."""
    column = quote(name)
    text = f"CAST({column} AS {_text(dialect)})"
    found = fetch(
        f"SELECT {text}, length({text}), count(*) FROM {table} WHERE {column} IS NOT NULL "
        f"GROUP BY {column} ORDER BY 3 DESC, 1 LIMIT {VALUES_KEPT}"
    )
    if not found:
        return (), 0.0
    length = sum(row[1] or 0 for row in found) / len(found)
    return tuple(str(row[0]) for row in found if (row[1] or 0) <= _LONGEST_VALUE), length


def _text(dialect: Dialect) -> str:
    return "TEXT" if dialect == "sqlite" else "VARCHAR"


def _shortened(value: Cell) -> Cell:
    return value[:_LONGEST_VALUE] if isinstance(value, str) else value
