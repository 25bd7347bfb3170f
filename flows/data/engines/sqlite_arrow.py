"""Tables of SQLite as Arrow: columns get the type that all their values have."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
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


def result_batches(
    names: Sequence[str], fetch: Callable[[int], Sequence[tuple[Any, ...]]]
) -> Iterator[pyarrow.RecordBatch]:
    """All rows that `fetch`, a cursor's `fetchmany`, gives, with such types; nothing without rows.

    What its values are is known at the end, so that all are in memory, as Arrow.
    """
    import pyarrow

    columns: list[list[pyarrow.Array]] = [[] for _ in names]
    while rows := fetch(_BATCH_ROWS):
        for column, values in zip(columns, zip(*rows, strict=True), strict=True):
            column.append(_of_values(values))
    arrays = [_as_one(each) for each in columns]
    whole = pyarrow.Table.from_arrays(arrays, schema=_schema(names, arrays))
    yield from whole.to_batches()


def _schema(names: Sequence[str], arrays: Sequence[pyarrow.ChunkedArray]) -> pyarrow.Schema:
    import pyarrow

    return pyarrow.schema(
        [pyarrow.field(name, each.type) for name, each in zip(names, arrays, strict=True)]
    )


def _of_values(values: Sequence[Any]) -> pyarrow.Array:
    """A part of a column: of its own type when all its values have one, else text."""
    import pyarrow

    kinds = {type(each) for each in values} - {type(None)}
    known = {int: pyarrow.int64(), float: pyarrow.float64(), bytes: pyarrow.binary()}
    if len(kinds) == 1 and (kind := known.get(next(iter(kinds)))) is not None:
        return pyarrow.array(values, kind)
    if not kinds:
        return pyarrow.nulls(len(values))
    if kinds == {int, float}:
        return pyarrow.array([each if each is None else float(each) for each in values])
    return pyarrow.array([_value(each, "text") for each in values], pyarrow.string())


def _as_one(parts: Sequence[pyarrow.Array]) -> pyarrow.ChunkedArray:
    """The parts of a column with one type; texts that all are dates or moments become such."""
    import pyarrow

    kinds = {each.type for each in parts if each.type != pyarrow.null()}
    numbers = {pyarrow.int64(), pyarrow.float64()}
    if not kinds:
        kind = pyarrow.string()
    elif len(kinds) == 1:
        kind = next(iter(kinds))
    else:
        kind = pyarrow.float64() if kinds <= numbers else pyarrow.string()
    if kind == pyarrow.string() and kinds - {kind}:
        parts = [
            pyarrow.array([_value(each, "text") for each in part.to_pylist()], kind)
            for part in parts
        ]
    whole = pyarrow.chunked_array([each.cast(kind) for each in parts], kind)
    return _dated(whole) if kind == pyarrow.string() else whole


def _dated(texts: pyarrow.ChunkedArray) -> pyarrow.ChunkedArray:
    """Texts as dates or moments, if all are."""
    import pyarrow
    from pyarrow import compute

    forms = (
        (r"^\d{4}-\d{2}-\d{2}$", pyarrow.date32()),
        (r"^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$", pyarrow.timestamp("us")),
    )
    for form, kind in forms:
        if compute.all(compute.match_substring_regex(texts, form)).as_py() and (
            texts.null_count < len(texts)
        ):
            try:
                return texts.cast(kind)
            except pyarrow.ArrowInvalid:  # the 30th of February is no date
                return texts
    return texts
