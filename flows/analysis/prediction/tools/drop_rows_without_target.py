"""Leave out rows of train of which a target is not known.

Phases: data_cleaning
Gives: train
"""

from __future__ import annotations

import numpy as np
import pandas as pd


def drop_rows_without_target(train: pd.DataFrame, *, targets: list[str]) -> pd.DataFrame:
    """Keep the rows that hold all targets.

    Args:
        train: The rows to learn from.
        targets: The columns to predict.
    Returns:
        The rows that are left, in their order, numbered anew.
    Raises:
        ValueError: A target is not a column of train, or no row is left.
    Example:
        train = drop_rows_without_target(train, targets=["price"])
    """
    if unknown := [name for name in targets if name not in train.columns]:
        raise ValueError(f"there is no column {unknown[0]!r} in train")
    left = train.dropna(subset=targets).reset_index(drop=True)
    if left.empty:
        raise ValueError(f"no row of train holds {', '.join(map(repr, targets))}")
    return left


def test_rows_without_a_target_go() -> None:
    train = pd.DataFrame({"a": [1.0, None, 3.0], "y": [1.0, 2.0, None]})
    found = drop_rows_without_target(train, targets=["y"])
    assert found["y"].tolist() == [1.0, 2.0]
    assert found.index.tolist() == [0, 1]


def test_an_unknown_target_is_named() -> None:
    message = ""
    try:
        drop_rows_without_target(pd.DataFrame({"a": [1]}), targets=["y"])
    except ValueError as error:
        message = str(error)
    assert "'y'" in message


def test_property_as_many_rows_as_targets_are_known() -> None:
    generator = np.random.default_rng(8)
    for rows in (2, 10, 50):
        values = pd.Series(generator.normal(size=rows)).mask(generator.random(rows) < 0.4)
        values.iloc[0] = 1.0
        found = drop_rows_without_target(pd.DataFrame({"y": values}), targets=["y"])
        assert len(found) == values.notna().sum()
