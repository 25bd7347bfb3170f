"""Fill what is missing, with a column that says where it was.

Phases: data_cleaning, feature_engineering
Gives: train, test
"""

from __future__ import annotations

import numpy as np
import pandas as pd


def fill_missing_values(
    train: pd.DataFrame,
    test: pd.DataFrame | None = None,
    *,
    columns: list[str] | None = None,
    ignore: list[str] | None = None,
    method: str = "median",
    flag: bool = True,
    text: str = "missing",
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Fill numbers and dates by the median of train, others by a word or the commonest value.

    A column NAME_was_missing (1 or 0) is added where at least 1 % of train is missing and no other
    column misses in the same rows.

    Args:
        train: The rows to learn from.
        test: The rows to predict, if there are any.
        columns: The columns to fill. All of them without it.
        ignore: Columns that stay as they are, such as targets.
        method: "median", "mean" or "most_frequent"; the last fills categories, too.
        flag: Whether to add the columns that say where a value was missing.
        text: The category of what is missing.
    Returns:
        Both tables; the columns hold no missing value any more.
    Raises:
        ValueError: A column is not there, or the method is unknown.
    Example:
        train, test = fill_missing_values(train, test, columns=["width"])
    """
    if method not in ("median", "mean", "most_frequent"):
        raise ValueError(f"there is no method {method!r}: median, mean or most_frequent")
    if unknown := [name for name in columns or [] if name not in train.columns]:
        raise ValueError(f"there is no column {unknown[0]!r} in train")
    chosen = [name for name in columns or train.columns if name not in (ignore or [])]
    tables = [train.copy()] + ([] if test is None else [test.copy()])
    patterns: set[bytes] = set()
    for name in chosen:
        if not any(name in each.columns and each[name].isna().any() for each in tables):
            continue
        value = _fill_missing_values_value(train[name], method, text)
        missing = train[name].isna()
        pattern = missing.to_numpy().tobytes()
        flagged = flag and 0.01 <= missing.mean() < 1 and pattern not in patterns
        patterns.add(pattern)
        for each in tables:
            if flagged and name in each.columns:
                each[f"{name}_was_missing"] = each[name].isna().astype("int64")
            if name in each.columns:
                each[name] = _fill_missing_values_filled(each[name], value)
    return tables[0], tables[1] if test is not None else None


def _fill_missing_values_value(column: pd.Series, method: str, text: str) -> object:
    """What stands for a missing value of the column."""
    known = column.dropna()
    if pd.api.types.is_bool_dtype(known.infer_objects()) and len(known):
        return bool(known.mode().iloc[0])
    if pd.api.types.is_numeric_dtype(column):
        if not len(known):
            return 0.0
        if method == "most_frequent":
            return float(known.mode().iloc[0])
        return float(known.mean() if method == "mean" else known.median())
    if pd.api.types.is_datetime64_any_dtype(column):
        return known.median() if len(known) else pd.Timestamp(0)
    return str(known.mode().iloc[0]) if method == "most_frequent" and len(known) else text


def _fill_missing_values_filled(column: pd.Series, value: object) -> pd.Series:
    if not column.isna().any():
        return column
    if isinstance(value, float) and pd.api.types.is_numeric_dtype(column):
        return column.astype("float64").fillna(value)
    if pd.api.types.is_datetime64_any_dtype(column):
        return column.fillna(value)
    filled = column.astype(object).where(column.notna(), value)
    return filled.astype(bool) if isinstance(value, bool) else filled


def test_the_median_of_train_fills_test() -> None:
    train = pd.DataFrame({"a": [1.0, 2.0, 6.0, None], "b": ["x", None, "x", "z"]})
    found, test = fill_missing_values(train, pd.DataFrame({"a": [None], "b": [None]}))
    assert found["a"].tolist() == [1.0, 2.0, 6.0, 2.0]
    assert found["a_was_missing"].tolist() == [0, 0, 0, 1]
    assert test is not None
    assert test["a"].tolist() == [2.0]
    assert test["b"].tolist() == ["missing"]
    assert test["b_was_missing"].tolist() == [1]


def test_columns_that_miss_together_have_one_flag() -> None:
    train = pd.DataFrame({"a": [1.0, None], "b": [None, 2.0], "c": [3.0, None]})
    found, _ = fill_missing_values(train)
    assert [each for each in found if each.endswith("missing")] == [
        "a_was_missing",
        "b_was_missing",
    ]


def test_dates_truth_and_the_commonest_value() -> None:
    train = pd.DataFrame(
        {
            "when": pd.to_datetime(["2024-01-01", None, "2024-01-03"]),
            "is": pd.Series([True, None, True], dtype=object),
            "b": ["x", None, "x"],
        }
    )
    found, _ = fill_missing_values(train, method="most_frequent", flag=False)
    assert found["when"].iloc[1] == pd.Timestamp("2024-01-02")
    assert found["is"].tolist() == [True, True, True]
    assert found["b"].tolist() == ["x", "x", "x"]


def test_property_nothing_is_missing_and_what_was_known_stays() -> None:
    generator = np.random.default_rng(6)
    for rows in (1, 6, 60):
        train = pd.DataFrame(generator.normal(size=(rows, 3)), columns=["a", "b", "y"])
        train = train.mask(generator.random(train.shape) < 0.3)
        found, _ = fill_missing_values(train, ignore=["y"])
        assert not found[["a", "b"]].isna().any().any()
        assert found["y"].isna().tolist() == train["y"].isna().tolist()
        known = train["a"].notna()
        assert found["a"][known].tolist() == train["a"][known].tolist()
