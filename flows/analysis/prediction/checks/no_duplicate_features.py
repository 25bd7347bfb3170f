"""No feature holds the same as another one.

Phases: data_cleaning, feature_engineering
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd


def no_duplicate_features(
    train: pd.DataFrame, test: pd.DataFrame | None = None, *, task: Mapping[str, Any]
) -> dict[str, Any] | None:
    """No two columns hold the same in every row of train, and of test.

    Targets, the identifier, the group and the time are not compared.

    Args:
        train: the rows to learn from.
        test: the rows to predict.
        task: what is predicted: `targets`, `identifier`, `group` and `time`.
    Returns:
        None if each is its own, else what is wrong.
    Example:
        no_duplicate_features(train, test, task={"targets": ["price"]})
    """
    named = [task.get("identifier"), task.get("group"), task.get("time")]
    kept = {*task.get("targets", ()), *named}
    names = [name for name in train.columns if name not in kept] if len(train) > 1 else []
    first: dict[bytes, str] = {}
    found = {}
    for name in names:
        mark = _no_duplicate_features_mark(name, train, test)
        if first.setdefault(mark, name) != name:
            found[name] = first[mark]
    if not found:
        return None
    told = [f"{name!r} (as {other!r})" for name, other in list(found.items())[:5]]
    more = f" and {len(found) - 5} more" if len(found) > 5 else ""
    return {
        "message": f"duplicate features: {', '.join(told)}{more} hold the same in every row",
        "advice": "drop_columns leaves them out, after all other steps",
        "culprits": list(found),
    }


def _no_duplicate_features_mark(name: str, train: pd.DataFrame, test: pd.DataFrame | None) -> bytes:
    """What two columns have in common when they hold the same in every row."""
    marks = []
    for table in (train, test):
        if table is None or name not in table.columns:
            continue
        part = table[name]
        plain = part.astype("float64") if pd.api.types.is_numeric_dtype(part) else part.astype(str)
        marks.append(pd.util.hash_pandas_object(plain, index=False).to_numpy().tobytes())
    return b"|".join(marks)


def test_a_copy_is_told_and_a_target_is_none() -> None:
    train = pd.DataFrame({"a": [1, 2], "b": [1.0, 2.0], "y": [1, 2]})
    wrong = no_duplicate_features(train, task={"targets": ["y"]})
    assert wrong is not None
    assert wrong["culprits"] == ["b"]
    assert no_duplicate_features(train[["a", "y"]], task={"targets": ["y"]}) is None


def test_columns_that_differ_in_test_are_no_copies() -> None:
    train = pd.DataFrame({"a": [1, 2], "b": [1, 2]})
    test = pd.DataFrame({"a": [1, 2], "b": [1, 3]})
    assert no_duplicate_features(train, test, task={}) is None


def test_property_one_other_row_makes_another_feature() -> None:
    random = np.random.default_rng(1)
    for _ in range(10):
        table = pd.DataFrame({"a": random.integers(0, 3, 50).astype(str)})
        table["b"] = table["a"]
        assert no_duplicate_features(table, task={}) is not None
        table.loc[random.integers(50), "b"] = "7"
        assert no_duplicate_features(table, task={}) is None
