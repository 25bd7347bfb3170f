"""Columns of Arrow as Python and pandas have them, where they have no value for what is there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow

_LAST_YEAR = 9999
_ALL = 1 << 30
# What Arrow and pandas raise for it; an ArrowInvalid is a ValueError.
_NO_VALUE = (ValueError, OverflowError, NotImplementedError)
_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


def read_frame(file: IO[bytes]) -> Any:
    """A Parquet file as a data frame of pandas; a column that pandas cannot hold is text, such as
    one with the date infinity, the year 20000, or the time 24:00:00."""
    import pandas
    import pyarrow
    from pyarrow import parquet

    try:
        frame = pandas.read_parquet(file)
        if not any(_is_far(frame[name]) for name in frame.columns):
            return frame
    except _NO_VALUE:
        pass
    file.seek(0)
    table = parquet.read_table(file)
    for at, column in enumerate(table.columns):
        if _is_without_value(column):
            texts = pyarrow.array(texts_of(column), pyarrow.string())
            table = table.set_column(at, table.schema.names[at], texts)
    return table.to_pandas()


def _is_without_value(column: pyarrow.ChunkedArray) -> bool:
    try:
        return _is_far(column.to_pandas())
    except _NO_VALUE:
        return True


def _is_far(column: Any) -> bool:
    """Whether a column of moments has one that pandas holds but cannot write down."""
    return column.dtype.kind == "M" and len(column) > 0 and bool(column.max().year > _LAST_YEAR)


def values_of(column: pyarrow.ChunkedArray) -> list[Any]:
    """The values of a column as Python has them; all as text where it has none for one of them."""
    import pyarrow

    if pyarrow.types.is_time(column.type) and _has_midnight_at_end(column):
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
        return [None if each == "NaT" else str(each).replace("T", " ") for each in moments]
    if types.is_time(kind):
        unit = _DAY[kind.unit] // 86_400
        return [None if each is None else _clock(each, unit) for each in _numbers(column)]
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


def _has_midnight_at_end(column: pyarrow.ChunkedArray) -> bool:
    """Whether a time is 24:00:00, which Python would take for 00:00:00."""
    return any(each is not None and each >= _DAY[column.type.unit] for each in _numbers(column))


def _numbers(column: pyarrow.ChunkedArray) -> list[int | None]:
    import pyarrow

    width = pyarrow.int32() if column.type.bit_width == 32 else pyarrow.int64()
    numbers: list[int | None] = column.cast(width).to_pylist()
    return numbers


def _clock(number: int, unit: int) -> str:
    """A time of the day, of which there are `unit` parts in a second."""
    seconds, part = divmod(number, unit)
    hours, minutes = divmod(seconds // 60, 60)
    fraction = f".{part:0{len(str(unit)) - 1}d}".rstrip("0") if part else ""
    return f"{hours:02d}:{minutes:02d}:{seconds % 60:02d}{fraction}"
