"""The target is in train as it was read, and not in test.

Phases: data_cleaning, in_depth_eda, feature_engineering, model_building
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd


def target_kept(
    train: pd.DataFrame,
    raw_train: pd.DataFrame,
    test: pd.DataFrame | None = None,
    *,
    task: Mapping[str, Any],
) -> dict[str, Any] | None:
    """Each target is a column of train whose values are those that were read.

    Classes may have other names, each one its own. Rows are told apart by the identifier where it
    is there once for each; without one they are compared where none was left out, else the values
    are counted. A target that test had from the beginning is no fault where it is empty.

    Args:
        train: the rows to learn from.
        raw_train: train as it was read.
        test: the rows to predict.
        task: what is predicted: `targets`, `kind` and `identifier`.
    Returns:
        None if it is kept, else what is wrong.
    Example:
        target_kept(train, raw_train, test, task={"targets": ["price"], "kind": "regression"})
    """
    for name in task["targets"]:
        if test is not None and name in test.columns and test[name].notna().any():
            return {
                "message": f"the target {name!r} is in test",
                "advice": "align_test_columns leaves targets out of the columns of test; no step "
                "may predict or fill them there",
                "culprits": [name],
            }
        if name not in raw_train.columns:
            continue
        message = _target_kept_problem(name, train, raw_train, task)
        if message:
            return {
                "message": message,
                "advice": f"leave {name!r} as it was read: it is no column to change, fill, scale "
                "or leave out",
                "culprits": [name],
            }
    return None


def _target_kept_problem(
    name: str, train: pd.DataFrame, raw: pd.DataFrame, task: Mapping[str, Any]
) -> str:
    if name not in train.columns:
        return f"train has no target {name!r} any more"
    if not len(train):
        return "train has no row any more"
    now, old = train[name].reset_index(drop=True), _target_kept_rows(name, train, raw, task)
    if old is None:
        return _target_kept_counted(name, train[name], raw[name], task)
    filled = int((old.isna() & now.notna()).sum())
    if filled:
        return f"the target {name!r} has values in {filled} rows of train where none was read"
    lost = int((old.notna() & now.isna()).sum())
    if lost:
        return f"the target {name!r} is missing in {lost} rows of train where one was read"
    known = old.notna()
    changed = _target_kept_changed(now[known], old[known], task)
    return f"the target {name!r} was changed in {changed} rows of train" if changed else ""


def _target_kept_rows(
    name: str, train: pd.DataFrame, raw: pd.DataFrame, task: Mapping[str, Any]
) -> pd.Series | None:
    """The target of each row as it was read; None where nobody knows which row it is."""
    identifier = task.get("identifier")
    if identifier in train.columns and identifier in raw.columns:
        keys, now = raw[identifier].astype(str), train[identifier].astype(str)
        if raw[identifier].dtype != train[identifier].dtype:
            keys, now = (pd.to_numeric(each[identifier], errors="coerce") for each in (raw, train))
        if keys.is_unique and keys.notna().all() and now.isin(set(keys)).all():
            values = pd.Series(raw[name].to_numpy(), index=keys.to_numpy())
            return values.reindex(now.to_numpy()).reset_index(drop=True)
    return raw[name].reset_index(drop=True) if len(raw) == len(train) else None


def _target_kept_changed(now: pd.Series, old: pd.Series, task: Mapping[str, Any]) -> int:
    """In how many rows the values are others; classes may be called otherwise."""
    numbers = [pd.to_numeric(each, errors="coerce").astype(float) for each in (now, old)]
    if all(each.notna().all() for each in numbers):
        left, right = numbers
        differ = ~np.isclose(left.to_numpy(), right.to_numpy(), rtol=1e-6, atol=1e-12)
        if not differ.any() or task.get("kind") == "regression":
            return int(differ.sum())
    pairs = pd.DataFrame({"now": now.astype(str), "old": old.astype(str)})
    alike = pairs.groupby(["old", "now"], sort=False).size().reset_index(name="rows")
    alike = alike.sort_values("rows", ascending=False, kind="stable")
    one = alike.drop_duplicates("old").drop_duplicates("now")
    return int(len(pairs) - one["rows"].sum())


def _target_kept_counted(name: str, now: pd.Series, old: pd.Series, task: Mapping[str, Any]) -> str:
    """Whether each value is there at most as often as it was read."""
    if now.isna().sum() > old.isna().sum():
        return f"the target {name!r} is missing in more rows of train than where it was read"
    numbers = [pd.to_numeric(each, errors="coerce") for each in (now.dropna(), old.dropna())]
    if all(each.notna().all() for each in numbers):
        counts = [each.astype(float).round(9).value_counts() for each in numbers]
    elif task.get("kind") != "regression":
        counts = [each.dropna().astype(str).value_counts() for each in (now, old)]
    else:
        return ""
    more = (counts[0] - counts[1].reindex(counts[0].index).fillna(0)).clip(lower=0).sum()
    if not more or (task.get("kind") != "regression" and len(counts[0]) == len(counts[1])
                    and not set(counts[0].index) & set(counts[1].index)):  # fmt: skip
        return ""
    return f"the target {name!r} has {int(more)} values in train that were not read so often"


def test_a_changed_a_lost_and_an_invented_target_are_told() -> None:
    raw = pd.DataFrame({"i": [1, 2, 3], "y": [5.0, 6.0, np.nan]})
    task = {"targets": ["y"], "kind": "regression", "identifier": "i"}
    assert target_kept(raw[1:], raw, raw[["i"]], task=task) is None
    for values, part in (
        ([5.0, 7.0, np.nan], "changed in 1"),
        ([5.0, np.nan, np.nan], "is missing in 1"),
        ([5.0, 6.0, 5.5], "where none was read"),
    ):
        wrong = target_kept(raw.assign(y=values), raw, task=task)
        assert wrong is not None
        assert part in wrong["message"]
    wrong = target_kept(raw[["i"]], raw, task=task)
    assert wrong is not None
    assert "no target" in wrong["message"]


def test_a_target_in_test_is_told() -> None:
    raw = pd.DataFrame({"y": [5.0, 6.0]})
    task = {"targets": ["y"], "kind": "regression"}
    wrong = target_kept(raw, raw, raw, task=task)
    assert wrong is not None
    assert "is in test" in wrong["message"]


def test_classes_may_have_other_names_and_no_other_class() -> None:
    raw = pd.DataFrame({"y": ["no", "yes", "no", "yes"]})
    task = {"targets": ["y"], "kind": "binary"}
    assert target_kept(pd.DataFrame({"y": [0, 1, 0, 1]}), raw, task=task) is None
    wrong = target_kept(pd.DataFrame({"y": [0, 1, 0, 0]}), raw, task=task)
    assert wrong is not None
    assert "changed in 1" in wrong["message"]


def test_property_rows_may_go_and_values_may_not() -> None:
    random = np.random.default_rng(1)
    for _ in range(10):
        raw = pd.DataFrame({"y": random.normal(size=30)})
        part = raw[random.random(30) < 0.8]
        task = {"targets": ["y"], "kind": "regression"}
        assert target_kept(part, raw, task=task) is None
        assert target_kept(np.log1p(part.abs()), raw, task=task) is not None
