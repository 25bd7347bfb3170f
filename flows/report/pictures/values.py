"""The values of a plotly trace as matplotlib takes them: lists, or numbers packed as bytes."""

from __future__ import annotations

import base64
import binascii
import re
from datetime import datetime
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

MOST: Final = 200_000
_TYPES: Final = {
    "i1": "<i1", "i2": "<i2", "i4": "<i4", "i8": "<i8", "u1": "<u1", "u2": "<u2", "u4": "<u4",
    "f4": "<f4", "f8": "<f8",
}  # fmt: skip
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?")


def cells_of(given: Any) -> list[Any]:
    """The values of a trace: numbers, texts, None for none, and times where all texts are times.

    Errors: `ValueError` for more than can be drawn, or bytes that are no numbers.
    """
    if isinstance(given, dict):
        return list(_unpacked(given).ravel().tolist())
    if not isinstance(given, list):
        return []
    if len(given) > MOST:
        raise ValueError(f"it has {len(given):,} points; at most {MOST:,} are drawn")
    cells = [each if isinstance(each, int | float | str) else None for each in given]
    texts = [each for each in cells if isinstance(each, str)]
    if texts and all(_DAY.fullmatch(each) for each in texts):
        return [_time(each) if isinstance(each, str) else None for each in cells]
    if texts:
        return [str(each) if each is not None else None for each in cells]
    return cells


def numbers_of(given: Any) -> NDArray[np.float64]:
    """The values of a trace as numbers; what is none is NaN."""
    if isinstance(given, dict):
        return _unpacked(given).ravel().astype(float)
    return np.array([_number(each) for each in given or ()], dtype=float)


def matrix_of(given: Any) -> NDArray[np.float64]:
    """Rows of numbers. Errors: `ValueError` where they are not of one length."""
    if isinstance(given, dict):
        found = _unpacked(given).astype(float)
    else:
        rows = [numbers_of(row) for row in given or ()]
        if len({len(row) for row in rows}) > 1:
            raise ValueError("a heat map takes rows of one length")
        found = np.array(rows, dtype=float)
    if found.ndim != 2 or not found.size:
        raise ValueError("a heat map takes rows of numbers")
    return found


def _number(cell: Any) -> float:
    if isinstance(cell, bool | int | float):
        return float(cell)
    try:
        return float(cell)
    except (TypeError, ValueError):
        return float("nan")


def _time(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _unpacked(given: dict[str, Any]) -> NDArray[Any]:
    """Numbers that plotly packed: a type, base64, and the shape where there are rows."""
    kind = _TYPES.get(str(given.get("dtype")))
    try:
        content = base64.b64decode(str(given.get("bdata", "")), validate=True)
    except binascii.Error as error:
        raise ValueError("its numbers cannot be read") from error
    if kind is None or len(content) % int(kind[2]):
        raise ValueError("its numbers cannot be read")
    found = np.frombuffer(content, dtype=kind)
    if found.size > MOST:
        raise ValueError(f"it has {found.size:,} points; at most {MOST:,} are drawn")
    shape = [int(each) for each in re.findall(r"\d+", str(given.get("shape", "")))]
    return found.reshape(shape) if shape else found
