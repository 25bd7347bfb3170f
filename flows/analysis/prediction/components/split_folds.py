"""Give the rows that each fold is learned from, and those that it is judged by.

Phases: model_building
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd


def split_folds(
    folds: pd.DataFrame, validation: pd.DataFrame | None = None
) -> list[tuple[Any, Any]]:
    """Places of the rows that are learned from, and of those that are judged, for each fold.

    Args:
        folds: the table that `make_folds` gives.
        validation: the same; where its kind is "time", a fold is learned from earlier ones alone.
    Returns:
        a pair of arrays for each fold, in order.
    Raises:
        ValueError: if no row is judged.
    Example:
        for learned, judged in split_folds(folds, validation): ...
    """
    parts = folds["fold"].to_numpy()
    timed = validation is not None and len(validation) > 0 and validation["kind"].iloc[0] == "time"
    numbers = sorted(set(parts[parts >= 0].tolist()))
    if not numbers:
        raise ValueError("no row is in a fold that is judged")
    found = []
    for number in numbers:
        learned = (parts >= -1) & (parts < number if timed else parts != number)
        if learned.any():
            found.append((np.flatnonzero(learned), np.flatnonzero(parts == number)))
    return found


def test_rows_that_are_not_used_are_in_no_fold() -> None:
    folds = pd.DataFrame({"fold": [-2, -1, 0, 1]})
    ((learned, judged), _) = split_folds(folds)
    assert learned.tolist() == [1, 3]
    assert judged.tolist() == [2]


def test_in_time_only_earlier_rows_are_learned_from() -> None:
    folds = pd.DataFrame({"fold": [-1, 0, 1, 2]})
    found = split_folds(folds, pd.DataFrame({"kind": ["time"]}))
    assert [each.tolist() for each, _ in found] == [[0], [0, 1], [0, 1, 2]]


def test_property_no_row_is_judged_by_what_was_learned_from_it() -> None:
    random = np.random.default_rng(3)
    for _ in range(20):
        folds = pd.DataFrame({"fold": random.integers(-2, 5, 60)})
        for learned, judged in split_folds(folds):
            assert not set(learned.tolist()) & set(judged.tolist())
