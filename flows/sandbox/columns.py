"""Columns of Arrow as Python and pandas have them, where they have no value for what is there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow

_ALL = 1 << 30
# What Arrow and pandas raise for it; an ArrowInvalid is a ValueError.
_NO_VALUE = (ValueError, OverflowError, NotImplementedError)
_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}
# Python's first date, and the day after its last one, in days since 1970.
_FIRST_DAY, _END_DAY = -719_162, 2_932_897


def read_frame(file: IO[bytes]) -> Any:
    """A Parquet file as a data frame of pandas; a column that pandas cannot hold is text, such as
    one with the date infinity, the year 20000, or the time 24:00:00."""
    import pyarrow
    from pyarrow import parquet

    table = parquet.read_table(file)
    for at, column in enumerate(table.columns):
        if _is_without_value(column):
            texts = pyarrow.array(texts_of(column), pyarrow.string())
            table = table.set_column(at, table.schema.names[at], texts)
    return table.to_pandas()


def _is_without_value(column: pyarrow.ChunkedArray) -> bool:
    """Whether pandas has no value for one of a column, such as a time with nanoseconds."""
    from pyarrow import types

    if _is_out_of_range(column):
        return True
    if not types.is_nested(column.type) and not types.is_time(column.type):
        return False
    try:
        column.to_pandas()
    except _NO_VALUE:
        return True
    return False


def values_of(column: pyarrow.ChunkedArray) -> list[Any]:
    """The values of a column as Python has them; all as text where it has none for one of them."""
    if _is_out_of_range(column):
        return texts_of(column)
    try:
        values: list[Any] = column.to_pylist()
    except _NO_VALUE:
        return texts_of(column)
    return values


def texts_of(column: pyarrow.ChunkedArray) -> list[str | None]:
    """Each value as text; None for one that is missing."""
    from pyarrow import types

    kind = column.type
    if types.is_date(kind) or types.is_timestamp(kind):
        moments = column.to_numpy().astype(str)
        pairs = zip(_numbers(column).to_pylist(), moments, strict=True)
        return [_moment(number, str(each), kind.bit_width) for number, each in pairs]
    if types.is_time(kind):
        unit = _DAY[kind.unit] // 86_400
        return [
            None if each is None else _clock(each, unit) for each in _numbers(column).to_pylist()
        ]
    return [text if is_there else None
            for chunk in column.chunks
            for text, is_there in zip(map(_written, _single(chunk)), chunk.is_valid().to_pylist(),
                                      strict=True)]  # fmt: skip


def _single(chunk: pyarrow.Array) -> Iterator[pyarrow.Array]:
    """Arrays of one value each."""
    return (chunk.slice(at, 1) for at in range(len(chunk)))


def _written(value: pyarrow.Array) -> str:
    whole = value.to_string(window=_ALL, container_window=_ALL, skip_new_lines=True)
    return str(whole).removeprefix("[").removesuffix("]").strip()


def _is_out_of_range(column: pyarrow.ChunkedArray) -> bool:
    """Whether a date or moment is none of the years 1 to 9999, or a time is 24:00:00, which Python
    would take for 00:00:00."""
    from pyarrow import compute, types

    kind = column.type
    if not types.is_temporal(kind) or types.is_duration(kind) or types.is_interval(kind):
        return False
    ends = compute.min_max(_numbers(column)).as_py()
    if ends["min"] is None:
        return False
    if types.is_time(kind):
        return bool(ends["max"] >= _DAY[kind.unit])
    day = 1 if types.is_date32(kind) else _DAY["ms" if types.is_date64(kind) else kind.unit]
    return bool(ends["min"] < _FIRST_DAY * day or ends["max"] >= _END_DAY * day)


def _numbers(column: pyarrow.ChunkedArray) -> pyarrow.ChunkedArray:
    import pyarrow

    return column.cast(pyarrow.int32() if column.type.bit_width == 32 else pyarrow.int64())


def _moment(number: int | None, text: str, bits: int) -> str | None:
    """A date or moment as text. DuckDB writes its infinite ones as the largest numbers."""
    if number is None:
        return None
    if abs(number) == 2 ** (bits - 1) - 1:
        return "infinity" if number > 0 else "-infinity"
    return text.replace("T", " ")


def _clock(number: int, unit: int) -> str:
    """A time of the day, of which there are `unit` parts in a second."""
    seconds, part = divmod(number, unit)
    hours, minutes = divmod(seconds // 60, 60)
    fraction = f".{part:0{len(str(unit)) - 1}d}".rstrip("0") if part else ""
    return f"{hours:02d}:{minutes:02d}:{seconds % 60:02d}{fraction}"
