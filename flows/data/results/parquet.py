"""Result tables as Parquet, and Parquet that came out of the sandbox as result tables."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

from flows.core.observation import Cell
from flows.data.cells import to_cell
from flows.data.tables import ColumnType, ResultTable
from flows.errors import CodeFailed
from flows.sandbox.columns import values_of

if TYPE_CHECKING:
    import pyarrow

_START = datetime(1970, 1, 1, tzinfo=UTC)
_TICK = timedelta(microseconds=1)
_EXACT = 2**53  # the whole numbers up to here are all reals


def write_parquet(table: ResultTable) -> bytes:
    """The rows of a result, typed by its `types`: dates are date32, timestamps microseconds.

    A column with cells that are not of its type is text. Names that stand twice are numbered.
    """
    import pyarrow
    from pyarrow import parquet

    columns = zip(*table.rows, strict=True) if table.rows else ((),) * len(table.columns)
    arrays = [_array(cells, kind) for cells, kind in zip(columns, _types(table), strict=True)]
    whole = pyarrow.Table.from_arrays(arrays, names=unlike(table.columns))
    opened = BytesIO()
    parquet.write_table(whole, opened, compression="zstd")
    return opened.getvalue()


def read_parquet(content: bytes, *, most_rows: int, most_cells: int) -> tuple[ResultTable, int]:
    """The first rows of a file that nobody trusts, and how many it has.

    Errors: `CodeFailed` when it is no Parquet that can be read.
    """
    import pyarrow
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(BytesIO(content))
        total = file.metadata.num_rows
        schema = file.schema_arrow
        most_rows = min(most_rows, max(1, most_cells // max(1, len(schema.names))))
        kept: list[Any] = []
        for batch in file.iter_batches(batch_size=min(most_rows, 65_536)):
            kept.append(batch)
            if sum(each.num_rows for each in kept) >= most_rows:
                break
        whole = pyarrow.Table.from_batches(kept, schema).slice(0, most_rows)
        columns = [[to_cell(value) for value in values_of(column)] for column in whole.columns]
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as error:
        raise CodeFailed(f"a table that came back cannot be read: {error}") from error
    table = ResultTable(
        columns=tuple(schema.names),
        types=tuple(_type_of(kind) for kind in schema.types),
        rows=tuple(zip(*columns, strict=True)),
        truncated=total > most_rows,
        sql="",
        sources={},
        elapsed_ms=0.0,
    )
    return table, total


def unlike(names: Sequence[str]) -> list[str]:
    """The names of columns with a number behind one that stood before."""
    given: dict[str, None] = {}
    for name in names:
        number, new = 2, name
        while new in given:
            new, number = f"{name}_{number}", number + 1
        given[new] = None
    return list(given)


def _types(table: ResultTable) -> Sequence[ColumnType]:
    if len(table.types) != len(table.columns):
        return ["other"] * len(table.columns)
    return table.types


def _array(cells: Sequence[Cell], kind: ColumnType) -> pyarrow.Array:
    import pyarrow

    try:
        return _typed(cells, kind)
    except (ValueError, TypeError, OverflowError, pyarrow.ArrowException):
        return _texts(cells)


def _typed(cells: Sequence[Cell], kind: ColumnType) -> pyarrow.Array:
    """The cells as an array of Arrow's type. Errors: `ValueError` for a cell of another type."""
    import pyarrow

    match kind:
        case "integer":
            return _numbers([_checked(cell, int) for cell in cells], "q", pyarrow.int64())
        case "real":
            return _numbers([_real(cell) for cell in cells], "d", pyarrow.float64())
        case "boolean":
            flags = [_flag(cell) for cell in cells]
            bits = [_bits(flag is not None for flag in flags), _bits(flags)]
            return pyarrow.Array.from_buffers(pyarrow.bool_(), len(flags), bits)
        case "date":
            return _numbers([_iso(cell, _day) for cell in cells], "i", pyarrow.date32())
        case "time":
            return _numbers([_iso(cell, _time) for cell in cells], "q", pyarrow.time64("us"))
        case "timestamp":
            return _moments(cells)
        case _:
            return _texts(cells)


def _numbers(values: Sequence[Any], code: str, arrow: pyarrow.DataType) -> pyarrow.Array:
    """An array from its memory: `pyarrow.array` would import pandas, which takes half a second.

    `code` is the type of a number as `array.array` names it. Errors: `OverflowError`.
    """
    import pyarrow

    filled = array(code, [0 if value is None else value for value in values])
    there = _bits(value is not None for value in values)
    return pyarrow.Array.from_buffers(arrow, len(values), [there, pyarrow.py_buffer(filled)])


def _texts(cells: Sequence[Cell]) -> pyarrow.Array:
    import pyarrow

    builder = pyarrow.lib.StringBuilder()
    builder.append_values([_as_text(cell) for cell in cells])
    return builder.finish()


def _bits(flags: Iterable[object]) -> pyarrow.Buffer:
    import pyarrow

    digits = "".join("1" if flag else "0" for flag in flags)
    packed = int(digits[::-1] or "0", 2).to_bytes(len(digits) // 8 + 1, "little")
    return pyarrow.py_buffer(packed)


def _moments(cells: Sequence[Cell]) -> pyarrow.Array:
    """Timestamps; in UTC when each of them says its zone."""
    import pyarrow

    values = [_iso(cell, datetime.fromisoformat) for cell in cells]
    zoned = {value.tzinfo is not None for value in values if value is not None}
    if len(zoned) > 1:
        raise ValueError("some timestamps have a zone and some have none")
    start, zone = (_START, "UTC") if zoned == {True} else (_START.replace(tzinfo=None), None)
    passed = [None if value is None else (value - start) // _TICK for value in values]
    return _numbers(passed, "q", pyarrow.timestamp("us", zone))


def _checked(cell: Cell, kind: type | tuple[type, ...]) -> Cell:
    if cell is not None and (isinstance(cell, bool) or not isinstance(cell, kind)):
        raise ValueError(f"{cell!r} is of another type")
    return cell


def _real(cell: Cell) -> Cell:
    if isinstance(cell, int) and abs(cell) > _EXACT:
        raise ValueError(f"{cell} would be rounded")
    return _checked(cell, (int, float))


def _flag(cell: Cell) -> bool | None:
    if cell is None or isinstance(cell, bool):
        return cell
    if isinstance(cell, int) and cell in (0, 1):
        return bool(cell)
    raise ValueError(f"{cell!r} is no boolean")


def _day(text: str) -> int:
    return date.fromisoformat(text).toordinal() - _START.toordinal()


def _time(text: str) -> int:
    read = time.fromisoformat(text)
    if read.tzinfo is not None:
        raise ValueError(f"{text} has a zone, and a column of times has none")
    return (datetime.combine(date.min, read) - datetime.min) // _TICK


def _iso(cell: Cell, read: Any) -> Any:
    return None if cell is None else read(cell)


def _as_text(cell: Cell) -> str | None:
    if cell is None or isinstance(cell, str):
        return cell
    return ("true" if cell else "false") if isinstance(cell, bool) else str(cell)


def _type_of(arrow: pyarrow.DataType) -> ColumnType:
    from pyarrow import types

    found: Final[tuple[tuple[bool, ColumnType], ...]] = (
        (types.is_boolean(arrow), "boolean"),
        (types.is_integer(arrow), "integer"),
        (types.is_floating(arrow) or types.is_decimal(arrow), "real"),
        (types.is_string(arrow) or types.is_large_string(arrow), "text"),
        (types.is_date(arrow), "date"),
        (types.is_timestamp(arrow), "timestamp"),
        (types.is_time(arrow), "time"),
    )
    return next((kind for fits, kind in found if fits), "other")
