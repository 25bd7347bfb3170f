"""No feature holds one value in all rows.

Phases: data_cleaning, feature_engineering
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

_NO_CONSTANT_FEATURES_FIRST = 1000  # rows that are looked at first: most columns vary there


def no_constant_features(train: pd.DataFrame, *, task: Mapping[str, Any]) -> dict[str, Any] | None:
    """Each column of train but targets, identifier, group and time has two values at least; a
    missing one counts as a value.

    Args:
        train: the rows to learn from.
        task: what is predicted: `targets`, `identifier`, `group` and `time`.
    Returns:
        None if all vary, else what is wrong.
    Example:
        no_constant_features(train, task={"targets": ["price"]})
    """
    named = [task.get("identifier"), task.get("group"), task.get("time")]
    kept = {*task.get("targets", ()), *named}
    found = [
        name
        for name in train.columns
        if name not in kept and len(train) > 1 and _no_constant_features_is(train[name])
    ]
    if not found:
        return None
    more = f" and {len(found) - 5} more" if len(found) > 5 else ""
    return {
        "message": f"constant: {', '.join(map(repr, found[:5]))}{more} hold one value in all rows "
        "of train",
        "advice": "drop_columns leaves them out, after all other steps",
        "culprits": found,
    }


def _no_constant_features_is(column: pd.Series) -> bool:
    for part in (column.head(_NO_CONSTANT_FEATURES_FIRST), column):
        plain = part if pd.api.types.is_numeric_dtype(part.dtype) else part.astype(str)
        if plain.nunique(dropna=False) > 1:
            return False
    return True


def test_a_constant_column_is_told() -> None:
    train = pd.DataFrame({"a": [1, 1], "b": [1, 2], "c": [None, None], "y": [1, 1]})
    wrong = no_constant_features(train, task={"targets": ["y"]})
    assert wrong is not None
    assert wrong["culprits"] == ["a", "c"]
    assert no_constant_features(train[["b", "y"]], task={"targets": ["y"]}) is None


def test_property_one_other_row_is_enough() -> None:
    random = np.random.default_rng(1)
    for _ in range(5):
        column = np.zeros(3000)
        assert no_constant_features(pd.DataFrame({"a": column}), task={}) is not None
        column[random.integers(3000)] = 1
        assert no_constant_features(pd.DataFrame({"a": column}), task={}) is None
