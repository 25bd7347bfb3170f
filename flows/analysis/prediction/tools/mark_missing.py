"""Make values that stand for a missing one missing: "N/A", "?", -999, infinite numbers.

Phases: data_cleaning
Gives: train, test
"""

from __future__ import annotations

import numpy as np
import pandas as pd

_MARK_MISSING_TEXTS = ("", "na", "n/a", "#n/a", "nan", "null", "none", "nil", "?", "-", "--", ".")


def mark_missing(
    train: pd.DataFrame,
    test: pd.DataFrame | None = None,
    *,
    ignore: list[str] | None = None,
    markers: list[str] | None = None,
    numbers: dict[str, list[float]] | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Set markers of what is missing to missing, in all columns but those to ignore.

    Args:
        train: The rows to learn from.
        test: The rows to predict, if there are any.
        ignore: Columns that stay as they are.
        markers: Texts that stand for a missing value, besides the usual ones; case does not count.
        numbers: Columns of numbers, each with the numbers that stand for a missing value.
    Returns:
        Both tables. Columns of text that hold numbers alone otherwise become numbers.
    Raises:
        ValueError: A column of `numbers` is not in train or is to be ignored.
    Example:
        train, test = mark_missing(train, test, numbers={"age": [-999]})
    """
    left_out, marked = set(ignore or []), numbers or {}
    for name in marked:
        if name not in train.columns or name in left_out:
            raise ValueError(f"there is no column {name!r} in train to mark")
    texts = {*_MARK_MISSING_TEXTS, *(each.strip().casefold() for each in markers or [])}
    left, right = train.copy(), None if test is None else test.copy()
    for name in train.columns:
        if name in left_out:
            continue
        left[name] = _mark_missing_column(train[name], texts, marked.get(name, []))
        became = pd.api.types.is_numeric_dtype(left[name])
        if right is not None and name in right.columns:
            column = _mark_missing_column(right[name], texts, marked.get(name, []))
            right[name] = pd.to_numeric(column, errors="coerce") if became else column
    return left, right


def _mark_missing_column(column: pd.Series, texts: set[str], numbers: list[float]) -> pd.Series:
    if pd.api.types.is_bool_dtype(column) or pd.api.types.is_datetime64_any_dtype(column):
        return column
    if pd.api.types.is_numeric_dtype(column):
        bad = column.isin(numbers) | ~np.isfinite(column.astype("float64").fillna(0))
        return column.astype("float64").mask(bad) if bad.any() else column
    bad = column.map(lambda each: str(each).strip().casefold() in texts, na_action="ignore")
    bad = bad.fillna(False).astype(bool)
    if not bad.any():
        return column
    rest = column.astype(object).mask(bad, None)
    known = rest.dropna()
    parsed = pd.to_numeric(known, errors="coerce")
    return pd.to_numeric(rest) if len(known) and parsed.notna().all() else rest


def test_texts_and_numbers_become_missing() -> None:
    train = pd.DataFrame({"a": [1.0, -999.0, np.inf], "b": ["x", "N/A", " ? "], "y": [1, 2, -999]})
    found, test = mark_missing(train, train, ignore=["y"], numbers={"a": [-999]})
    assert found["a"].isna().tolist() == [False, True, True]
    assert found["b"].isna().tolist() == [False, True, True]
    assert found["y"].tolist() == [1, 2, -999]
    assert test is not None
    assert test["a"].isna().sum() == 2


def test_numbers_with_a_marker_become_numbers() -> None:
    train = pd.DataFrame({"a": ["1", "2.5", "n/a"]})
    found, test = mark_missing(train, pd.DataFrame({"a": ["7", "odd"]}))
    assert found["a"].tolist()[:2] == [1.0, 2.5]
    assert test is not None
    assert test["a"].isna().tolist() == [False, True]


def test_property_what_is_no_marker_stays() -> None:
    generator = np.random.default_rng(5)
    for rows in (1, 7, 50):
        values = pd.Series(generator.choice(["x", "none of it", "NULL", "-"], rows))
        found, _ = mark_missing(pd.DataFrame({"a": values}))
        assert found["a"].notna().tolist() == values.isin(["x", "none of it"]).tolist()
