"""Add how frequent each value of a category is.

Phases: feature_engineering
Gives: train, test
"""

from __future__ import annotations

import numpy as np
import pandas as pd


def encode_frequency(
    train: pd.DataFrame, test: pd.DataFrame | None = None, *, columns: list[str]
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Add NAME_frequency, the share of the rows of train that hold the same value.

    Args:
        train: The rows to learn from.
        test: The rows to predict, if there are any.
        columns: Columns of categories.
    Returns:
        Both tables; values that train has not have the frequency 0, and so have missing ones.
    Raises:
        ValueError: A column is not there.
    Example:
        train, test = encode_frequency(train, test, columns=["town"])
    """
    left, right = train.copy(), None if test is None else test.copy()
    for name in columns:
        if name not in train.columns:
            raise ValueError(f"there is no column {name!r} in train")
        shares = train[name].map(str, na_action="ignore").value_counts() / max(1, len(train))
        for table in [left] if right is None else [left, right]:
            found = table[name].map(str, na_action="ignore").map(shares)
            table[f"{name}_frequency"] = found.astype("float64").fillna(0.0)
    return left, right


def test_the_shares_are_those_of_train() -> None:
    train = pd.DataFrame({"a": ["x", "x", "z", None]})
    found, test = encode_frequency(train, pd.DataFrame({"a": ["z", "new"]}), columns=["a"])
    assert found["a_frequency"].tolist() == [0.5, 0.5, 0.25, 0.0]
    assert test is not None
    assert test["a_frequency"].tolist() == [0.25, 0.0]


def test_property_the_shares_of_the_values_add_up_to_one() -> None:
    generator = np.random.default_rng(23)
    for rows in (1, 20, 90):
        train = pd.DataFrame({"a": generator.choice(list("abcd"), rows)})
        found, _ = encode_frequency(train, columns=["a"])
        once = found.drop_duplicates("a")
        assert abs(once["a_frequency"].sum() - 1) < 1e-9
