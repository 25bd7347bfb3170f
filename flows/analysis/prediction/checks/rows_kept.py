"""No row was lost and none is there twice.

Phases: preliminary_eda, data_cleaning, in_depth_eda, feature_engineering, model_building
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd


def rows_kept(
    train: pd.DataFrame,
    before_train: pd.DataFrame,
    test: pd.DataFrame | None = None,
    before_test: pd.DataFrame | None = None,
    *,
    task: Mapping[str, Any],
) -> dict[str, Any] | None:
    """Test has the rows that it had; train may lose those without a target and repeated ones.

    Rows that train may lose are told as a warning. Where the identifier tells rows apart, it tells
    which ones are gone; else they are counted.

    Args:
        train: the rows to learn from.
        before_train: train when the phase began.
        test: the rows to predict.
        before_test: test when the phase began.
        task: what is predicted: `targets` and `identifier`.
    Returns:
        None if all rows are there, else what is wrong.
    Example:
        rows_kept(train, before_train, test, before_test, task={"targets": ["price"]})
    """
    if before_test is not None and (test is None or len(test) != len(before_test)):
        now = 0 if test is None else len(test)
        return {
            "message": f"test has {now} rows, and it had {len(before_test)}: rows of test are "
            + ("lost" if now < len(before_test) else "there more than once"),
            "advice": "every row of test is predicted: do the steps that leave out or add rows to "
            "train only",
        }
    if len(train) > len(before_train):
        return _rows_kept_added(len(train) - len(before_train), len(before_train))
    removable = _rows_kept_removable(before_train, task)
    identifier = task.get("identifier")
    if _rows_kept_is_key(identifier, train, before_train):
        keys = before_train[identifier]
        kept = keys.isin(set(train[identifier]))
        strange = int((~train[identifier].isin(set(keys))).sum())
        lost = int((~kept & ~removable).sum())
        if strange:
            return None  # its values were changed, which another test tells
        doubled = len(train) - int(kept.sum())
        if doubled > 0:
            return _rows_kept_added(doubled, len(before_train))
    else:
        lost = max(0, len(before_train) - len(train) - int(removable.sum()))
    gone = len(before_train) - len(train)
    if lost:
        return {
            "message": f"{lost} rows of train are lost that have a target and are no repeated ones",
            "advice": "leave out the step that filters rows: those without a target and repeated "
            "ones alone may go",
        }
    if not gone:
        return None
    return {
        "message": f"{gone} of {len(before_train)} rows of train were left out: they had no target "
        "or were repeated",
        "advice": "",
        "level": "warning",
    }


def _rows_kept_added(count: int, rows: int) -> dict[str, Any]:
    return {
        "message": f"train has {count} rows more than the {rows} that it had: they are doubled",
        "advice": "join other tables by a key that is there once, and add no rows; "
        "drop_duplicate_rows leaves out doubled ones",
    }


def _rows_kept_removable(before: pd.DataFrame, task: Mapping[str, Any]) -> pd.Series:
    """The rows that may go: without a target, or equal to an earlier one."""
    targets = [name for name in task.get("targets", ()) if name in before.columns]
    texts = {
        name: before[name]
        if pd.api.types.is_numeric_dtype(before[name].dtype)
        else before[name].astype(str)
        for name in before.columns
    }
    found = pd.DataFrame(texts).duplicated()
    identifier = task.get("identifier")
    if identifier in before.columns:  # rows may be called twice and hold the same otherwise
        found |= before[identifier].duplicated()
    return found | before[targets].isna().any(axis=1)


def _rows_kept_is_key(identifier: Any, train: pd.DataFrame, before: pd.DataFrame) -> bool:
    return (
        identifier in train.columns
        and identifier in before.columns
        and before[identifier].is_unique
        and train[identifier].dtype == before[identifier].dtype
    )


def _rows_kept_example() -> pd.DataFrame:
    return pd.DataFrame({"i": [1, 2, 3, 4], "a": [5, 5, 6, 7], "y": [0.0, 1.0, np.nan, 1.0]})


def test_a_lost_row_is_told_and_one_without_target_may_go() -> None:
    before, task = _rows_kept_example(), {"targets": ["y"], "identifier": "i"}
    wrong = rows_kept(before.drop(index=0), before, task=task)
    assert wrong is not None
    assert wrong["message"].startswith("1 rows of train are lost")
    warned = rows_kept(before.drop(index=2), before, task=task)
    assert warned is not None
    assert warned["level"] == "warning"
    assert rows_kept(before, before, task=task) is None


def test_a_row_that_takes_the_place_of_another_is_told() -> None:
    before, task = _rows_kept_example(), {"targets": ["y"], "identifier": "i"}
    wrong = rows_kept(before.iloc[[0, 0, 2, 3]], before, task=task)
    assert wrong is not None
    assert "doubled" in wrong["message"]


def test_test_never_loses_a_row() -> None:
    before = _rows_kept_example()
    wrong = rows_kept(before, before, before[:3], before, task={"targets": ["y"]})
    assert wrong is not None
    assert "test has 3 rows" in wrong["message"]


def test_property_repeated_rows_may_go_and_no_more() -> None:
    random = np.random.default_rng(1)
    for _ in range(10):
        before = pd.DataFrame(random.integers(0, 3, (40, 2)), columns=["a", "y"])
        once = before.drop_duplicates()
        warned = rows_kept(once, before, task={"targets": ["y"]})
        assert warned is not None
        assert warned["level"] == "warning"
        wrong = rows_kept(once[1:], before, task={"targets": ["y"]})
        assert wrong is not None
        assert "level" not in wrong
