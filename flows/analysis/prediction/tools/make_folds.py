"""Part the rows of train into folds that are like the way from train to test.

Phases: model_building
Gives: folds, validation
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

_MAKE_FOLDS_SEVERAL = 60_000  # rows; of more one part is held out once
_MAKE_FOLDS_HELD_OUT = 30_000  # rows of that part, at most
_MAKE_FOLDS_BLOCKS = 4  # of time, each judged by what was learned before it


def make_folds(
    train: pd.DataFrame,
    test: pd.DataFrame | None = None,
    *,
    task: Mapping[str, Any],
    most_rows: int = 150_000,
    seed: int = 0,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The fold of each row, and what validation this is and why.

    Rows of a group stay together if the groups of test are new; where test is later than train,
    each fold is learned from earlier rows alone; else classes are spread evenly. Of more than
    60,000 rows one part is held out once; rows beyond `most_rows` are not used at all.

    Args:
        train: the rows to learn from.
        test: the rows to predict, if there are any.
        task: what is predicted: `targets`, `kind`, `group` and `time`.
        most_rows: how many rows are used at most.
        seed: of all that is drawn.
    Returns:
        (folds, validation). `fold` is the part in which a row is judged; -1 for rows that are only
        learned from, -2 for rows that are not used. `validation` has one row: kind, folds, rows,
        reason.
    Raises:
        ValueError: if fewer than ten rows have a target, or a group is the only one.
    Example:
        folds, validation = make_folds(train, test, task={"targets": ["y"], "kind": "binary"})
    """
    targets = list(task["targets"])
    known = train[targets].notna().any(axis=1).to_numpy()
    rows = np.flatnonzero(known)
    if len(rows) < 10:
        raise ValueError(f"only {len(rows)} rows have a target: too few to validate on")
    random = np.random.default_rng(seed)
    count = _make_folds_count(len(rows))
    labels = None
    if task.get("kind") != "regression" and len(targets) == 1:
        labels = pd.factorize(train[targets[0]].iloc[rows])[0]
    kind, reason = _make_folds_kind(train, test, task, labels is not None)
    if kind == "time":
        order = _make_folds_moments(train[str(task["time"])])[rows]
        parts = _make_folds_by_time(order)
    elif kind.endswith("grouped"):
        groups = pd.factorize(train[str(task["group"])].iloc[rows])[0]
        parts = _make_folds_by_group(groups, labels, count, random)
    else:
        parts = _make_folds_evenly(
            labels if labels is not None else _make_folds_ranges(train[targets[0]].iloc[rows]),
            count,
            random,
        )
    if labels is not None and kind == "stratified":
        few = int(np.sum(np.bincount(labels) < count))
        reason += f"; {few} of the classes have fewer rows than there are folds" if few else ""
    if len(rows) > _MAKE_FOLDS_SEVERAL:
        parts = _make_folds_held_out(parts, kind, most_rows, random)
        reason += (
            f"; {len(rows):,} rows are many: one part of {int((parts == 0).sum()):,} is held out, "
            f"{int((parts == -1).sum()):,} are learned from and the others are not used"
        )
    folds = np.full(len(train), -2)
    folds[rows] = parts
    used = len(set(parts[parts >= 0].tolist()))
    validation = {"kind": kind, "folds": used, "rows": int((folds >= -1).sum()), "reason": reason}
    return pd.DataFrame({"fold": folds.astype(np.int64)}), pd.DataFrame([validation])


def _make_folds_count(rows: int) -> int:
    if rows < 400:
        return 10
    return 5 if rows <= 20_000 else 3


def _make_folds_kind(
    train: pd.DataFrame, test: pd.DataFrame | None, task: Mapping[str, Any], labels: bool
) -> tuple[str, str]:
    time, group = task.get("time"), task.get("group")
    plain = "stratified" if labels else "random"
    why = "each class is spread evenly over the folds" if labels else "rows are drawn at random"
    if time and time in train.columns:
        told = f"by {time!r} test is later than train: each fold is learned from earlier rows alone"
        if test is None or time not in test.columns:
            return "time", told
        own = _make_folds_moments(train[time])
        other = _make_folds_moments(test[time])
        if np.mean(other > np.nanquantile(own, 0.9)) > 0.8:
            return "time", told
        why += f"; test is not later than train by {time!r}"
    if group and group in train.columns:
        together = "stratified-grouped" if labels else "grouped"
        told = f"rows with the same {group!r} stay in one fold"
        if test is None or group not in test.columns:
            return together, told
        seen = test[group].astype(str).isin(set(train[group].astype(str)))
        if seen.mean() < 0.5:
            return together, f"{told}: {1 - seen.mean():.0%} of test is of groups that are new"
        why += f"; {seen.mean():.0%} of test is of values of {group!r} that are in train"
    return plain, why


def _make_folds_moments(column: Any) -> Any:
    numbers = pd.to_numeric(column, errors="coerce")
    if not pd.api.types.is_numeric_dtype(column.dtype) and numbers.isna().mean() > 0.5:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read = pd.to_datetime(column, errors="coerce", format="mixed", utc=True)
        # In microseconds: nanoseconds end in the year 2262.
        numbers = (read - pd.Timestamp("1970-01-01", tz="UTC").as_unit("us")).dt.total_seconds()
    values = numbers.astype(float).to_numpy()
    return np.where(np.isnan(values), -np.inf, values)


def _make_folds_by_time(moments: Any) -> Any:
    """The first third is only learned from; the others are blocks, each later than the last."""
    places = pd.Series(moments).rank(method="max", pct=True).to_numpy()
    edges = 1 / 3 + np.arange(1, _MAKE_FOLDS_BLOCKS) * (2 / 3) / _MAKE_FOLDS_BLOCKS
    return np.where(places <= 1 / 3, -1, np.searchsorted(edges, places, side="left"))


def _make_folds_by_group(groups: Any, labels: Any, count: int, random: Any) -> Any:
    """Groups go one by one, the largest first, to where they make the folds most alike."""
    number = int(groups.max()) + 1
    if number < 2:
        raise ValueError("all rows are of one group: nothing can be judged by another one")
    count = min(count, number)
    kinds = np.zeros(len(groups), dtype=int) if labels is None else labels
    table = np.zeros((number, int(kinds.max()) + 1))
    np.add.at(table, (groups, kinds), 1)
    shares = table / np.maximum(table.sum(axis=0), 1)
    filled = np.zeros((count, table.shape[1]))
    order = random.permutation(number)
    order = order[np.argsort(-table[order].sum(axis=1), kind="stable")]
    chosen = np.zeros(number, dtype=int)
    for group in order:
        worst = (filled + shares[group]).max(axis=1) + 1e-3 * filled.sum(axis=1)
        chosen[group] = int(np.argmin(worst))
        filled[chosen[group]] += shares[group]
    return chosen[groups]


def _make_folds_evenly(labels: Any, count: int, random: Any) -> Any:
    order = random.permutation(len(labels))
    order = order[np.argsort(labels[order], kind="stable")]
    parts = np.zeros(len(labels), dtype=int)
    parts[order] = np.arange(len(labels)) % count
    return parts


def _make_folds_ranges(target: Any) -> Any:
    """Ten ranges of a target of numbers, so that each fold has low and high ones."""
    numbers = pd.to_numeric(target, errors="coerce").rank(method="first", pct=True)
    return np.nan_to_num(np.floor(numbers.to_numpy() * 10)).astype(int)


def _make_folds_held_out(parts: Any, kind: str, most_rows: int, random: Any) -> Any:
    last = int(parts.max())
    judged = parts == (last if kind == "time" else 0)
    found = np.full(len(parts), -2)
    for rows, part, most in (
        (np.flatnonzero(judged), 0, min(_MAKE_FOLDS_HELD_OUT, most_rows // 4)),
        (np.flatnonzero(~judged), -1, most_rows - min(_MAKE_FOLDS_HELD_OUT, most_rows // 4)),
    ):
        found[random.permutation(rows)[:most]] = part
    return found


def test_groups_stay_together() -> None:
    random = np.random.default_rng(1)
    train = pd.DataFrame({"g": random.integers(0, 40, 500), "y": random.integers(0, 2, 500)})
    test = pd.DataFrame({"g": [50, 51]})
    task = {"targets": ["y"], "kind": "binary", "group": "g"}
    folds, validation = make_folds(train, test, task=task)
    assert validation["kind"].iloc[0] == "stratified-grouped"
    assert folds["fold"].groupby(train["g"]).nunique().max() == 1
    assert folds["fold"].value_counts().min() > 60


def test_later_rows_are_judged_by_earlier_ones() -> None:
    train = pd.DataFrame({"t": pd.date_range("2024-01-01", periods=90), "y": np.arange(90.0)})
    test = pd.DataFrame({"t": pd.date_range("2024-05-01", periods=9)})
    task = {"targets": ["y"], "kind": "regression", "time": "t"}
    folds, validation = make_folds(train, test, task=task)
    assert validation["kind"].iloc[0] == "time"
    assert folds["fold"].is_monotonic_increasing
    assert set(folds["fold"]) == {-1, 0, 1, 2, 3}


def test_dates_far_away_keep_their_order() -> None:
    days = [*(f"{year}-03-01" for year in range(2200, 2289)), "9999-12-31"]
    train = pd.DataFrame({"t": days, "y": np.arange(90.0)})
    test = pd.DataFrame({"t": ["9999-12-31"] * 9})
    task = {"targets": ["y"], "kind": "regression", "time": "t"}
    folds, validation = make_folds(train, test, task=task)
    assert validation["kind"].iloc[0] == "time"
    assert folds["fold"].is_monotonic_increasing


def test_a_class_that_is_too_rare_for_each_fold_is_told() -> None:
    train = pd.DataFrame({"y": ["a"] * 98 + ["b"] * 2})
    _, validation = make_folds(train, task={"targets": ["y"], "kind": "binary"})
    assert "1 of the classes" in validation["reason"].iloc[0]


def test_of_many_rows_a_part_is_held_out_and_this_is_said() -> None:
    train = pd.DataFrame({"y": np.arange(70_000) % 2})
    task = {"targets": ["y"], "kind": "binary"}
    folds, validation = make_folds(train, task=task, most_rows=8_000)
    assert folds["fold"].value_counts().to_dict() == {-2: 62_000, -1: 6_000, 0: 2_000}
    assert "held out" in validation["reason"].iloc[0]


def test_property_each_class_is_in_each_fold() -> None:
    random = np.random.default_rng(2)
    for seed in range(5):
        train = pd.DataFrame({"y": random.choice(list("abc"), 450, p=[0.9, 0.07, 0.03])})
        task = {"targets": ["y"], "kind": "multiclass"}
        folds, _ = make_folds(train, task=task, seed=seed)
        table = pd.crosstab(folds["fold"], train["y"])
        assert int((table.max() - table.min()).max()) <= 1
