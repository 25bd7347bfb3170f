"""Say of each column what it is to an estimator: number, date, text, category, or nothing.

Phases: model_building
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

_DESCRIBE_COLUMNS_LOOKED_AT = 5000


def describe_columns(table: pd.DataFrame, *, skipped: Sequence[str] = ()) -> dict[str, str]:
    """What each column that tells anything is: "number", "flag", "date", "text" or "category".

    Left out are those of one value, those that are the same as one before, and texts without
    blanks that name their row alone.

    Args:
        table: the rows that are learned from.
        skipped: columns that are left out, too: targets, identifiers, groups.
    Returns:
        the kind of each column that is kept, in the table's order.
    Raises:
        ValueError: if no column is left.
    Example:
        kinds = describe_columns(train, skipped=["id", "target"])
    """
    kinds: dict[str, str] = {}
    seen: set[Any] = set()
    step = max(1, len(table) // _DESCRIBE_COLUMNS_LOOKED_AT)
    for name in table.columns:
        if name in skipped:
            continue
        column = table[name]
        kind = _describe_columns_kind(column, column.iloc[::step])
        if not kind:
            continue
        mark = _describe_columns_mark(column)
        if mark not in seen:
            seen.add(mark)
            kinds[str(name)] = kind
    if not kinds:
        raise ValueError("no column is left that could tell anything of the target")
    return kinds


def _describe_columns_kind(column: Any, some: Any) -> str:
    present = column.dropna()
    types = pd.api.types
    if len(present) == 0:
        return ""
    if types.is_bool_dtype(column.dtype):
        return "flag" if present.nunique() > 1 or len(present) < len(column) else ""
    if types.is_numeric_dtype(column.dtype) or types.is_timedelta64_dtype(column.dtype):
        return "number" if present.nunique() > 1 or len(present) < len(column) else ""
    if types.is_datetime64_any_dtype(column.dtype):
        return "date" if present.nunique() > 1 else ""
    texts = some.dropna().astype(str)
    distinct = present.astype(str).nunique()
    if distinct < 2 and len(present) == len(column):
        return ""
    if not isinstance(column.dtype, pd.CategoricalDtype) and _describe_columns_dates(texts):
        return "date"
    words = texts.str.count(r"\S+").mean()
    if words >= 3 and distinct > max(20, len(present) * 0.2):
        return "text"
    if distinct > max(50, len(present) * 0.9):
        return "text" if words >= 2 else ""
    return "category"


def _describe_columns_dates(texts: Any) -> bool:
    shaped = texts.str.match(r"\s*\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\b|\s*\d{4}-\d{2}\s*$")
    if len(texts) == 0 or shaped.mean() < 0.95:
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        read = pd.to_datetime(texts, errors="coerce", format="mixed")
    return bool(read.notna().mean() >= 0.95)


def _describe_columns_mark(column: Any) -> tuple[str, int]:
    kind = "number" if pd.api.types.is_numeric_dtype(column.dtype) else "other"
    values = column.astype(float) if kind == "number" else column.astype(str)
    return kind, int(pd.util.hash_array(values.to_numpy(dtype=None)).sum(dtype=np.uint64)) ^ hash(
        tuple(values.iloc[:50].astype(str))
    )


def test_kinds_by_example() -> None:
    count = 60
    table = pd.DataFrame(
        {
            "row": [f"r{each}" for each in range(count)],
            "size": np.arange(count) / 7,
            "size_again": np.arange(count) / 7,
            "same": 1,
            "when": ["2024-01-02", "2024-03-04"] * 30,
            "kind": ["a", "b", "c"] * 20,
            "said": [f"a {each} of {each * 3} words" for each in range(count)],
        }
    )
    assert describe_columns(table) == {
        "size": "number",
        "when": "date",
        "kind": "category",
        "said": "text",
    }


def test_nothing_left_is_an_error() -> None:
    message = ""
    try:
        describe_columns(pd.DataFrame({"a": [1, 1]}))
    except ValueError as error:
        message = str(error)
    assert "no column" in message


def test_property_numbers_stay_numbers_with_missing_values() -> None:
    random = np.random.default_rng(9)
    for _ in range(10):
        values = random.normal(size=50)
        values[random.random(50) < 0.3] = np.nan
        assert describe_columns(pd.DataFrame({"x": values})) == {"x": "number"}
