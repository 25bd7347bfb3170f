"""The tables of a random model in real databases, and the cells of results made alike."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import duckdb

from flows.data.sql.firewall import check_query
from flows.data.tables import Column, Dialect, Table
from flows.semantics.model import Dataset, SemanticModel
from tests.semantics.random_data import Rows, Value, storage

Cells = tuple[Any, ...]
# Runs statements, and gives the rows of the last one.
Execute = Callable[[Sequence[str]], list[Cells]]

_TYPES: dict[Dialect, dict[str, str]] = {
    "duckdb": {"integer": "BIGINT", "real": "DOUBLE", "text": "VARCHAR", "boolean": "BOOLEAN",
               "date": "DATE", "timestamp": "TIMESTAMP", "time": "TIME"},
    "sqlite": {"integer": "INTEGER", "real": "REAL", "text": "TEXT", "boolean": "BOOLEAN",
               "date": "DATE", "timestamp": "TIMESTAMP", "time": "TEXT"},
    "postgres": {"integer": "bigint", "real": "double precision", "text": "text",
                 "boolean": "boolean", "date": "date", "timestamp": "timestamp", "time": "time"},
    "mysql": {"integer": "BIGINT", "real": "DOUBLE",
              "text": "VARCHAR(50) COLLATE utf8mb4_nopad_bin", "boolean": "BOOLEAN",
              "date": "DATE", "timestamp": "DATETIME", "time": "TIME"},
}  # fmt: skip


def quote(name: str, dialect: Dialect) -> str:
    mark = "`" if dialect == "mysql" else '"'
    return mark + name.replace(mark, mark * 2) + mark


def columns(dataset: Dataset) -> Iterator[tuple[str, str]]:
    """The physical columns of a table, with what they store."""
    for field in dataset.fields:
        if field.expression is None:
            yield field.column or field.name, storage(field)


def statements(model: SemanticModel, rows: Rows, dialect: Dialect) -> Iterator[str]:
    """What makes and fills the tables."""
    for dataset in model.datasets:
        table = quote(dataset.table, dialect)
        types = dict(columns(dataset))
        made = ", ".join(
            f"{quote(name, dialect)} {_TYPES[dialect][kind]}" for name, kind in types.items()
        )
        yield f"CREATE TABLE {table} ({made})"
        values = [
            "(" + ", ".join(_literal(row[name], dialect) for name in types) + ")"
            for row in rows[dataset.name]
        ]
        if values:
            yield f"INSERT INTO {table} VALUES {', '.join(values)}"


def _literal(value: Value, dialect: Dialect) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(int(value)) if dialect in ("sqlite", "mysql") else str(value)
    if isinstance(value, int | float):
        return repr(value)
    text = value.isoformat(" ") if isinstance(value, datetime) else str(value)
    if dialect == "mysql":
        text = text.replace("\\", "\\\\")
    return "'" + text.replace("'", "''") + "'"


def guarded(sql: str, model: SemanticModel, dialect: Dialect) -> str:
    """The statement as the project's guard lets it through."""
    tables = []
    for dataset in model.datasets:
        described = tuple(
            Column(name=name, type=kind, role="text", rows=1, missing=0, distinct=1)
            for name, kind in columns(dataset)
        )
        tables.append(
            Table(source="main", name=dataset.table, dialect=dialect, rows=1, columns=described)
        )
    return check_query(sql, tables, dialect).sql


def in_duckdb(run: Sequence[str]) -> list[Cells]:
    with duckdb.connect() as connection:
        for each in run[:-1]:
            connection.execute(each)
        return connection.execute(run[-1]).fetchall()


def in_sqlite(run: Sequence[str]) -> list[Cells]:
    connection = sqlite3.connect(":memory:")
    try:
        for each in run[:-1]:
            connection.execute(each)
        return connection.execute(run[-1]).fetchall()
    finally:
        connection.close()


def plain(value: Any) -> Any:
    """A cell as every database can give it."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, datetime):
        return value.replace(tzinfo=None).isoformat(" ")
    if isinstance(value, timedelta):
        return (datetime.min + value).time().isoformat()
    return value.isoformat() if isinstance(value, date | time) else value


def same_cell(one: Any, other: Any, tolerance: float) -> bool:
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=1e-6, abs_tol=tolerance)
    return bool(one == other)


def same_row(one: Cells, other: Cells, tolerance: float) -> bool:
    return len(one) == len(other) and all(
        same_cell(plain(a), plain(b), tolerance) for a, b in zip(one, other, strict=True)
    )


def left_over(wanted: Sequence[Cells], given: Sequence[Cells], tolerance: float) -> list[Cells]:
    """The rows that are given and not wanted, however they are ordered."""
    free = list(wanted)
    rest = []
    for row in given:
        place = next((n for n, each in enumerate(free) if same_row(each, row, tolerance)), None)
        if place is None:
            rest.append(row)
        else:
            del free[place]
    return rest
