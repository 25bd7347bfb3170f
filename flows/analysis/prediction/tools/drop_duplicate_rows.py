"""Leave out rows of train that are there before, value for value.

Phases: data_cleaning
Gives: train
"""

from __future__ import annotations

import numpy as np
import pandas as pd


def drop_duplicate_rows(train: pd.DataFrame, *, ignore: list[str] | None = None) -> pd.DataFrame:
    """Keep the first of equal rows.

    Args:
        train: The rows to learn from.
        ignore: Columns that are not compared, such as a running number. None of them without it.
    Returns:
        The rows that are left, in their order, numbered anew.
    Raises:
        ValueError: A column to ignore is not there, or none is left to compare.
    Example:
        train = drop_duplicate_rows(train, ignore=["row_number"])
    """
    left_out = ignore or []
    if unknown := [name for name in left_out if name not in train.columns]:
        raise ValueError(f"there is no column {unknown[0]!r} in train")
    compared = [name for name in train.columns if name not in left_out]
    if not compared:
        raise ValueError("no column is left to compare rows by")
    return train.drop_duplicates(subset=compared).reset_index(drop=True)


def test_the_first_of_equal_rows_is_kept() -> None:
    train = pd.DataFrame({"n": [1, 2, 3], "a": [5, 5, 6], "b": ["x", "x", "x"]})
    assert len(drop_duplicate_rows(train)) == 3
    assert drop_duplicate_rows(train, ignore=["n"])["n"].tolist() == [1, 3]


def test_property_a_second_time_changes_nothing() -> None:
    generator = np.random.default_rng(1)
    for rows in (1, 5, 40):
        train = pd.DataFrame(generator.integers(0, 3, (rows, 2)), columns=["a", "b"])
        once = drop_duplicate_rows(train)
        pd.testing.assert_frame_equal(drop_duplicate_rows(once), once)
        assert set(map(tuple, once.to_numpy())) == set(map(tuple, train.to_numpy()))
