"""Train and test have the same columns, of the same kind.

Phases: data_cleaning, feature_engineering
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd


def same_columns(
    train: pd.DataFrame, test: pd.DataFrame, *, task: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Test has the columns of train without the targets; numbers, dates, truths and texts are so
    in both. Whole and real numbers are of one kind. Test may lack the identifier.

    Args:
        train: the rows to learn from.
        test: the rows to predict.
        task: what is predicted: `targets` and `identifier`.
    Returns:
        None if they are the same, else what is wrong.
    Example:
        same_columns(train, test, task={"targets": ["price"]})
    """
    targets = set(task.get("targets", ()))
    own = [name for name in train.columns if name not in targets]
    needed = [name for name in own if name != task.get("identifier")]
    only_train = [name for name in needed if name not in test.columns]
    only_test = [name for name in test.columns if name not in own and name not in targets]
    kinds = {
        name: (_same_columns_kind(train[name]), _same_columns_kind(test[name]))
        for name in own
        if name in test.columns
    }
    differ = [
        name for name, (left, right) in kinds.items() if left != right and right != "empty"
    ]  # an empty column of test is told by others
    told = []
    if only_train:
        told.append(f"only train has {_same_columns_named(only_train)}")
    if only_test:
        told.append(f"only test has {_same_columns_named(only_test)}")
    if differ:
        left, right = kinds[differ[0]]
        told.append(
            f"the kind of {_same_columns_named(differ)} differs ({left} in train, {right} in test)"
        )
    if not told:
        return None
    return {
        "message": "; ".join(told),
        "advice": "make the columns of test those of train, in the same kind, at the end: "
        "align_test_columns does so; and do to test what is done to train",
        "culprits": [*only_train, *only_test, *differ],
    }


def _same_columns_named(names: list[str]) -> str:
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(map(repr, names[:5])) + more


def _same_columns_kind(column: pd.Series) -> str:
    if pd.api.types.is_bool_dtype(column.dtype):
        return "truth"
    if pd.api.types.is_numeric_dtype(column.dtype):
        return "number"
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return "date"
    return "text" if column.notna().any() else "empty"


def test_columns_of_one_table_alone_are_told() -> None:
    train = pd.DataFrame({"a": [1], "b": [2], "y": [3]})
    test = pd.DataFrame({"a": [1.5], "c": [2]})
    wrong = same_columns(train, test, task={"targets": ["y"]})
    assert wrong is not None
    assert wrong["culprits"] == ["b", "c"]
    assert same_columns(train[["a", "y"]], test[["a"]], task={"targets": ["y"]}) is None


def test_another_kind_is_told() -> None:
    train, test = pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"a": ["1", "2"]})
    wrong = same_columns(train, test, task={})
    assert wrong is not None
    assert "number in train, text in test" in wrong["message"]


def test_property_a_table_is_like_itself() -> None:
    random = np.random.default_rng(1)
    for _ in range(10):
        table = pd.DataFrame(
            {f"c{at}": random.choice(np.array([1, "a", None], dtype=object), 5) for at in range(4)}
        )
        gone = f"c{random.integers(4)}"
        assert same_columns(table, table.copy(), task={}) is None
        wrong = same_columns(table, table.drop(columns=gone), task={})
        assert wrong is not None
        assert wrong["culprits"] == [gone]
