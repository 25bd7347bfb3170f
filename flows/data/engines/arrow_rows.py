"""Rows of a server as Arrow, batch by batch, never all at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from flows.data.cells import to_cell
from flows.data.profiles.profile import Declared
from flows.data.tables import ColumnType
from flows.errors import QueryFailed

if TYPE_CHECKING:
    import pyarrow

BATCH_ROWS = 10_000


def record_batches(
    columns: Sequence[Declared], fetch: Callable[[int], Sequence[tuple[Any, ...]]]
) -> Iterator[pyarrow.RecordBatch]:
    """All that `fetch`, a cursor's `fetchmany`, still gives; at least one batch, if an empty one.

    Times of day, lists, JSON and bytes become text, decimals become floats, as in cells. `infinity`
    is the number that DuckDB takes for it; a date that Python does not have, such as one before
    Christ, is missing.
    """
    import pyarrow

    schema = pyarrow.schema([(each.name, _arrow_type(each.type or "text")) for each in columns])
    rows = fetch(BATCH_ROWS)
    while True:
        arrays = [
            _array([row[at] for row in rows], each, schema.field(at).type)
            for at, each in enumerate(columns)
        ]
        yield pyarrow.RecordBatch.from_arrays(arrays, schema=schema)
        if len(rows) < BATCH_ROWS:
            return
        rows = fetch(BATCH_ROWS)
        if not rows:
            return


def _arrow_type(kind: ColumnType) -> pyarrow.DataType:
    import pyarrow

    known = {
        "integer": pyarrow.int64(),
        "real": pyarrow.float64(),
        "boolean": pyarrow.bool_(),
        "date": pyarrow.date32(),
        "timestamp": pyarrow.timestamp("us"),
    }
    return known.get(kind, pyarrow.string())


def _array(values: Sequence[Any], column: Declared, kind: pyarrow.DataType) -> pyarrow.Array:
    import pyarrow

    convert = _CONVERTERS.get(column.type or "text", _text)
    found = [None if value is None else convert(value) for value in values]
    try:
        return pyarrow.array(found, type=kind)
    except (pyarrow.ArrowInvalid, OverflowError) as error:
        raise QueryFailed(f"the column {column.name} cannot be copied: {error}") from error


def _text(value: object) -> str:
    cell = to_cell(value)
    return cell if isinstance(cell, str) else str(cell)


def _real(value: Any) -> float | None:
    return None if isinstance(value, Decimal) and value.is_snan() else float(value)


def _date(value: object) -> date | int | None:
    return _moment(str(value), date.fromisoformat, 32)


def _timestamp(value: object) -> date | int | None:
    return _moment(str(value), lambda text: datetime.fromisoformat(text).replace(tzinfo=None), 64)


def _moment(text: str, read: Callable[[str], date], bits: int) -> date | int | None:
    """A date or moment; an infinite one as the largest number of so many bits."""
    if text in ("infinity", "-infinity"):
        largest: int = 2 ** (bits - 1) - 1
        return largest if text == "infinity" else -largest
    try:
        return read(text)
    except ValueError:
        return None


_CONVERTERS: dict[ColumnType, Callable[[Any], Any]] = {
    "integer": int,
    "real": _real,
    "boolean": bool,
    "date": _date,
    "timestamp": _timestamp,
}
