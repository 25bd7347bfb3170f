"""Data frames on their way out: their columns, first rows as cells, and all rows as Parquet."""

from __future__ import annotations

import math
import sys
from typing import Any

FIRST_ROWS = 50
_MOST_CELLS = 20_000
_LONGEST_CELL = 2_000


def is_frame(value: object) -> bool:
    """Whether the value is a data frame or a series of pandas."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(value, (pandas.DataFrame, pandas.Series))


def state_of(value: Any) -> tuple[Any, ...]:
    """What shows that a frame was changed in place: its shape and its columns."""
    if hasattr(value, "columns"):
        return (value.shape, tuple(map(str, value.columns)), tuple(map(str, value.dtypes)))
    return (value.shape, str(value.dtype))


def flat(value: Any, name: str) -> Any:
    """A frame that a file can hold: columns with texts as names, no two alike, no named index.

    An index is kept as a column when it is named, or when it is no count of rows.
    """
    frame = (
        value.to_frame(value.name if value.name is not None else name)
        if (not hasattr(value, "columns"))
        else value.copy(deep=False)
    )
    frame.columns = _unlike([_text(each) for each in frame.columns])
    index = frame.index
    if any(each is not None for each in index.names) or index.nlevels > 1:
        names = _unlike([*frame.columns, *(_text(each or "index") for each in index.names)])
        frame.index = index.set_names(names[len(frame.columns) :])
        return frame.reset_index()
    if index.dtype.kind in "iu":
        return frame.reset_index(drop=True)
    frame.index = index.rename(_unlike([*frame.columns, "index"])[-1])
    return frame.reset_index()


def types_of(frame: Any) -> list[str]:
    """The type of each column in the words of a result table."""
    return [_type(frame.iloc[:, place]) for place in range(frame.shape[1])]


def first_rows(frame: Any) -> list[list[Any]]:
    most = min(FIRST_ROWS, _MOST_CELLS // max(1, frame.shape[1]))
    columns = [frame.iloc[:most, place].tolist() for place in range(frame.shape[1])]
    return [[_cell(each) for each in row] for row in zip(*columns, strict=True)]


def write(frame: Any, path: str) -> list[str]:
    """Write the frame as Parquet; returns the columns that had to become text for it."""
    as_text: list[str] = []
    for name in frame.columns:
        kind = str(frame[name].dtype)
        if kind.startswith("Sparse"):
            frame[name] = frame[name].sparse.to_dense()
        # Of periods and intervals a file would hold numbers that only pandas understands.
        if kind.startswith(("period", "interval")) or not _has_arrow(frame[name]):
            frame[name] = [None if _is_missing(each) else str(each) for each in frame[name]]
            as_text.append(name)
    frame.to_parquet(path, index=False, compression="zstd")
    return as_text


def _has_arrow(column: Any) -> bool:
    """Whether Arrow has a type for what the column holds."""
    import pyarrow

    if column.dtype.kind not in "Oc":
        return True
    try:
        pyarrow.array(column, from_pandas=True)
    except (pyarrow.ArrowException, TypeError, ValueError, OverflowError):
        return False
    return True


def _type(column: Any) -> str:
    kind = column.dtype.kind
    if kind == "O":
        from pandas.api.types import infer_dtype

        words = {"boolean": "boolean", "integer": "integer", "date": "date", "decimal": "real"}
        return words.get(infer_dtype(column, skipna=True), "text")
    words = {"b": "boolean", "i": "integer", "u": "integer", "f": "real", "M": "timestamp"}
    return words.get(kind, "text")


def _cell(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int)):
        return value if value is None or abs(int(value)) < 1 << 63 else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None if math.isnan(value) else str(value)
    if _is_missing(value):
        return None
    text = value.isoformat() if hasattr(value, "isoformat") else str(value)
    text = text.encode("utf-8", "replace").decode()
    return text if len(text) <= _LONGEST_CELL else text[:_LONGEST_CELL] + " ..."


def _is_missing(value: Any) -> bool:
    pandas = sys.modules["pandas"]
    if isinstance(value, float):
        return math.isnan(value)
    return value is None or value is pandas.NA or value is pandas.NaT


def _text(name: Any) -> str:
    if isinstance(name, tuple):
        return " ".join(str(each) for each in name if str(each)) or "column"
    return str(name).encode("utf-8", "replace").decode() or "column"


def _unlike(names: list[str]) -> list[str]:
    seen: dict[str, int] = {}
    made = []
    for name in names:
        fresh, count = name, seen.get(name, 0)
        while fresh in seen:
            count += 1
            fresh = f"{name}_{count + 1}"
        seen[name] = count
        seen[fresh] = seen.get(fresh, 0)
        made.append(fresh)
    return made
