"""Result tables as Parquet, and Parquet that came out of the sandbox as result tables."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

from flows.core.observation import Cell
from flows.data.cells import to_cell
from flows.data.tables import ColumnType, ResultTable
from flows.errors import CodeFailed

if TYPE_CHECKING:
    import pyarrow


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
        columns = [[to_cell(value) for value in column.to_pylist()] for column in whole.columns]
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
        values, arrow = _typed(cells, kind)
        return pyarrow.array(values, arrow)
    except (ValueError, TypeError, OverflowError, pyarrow.ArrowException):
        return pyarrow.array([_as_text(cell) for cell in cells], pyarrow.string())


def _typed(cells: Sequence[Cell], kind: ColumnType) -> tuple[list[object], pyarrow.DataType]:
    """The cells as values of Arrow's type. Errors: `ValueError` for a cell of another type."""
    import pyarrow

    match kind:
        case "integer":
            return [_checked(cell, int) for cell in cells], pyarrow.int64()
        case "real":
            return [_checked(cell, (int, float)) for cell in cells], pyarrow.float64()
        case "boolean":
            return [_flag(cell) for cell in cells], pyarrow.bool_()
        case "date":
            return [_iso(cell, date.fromisoformat) for cell in cells], pyarrow.date32()
        case "time":
            return [_iso(cell, time.fromisoformat) for cell in cells], pyarrow.time64("us")
        case "timestamp":
            return _moments(cells)
        case _:
            return [_as_text(cell) for cell in cells], pyarrow.string()


def _moments(cells: Sequence[Cell]) -> tuple[list[object], pyarrow.DataType]:
    """Timestamps; in UTC when each of them says its zone."""
    import pyarrow

    values = [_iso(cell, datetime.fromisoformat) for cell in cells]
    zoned = {value.tzinfo is not None for value in values if isinstance(value, datetime)}
    if len(zoned) > 1:
        raise ValueError("some timestamps have a zone and some have none")
    if zoned == {True}:
        moved = [value.astimezone(UTC) if isinstance(value, datetime) else None for value in values]
        return list(moved), pyarrow.timestamp("us", "UTC")
    return values, pyarrow.timestamp("us")


def _checked(cell: Cell, kind: type | tuple[type, ...]) -> Cell:
    if cell is not None and (isinstance(cell, bool) or not isinstance(cell, kind)):
        raise ValueError(f"{cell!r} is of another type")
    return cell


def _flag(cell: Cell) -> bool | None:
    if cell is None or isinstance(cell, bool):
        return cell
    if isinstance(cell, int) and cell in (0, 1):
        return bool(cell)
    raise ValueError(f"{cell!r} is no boolean")


def _iso(cell: Cell, read: Any) -> object:
    if cell is None:
        return None
    return read(cell)


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
