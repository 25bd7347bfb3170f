"""Add ratios, differences, sums and products of two columns of numbers.

Phases: feature_engineering
Gives: train, test
"""

from __future__ import annotations

import numpy as np
import pandas as pd

_COMBINE_COLUMNS_WORDS = {"/": "per", "-": "minus", "*": "times", "+": "plus"}


def combine_columns(
    train: pd.DataFrame, test: pd.DataFrame | None = None, *, pairs: list[list[str]]
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Add one column for each pair, such as LEFT_per_RIGHT, LEFT_minus_RIGHT, LEFT_times_RIGHT.

    Args:
        train: The rows to learn from.
        test: The rows to predict, if there are any.
        pairs: Each a left column, one of "/", "-", "*" or "+", and a right column.
    Returns:
        Both tables. A ratio to nought is missing, and so is what a missing value goes into.
    Raises:
        ValueError: A column is not there or holds no numbers, or the operation is unknown.
    Example:
        train, test = combine_columns(train, test, pairs=[["price", "/", "area"]])
    """
    for left, operation, right in pairs:
        if operation not in _COMBINE_COLUMNS_WORDS:
            raise ValueError(f"there is no operation {operation!r}: /, -, * or +")
        for name in (left, right):
            if name not in train.columns:
                raise ValueError(f"there is no column {name!r} in train")
            if not pd.api.types.is_numeric_dtype(train[name]):
                raise ValueError(f"the column {name!r} holds no numbers")
    wide = _combine_columns_added(train, pairs)
    return wide, None if test is None else _combine_columns_added(test, pairs)


def _combine_columns_added(table: pd.DataFrame, pairs: list[list[str]]) -> pd.DataFrame:
    found = {}
    for left, operation, right in pairs:
        first, second = table[left].astype("float64"), table[right].astype("float64")
        with np.errstate(all="ignore"):
            if operation == "/":
                told = first / second.where(second != 0)
            elif operation == "-":
                told = first - second
            else:
                told = first * second if operation == "*" else first + second
        name = f"{left}_{_COMBINE_COLUMNS_WORDS[operation]}_{right}"
        found[name] = told.replace([np.inf, -np.inf], np.nan)
    rest = table.drop(columns=[name for name in found if name in table.columns])
    return pd.concat([rest, pd.DataFrame(found, index=table.index)], axis=1)


def test_each_operation() -> None:
    train = pd.DataFrame({"a": [6.0, 1.0], "b": [3.0, 0.0]})
    pairs = [["a", "/", "b"], ["a", "-", "b"], ["a", "*", "b"], ["a", "+", "b"]]
    found, test = combine_columns(train, train, pairs=pairs)
    assert found["a_per_b"].iloc[0] == 2.0
    assert found["a_per_b"].isna().tolist() == [False, True]
    assert found["a_minus_b"].tolist() == [3.0, 1.0]
    assert found["a_times_b"].tolist() == [18.0, 0.0]
    assert found["a_plus_b"].tolist() == [9.0, 1.0]
    assert test is not None
    assert list(test.columns) == list(found.columns)


def test_text_is_refused() -> None:
    message = ""
    try:
        combine_columns(pd.DataFrame({"a": [1], "b": ["x"]}), pairs=[["a", "/", "b"]])
    except ValueError as error:
        message = str(error)
    assert "'b'" in message


def test_property_a_ratio_times_its_right_is_its_left() -> None:
    generator = np.random.default_rng(26)
    train = pd.DataFrame(generator.normal(size=(50, 2)), columns=["a", "b"])
    found, _ = combine_columns(train, pairs=[["a", "/", "b"], ["a", "-", "b"]])
    assert np.allclose(found["a_per_b"] * found["b"], found["a"])
    assert np.allclose(found["a_minus_b"] + found["b"], found["a"])
