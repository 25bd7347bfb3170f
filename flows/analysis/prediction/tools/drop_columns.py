"""Leave out columns that tell nothing: named ones, constant, empty or repeated ones.

Phases: data_cleaning, feature_engineering
Gives: train, test
"""

from __future__ import annotations

import numpy as np
import pandas as pd


def drop_columns(
    train: pd.DataFrame,
    test: pd.DataFrame | None = None,
    *,
    columns: list[str] | None = None,
    keep: list[str] | None = None,
    constant: bool = True,
    identical: bool = True,
    missing_share: float = 1.0,
    strict: bool = True,
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Drop the named columns, and those of train that are of no use, from both tables.

    Args:
        train: The rows to learn from.
        test: The rows to predict, if there are any.
        columns: Columns to drop in any case.
        keep: Columns that stay whatever they hold: targets, identifiers, groups, times.
        constant: Drop columns that hold one value in all rows of train.
        identical: Drop columns that hold the same as an earlier one in all rows of train, and in
            all of test.
        missing_share: Drop columns of which at least this share is missing in train, 0 to 1.
        strict: Whether a named column that is not in train is an error; else it is passed over.
    Returns:
        Both tables without the columns.
    Raises:
        ValueError: A named column is not in train (where it is `strict`), or is to be kept as well.
    Example:
        train, test = drop_columns(train, test, keep=["id", "price"])
    """
    there = set(train.columns)
    named, kept = [each for each in columns or [] if strict or each in there], set(keep or [])
    for name in named:
        if name not in there:
            raise ValueError(f"there is no column {name!r} in train")
        if name in kept:
            raise ValueError(f"the column {name!r} is to be kept")
    dropped = set(named)
    seen: dict[bytes, str] = {}
    for name in train.columns:
        if name in dropped or name in kept:
            continue
        column = train[name]
        empty = bool(len(column)) and column.isna().mean() >= missing_share
        if empty or (constant and column.nunique(dropna=False) <= 1):
            dropped.add(name)
            continue
        if identical and seen.setdefault(_drop_columns_mark(name, train, test), name) != name:
            dropped.add(name)
    rest = None if test is None else test.drop(columns=[each for each in test if each in dropped])
    return train.drop(columns=sorted(dropped)), rest


def _drop_columns_mark(name: str, train: pd.DataFrame, test: pd.DataFrame | None) -> bytes:
    """What two columns have in common when they hold the same in every row."""
    parts = [train[name]]
    if test is not None and name in test.columns:
        parts.append(test[name])
    marks = []
    for part in parts:
        plain = part.astype("float64") if pd.api.types.is_numeric_dtype(part) else part.astype(str)
        marks.append(pd.util.hash_pandas_object(plain, index=False).to_numpy().tobytes())
    return b"|".join(marks)


def test_constant_empty_and_repeated_columns_go_from_both() -> None:
    train = pd.DataFrame(
        {"a": [1, 2, 3], "same": [1, 2, 3], "one": [4] * 3, "none": [None] * 3, "y": [1, 1, 1]}
    )
    left, test = drop_columns(train, train.drop(columns="y"), keep=["y"])
    assert list(left.columns) == ["a", "y"]
    assert test is not None
    assert list(test.columns) == ["a"]


def test_what_differs_in_test_alone_stays() -> None:
    train = pd.DataFrame({"a": [1, 2], "b": [1, 2]})
    left, _ = drop_columns(train, pd.DataFrame({"a": [1, 2], "b": [1, 3]}))
    assert list(left.columns) == ["a", "b"]


def test_a_column_that_is_kept_cannot_be_dropped() -> None:
    message = ""
    try:
        drop_columns(pd.DataFrame({"y": [1, 2]}), columns=["y"], keep=["y"])
    except ValueError as error:
        message = str(error)
    assert "'y'" in message


def test_a_column_that_is_gone_is_passed_over_where_that_is_said() -> None:
    train = pd.DataFrame({"a": [1, 2], "b": [2, 1]})
    left, _ = drop_columns(train, columns=["b", "gone"], strict=False)
    assert list(left.columns) == ["a"]
    message = ""
    try:
        drop_columns(train, columns=["gone"])
    except ValueError as error:
        message = str(error)
    assert "'gone'" in message


def test_property_no_two_columns_are_left_that_hold_the_same() -> None:
    generator = np.random.default_rng(2)
    for width in (1, 4, 12):
        train = pd.DataFrame(generator.integers(0, 2, (3, width)))
        train.columns = [f"c{each}" for each in range(width)]
        left, _ = drop_columns(train)
        columns = [tuple(left[name]) for name in left]
        assert len(set(columns)) == len(columns)
        assert all(len(set(each)) > 1 for each in columns)
