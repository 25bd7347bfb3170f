"""Database values as cells: plain data that JSON can hold."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from uuid import UUID

from flows.core.observation import Cell
from flows.data.tables import ColumnType

_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
_INTEGER_NAMES = frozenset(prefix + each for each in _INTEGERS for prefix in ("", "U"))
_ISO_DATE = re.compile(r"^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$")
_ISO_TIMESTAMP = re.compile(r"^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[ T]\d{1,2}:\d{2}")
# JSON readers keep integers exact up to here; what is larger would change on its way.
_EXACT = 2**63


def to_cell(value: object) -> Cell:
    """One value. NaN and infinity are None, dates ISO text, decimals floats, bytes hex text."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return value if -_EXACT <= value < _EXACT else float(value)
    if isinstance(value, (float, Decimal)):
        number = float(value)
        return number if math.isfinite(number) else None
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).hex()
    if isinstance(value, (timedelta, UUID)):
        return str(value)
    return json.dumps(_plain(value), ensure_ascii=False)


def to_number(value: object) -> float | None:
    """A value as a number; None for what is none."""
    cell = to_cell(value)
    return float(cell) if isinstance(cell, (int, float)) else None


def _plain(value: object) -> object:
    """A nested value of a list, struct or map as JSON data."""
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [_plain(each) for each in value]
    return to_cell(value) if _is_scalar(value) else str(value)


def _is_scalar(value: object) -> bool:
    kinds = (str, int, float, Decimal, date, time, bytes, timedelta, UUID)
    return value is None or isinstance(value, kinds)


def duckdb_type(name: str) -> ColumnType:
    """The type of a column by DuckDB's name for it, such as `DECIMAL(5,2)`."""
    word = name.upper().partition("(")[0].strip()
    if name.endswith("]"):
        return "other"
    if word in _INTEGER_NAMES:
        return "integer"
    if word in ("FLOAT", "DOUBLE", "DECIMAL"):
        return "real"
    if word in ("VARCHAR", "ENUM", "UUID"):
        return "text"
    if word == "BOOLEAN":
        return "boolean"
    if word == "DATE":
        return "date"
    if word.startswith("TIMESTAMP"):
        return "timestamp"
    return "time" if word.startswith("TIME") else "other"


def value_type(values: Sequence[Cell]) -> ColumnType:
    """The type that the values of a result have, for a database whose columns have none."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int}:
        return "integer"
    if kinds and kinds <= {int, float}:
        return "real"
    if kinds == {bool}:
        return "boolean"
    if kinds <= {str}:
        return written_type([value for value in values if isinstance(value, str)])
    return "other"


def written_type(values: Sequence[str]) -> ColumnType:
    """The type of texts: SQLite keeps dates as text, so where all look like dates they are."""
    if not values:
        return "text"
    if all(_ISO_DATE.match(value) for value in values):
        return "date"
    if all(_ISO_TIMESTAMP.match(value) for value in values):
        return "timestamp"
    return "text"
