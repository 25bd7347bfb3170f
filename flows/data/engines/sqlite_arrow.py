"""Tables of SQLite as Arrow: columns get the type that all their values have."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from flows.data.profiles.profile import quote

if TYPE_CHECKING:
    import pyarrow

_BATCH_ROWS = 20_000
_MOMENT = "%Y-%m-%d %H:%M:%S"


def stored_batches(connection: sqlite3.Connection, table: str) -> Iterator[pyarrow.RecordBatch]:
    """All rows of a table or view; without rows one empty batch.

    Texts that all are dates or timestamps in ISO form become such; of mixed types all are text.
    """
    import pyarrow

    names = [str(row[1]) for row in connection.execute(f"PRAGMA table_info({quote(table)})")]
    kinds = [_kind(connection, table, name) for name in names]
    types = {
        "integer": pyarrow.int64(),
        "real": pyarrow.float64(),
        "blob": pyarrow.binary(),
        "date": pyarrow.date32(),
        "moment": pyarrow.timestamp("us"),
    }
    schema = pyarrow.schema(
        [(name, types.get(kind, pyarrow.string())) for name, kind in zip(names, kinds, strict=True)]
    )
    columns = ", ".join(quote(name) for name in names)
    cursor = connection.execute(f"SELECT {columns} FROM {quote(table)}")
    rows = cursor.fetchmany(_BATCH_ROWS)
    while True:
        cells = zip(*rows, strict=True) if rows else ((),) * len(names)
        arrays = [
            pyarrow.array([_value(each, kind) for each in column], field.type)
            for column, kind, field in zip(cells, kinds, schema, strict=True)
        ]
        yield pyarrow.RecordBatch.from_arrays(arrays, schema=schema)
        rows = cursor.fetchmany(_BATCH_ROWS)
        if not rows:
            return


def _kind(connection: sqlite3.Connection, table: str, name: str) -> str:
    column = quote(name)
    where = f"FROM {quote(table)} WHERE {column} IS NOT NULL"
    stored = {
        str(row[0]) for row in connection.execute(f"SELECT DISTINCT typeof({column}) {where}")
    }
    if stored <= {"integer", "real"} and stored:
        return "real" if "real" in stored else "integer"
    if stored == {"blob"}:
        return "blob"
    if stored != {"text"}:
        return "text"
    # By what SQLite makes of it, so that the 30th of February is no date.
    told = connection.execute(
        f"SELECT min({column} IS date({column})), min({column} IS datetime({column})) {where}"
    ).fetchone()
    return "date" if told[0] else "moment" if told[1] else "text"


def _value(value: Any, kind: str) -> Any:
    if value is None:
        return None
    if kind == "text":
        return value.hex() if isinstance(value, bytes) else str(value)
    if kind == "date":
        return date.fromisoformat(value)
    return datetime.strptime(value, _MOMENT) if kind == "moment" else value
