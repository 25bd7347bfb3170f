"""Tell of each column its kind, what is missing, how many values it has and where they lie.

Phases: preliminary_eda, data_cleaning, in_depth_eda, feature_engineering
"""

from __future__ import annotations

import numpy as np
import pandas as pd


def summarize_columns(train: pd.DataFrame, test: pd.DataFrame | None = None) -> pd.DataFrame:
    """One row for each column of train.

    Args:
        train: The rows to learn from.
        test: The rows to predict, if there are any.
    Returns:
        column, kind (number, text, date, truth), missing (rows), missing_share (0 to 1), distinct,
        mean, std, minimum, median, maximum, skew (of numbers), most_frequent, its share of all
        rows, and test_missing_share (empty for columns that test has not).
    Raises:
        ValueError: train has no column.
    Example:
        summarize_columns(train, test)
    """
    if not len(train.columns):
        raise ValueError("train has no column")
    rows = []
    for name in train.columns:
        row = _summarize_columns_row(name, train[name])
        row["test_missing_share"] = None
        if test is not None and name in test.columns and len(test):
            row["test_missing_share"] = float(test[name].isna().mean())
        rows.append(row)
    return pd.DataFrame(rows)


def _summarize_columns_row(name: str, column: pd.Series) -> dict[str, object]:
    known = column.dropna()
    counts = known.map(str).value_counts()
    row: dict[str, object] = {
        "column": name,
        "kind": _summarize_columns_kind(column),
        "missing": int(column.isna().sum()),
        "missing_share": float(column.isna().mean()) if len(column) else 0.0,
        "distinct": int(known.nunique()),
    }
    numbers = known.astype("float64") if row["kind"] == "number" else known.iloc[:0]
    numbers = numbers[np.isfinite(numbers)] if len(numbers) else pd.Series(dtype="float64")
    for label in ("mean", "std", "min", "median", "max", "skew"):
        value = getattr(numbers, label)()
        written = {"min": "minimum", "max": "maximum"}.get(label, label)
        row[written] = None if pd.isna(value) else float(value)
    row["most_frequent"] = str(counts.index[0])[:60] if len(counts) else None
    row["most_frequent_share"] = float(counts.iloc[0] / len(column)) if len(counts) else None
    return row


def _summarize_columns_kind(column: pd.Series) -> str:
    if pd.api.types.is_bool_dtype(column):
        return "truth"
    if pd.api.types.is_numeric_dtype(column):
        return "number"
    return "date" if pd.api.types.is_datetime64_any_dtype(column) else "text"


def test_numbers_and_texts() -> None:
    train = pd.DataFrame({"a": [1.0, 2.0, None, 2.0], "b": ["x", "y", "x", "x"]})
    found = summarize_columns(train, pd.DataFrame({"b": [None, "x"]})).set_index("column")
    assert found.loc["a", "missing"] == 1
    assert found.loc["a", "median"] == 2.0
    assert found.loc["b", "most_frequent"] == "x"
    assert found.loc["b", "most_frequent_share"] == 0.75
    assert found.loc["b", "test_missing_share"] == 0.5


def test_property_as_many_rows_as_columns_and_shares_below_one() -> None:
    generator = np.random.default_rng(11)
    for width in (1, 3, 9):
        train = pd.DataFrame(generator.normal(size=(20, width)))
        train.columns = [f"c{each}" for each in range(width)]
        train = train.mask(generator.random(train.shape) < 0.5)
        found = summarize_columns(train)
        assert found["column"].tolist() == list(train.columns)
        assert found["missing_share"].between(0, 1).all()
        assert (found["missing"] == train.isna().sum().to_numpy()).all()
