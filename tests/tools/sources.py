"""The texts of tools that tests make, and what they change in them."""

from __future__ import annotations

FILL = '''"""Fill what is missing in number columns.

Phases: data_cleaning, feature_engineering
Gives: train, test
"""

from __future__ import annotations

from typing import Literal

import pandas as pd

_Method = Literal["median", "mean"]


def fill_numbers(
    train: pd.DataFrame,
    test: pd.DataFrame | None = None,
    *,
    columns: list[str],
    method: _Method = "median",
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Put what is usual in train where a number is missing.

    The usual value is learned from train only.

    Args:
        train, test: Tables that have
            the columns.
        columns: The names of number columns.
        method: What is usual: the median, or the mean.

    Returns:
        Both tables, without gaps in the columns.

    Raises:
        ValueError: A column is not there.

    Example:
        train, test = fill_numbers(train, test, columns=["width"])
    """
    for each in columns:
        if each not in train:
            raise ValueError(f"train has no column {each!r}")
    usual = {each: getattr(train[each], method)() for each in columns}
    return train.fillna(usual), None if test is None else test.fillna(usual)


def test_the_median_of_train_fills_both() -> None:
    train = pd.DataFrame({"width": [1.0, None, 3.0]})
    test = pd.DataFrame({"width": [None, 9.0]})
    filled, other = fill_numbers(train, test, columns=["width"])
    assert filled["width"].tolist() == [1.0, 2.0, 3.0]
    assert other is not None
    assert other["width"].tolist() == [2.0, 9.0]


def test_an_unknown_column_is_named() -> None:
    try:
        fill_numbers(pd.DataFrame({"a": [1]}), columns=["b"])
    except ValueError as error:
        assert "'b'" in str(error)
    else:
        raise AssertionError("nothing was raised")
'''

DOUBLE = '''"""Double a number.

Phases: feature_engineering
"""


def double(number: int) -> int:
    """Twice the number.

    Args:
        number: Any number.
    """
    return number + number


def test_two_is_four() -> None:
    assert double(2) == 4
'''
