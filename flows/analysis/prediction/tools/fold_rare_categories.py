"""Fold the rare values of categories into one, and those that train has not.

Phases: feature_engineering, data_cleaning
Gives: train, test
"""

from __future__ import annotations

import numpy as np
import pandas as pd


def fold_rare_categories(
    train: pd.DataFrame,
    test: pd.DataFrame | None = None,
    *,
    columns: list[str],
    least: int = 10,
    name: str = "other",
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Give one name to all values that are in fewer rows of train than `least`.

    Args:
        train: The rows to learn from.
        test: The rows to predict, if there are any.
        columns: Columns of categories.
        least: In how many rows of train a value must be to stay.
        name: What the others are called.
    Returns:
        Both tables; what is missing stays missing.
    Raises:
        ValueError: A column is not there.
    Example:
        train, test = fold_rare_categories(train, test, columns=["town"], least=20)
    """
    left, right = train.copy(), None if test is None else test.copy()
    for each in columns:
        if each not in train.columns:
            raise ValueError(f"there is no column {each!r} in train")
        counts = train[each].map(str, na_action="ignore").value_counts()
        frequent = set(counts.index[counts >= least])
        for table in [left] if right is None else [left, right]:
            texts = table[each].map(str, na_action="ignore").astype(object)
            table[each] = texts.where(texts.isin(frequent) | texts.isna(), name)
    return left, right


def test_rare_and_unseen_values_are_folded() -> None:
    train = pd.DataFrame({"a": ["x", "x", "z", None]})
    found, test = fold_rare_categories(
        train, pd.DataFrame({"a": ["x", "new"]}), columns=["a"], least=2
    )
    assert found["a"].tolist()[:3] == ["x", "x", "other"]
    assert found["a"].isna().sum() == 1
    assert test is not None
    assert test["a"].tolist() == ["x", "other"]


def test_property_every_value_left_is_frequent() -> None:
    generator = np.random.default_rng(22)
    for least in (1, 5, 100):
        train = pd.DataFrame({"a": generator.choice(list("abcdefgh"), 60)})
        found, _ = fold_rare_categories(train, columns=["a"], least=least)
        counts = found["a"].value_counts().drop("other", errors="ignore")
        assert (counts >= least).all()
        assert len(found) == 60
