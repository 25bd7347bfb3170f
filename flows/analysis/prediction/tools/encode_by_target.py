"""Add the mean of the target for each value of a category, learned from other rows than its own.

Phases: feature_engineering
Gives: train, test
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.model_selection import GroupKFold, KFold


def encode_by_target(
    train: pd.DataFrame,
    test: pd.DataFrame | None = None,
    *,
    target: str,
    columns: list[str],
    kind: str,
    folds: int = 5,
    smoothing: float = 20.0,
    group: str | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Add NAME_target, or NAME_target_CLASS for several classes.

    Each row of train has the means of the folds that it is not in, test those of all of train.

    Args:
        train: The rows to learn from.
        test: The rows to predict, if there are any.
        target: The column to predict.
        columns: Columns of categories.
        kind: "regression", "binary" (the mean is that of the last class) or "multiclass".
        folds: How many folds train is divided into, at random with a fixed seed.
        smoothing: How many rows of the mean of all are mixed into the mean of a value.
        group: A column whose rows are not divided between folds.
    Returns:
        Both tables. Values that are not known have the mean of all.
    Raises:
        ValueError: A column is not there, or the target is among the columns.
    Example:
        train, test = encode_by_target(
            train, test, target="price", columns=["town"], kind="regression"
        )
    """
    if target in columns:
        raise ValueError(f"the target {target!r} cannot be encoded by itself")
    needed = [target, *columns, *([group] if group else [])]
    if unknown := [name for name in needed if name not in train.columns]:
        raise ValueError(f"there is no column {unknown[0]!r} in train")
    left, right = train.copy(), None if test is None else test.copy()
    parts = _encode_by_target_folds(train, folds, group)
    for label, numbers in _encode_by_target_numbers(train[target], kind).items():
        for name in columns:
            keys = train[name].map(str)
            told = pd.Series(np.nan, index=train.index)
            for inside, outside in parts:
                known = numbers.iloc[inside]
                means = _encode_by_target_means(keys.iloc[inside], known, smoothing)
                told.iloc[outside] = keys.iloc[outside].map(means).fillna(known.mean())
            left[f"{name}_target{label}"] = told.to_numpy()
            if right is not None:
                means = _encode_by_target_means(keys, numbers, smoothing)
                found = right[name].map(str).map(means).astype("float64")
                right[f"{name}_target{label}"] = found.fillna(numbers.mean())
    return left, right


def _encode_by_target_folds(
    train: pd.DataFrame, folds: int, group: str | None
) -> list[tuple[np.ndarray, np.ndarray]]:
    if group is not None and train[group].nunique() >= 2:
        count = min(folds, train[group].nunique())
        groups = train[group].map(str)
        return list(GroupKFold(count).split(train, groups=groups))
    count = min(folds, len(train))
    return list(KFold(count, shuffle=True, random_state=0).split(train))


def _encode_by_target_numbers(column: pd.Series, kind: str) -> dict[str, pd.Series]:
    """The target as numbers, by what the name of the new column ends in."""
    if kind == "regression":
        return {"": column.astype("float64")}
    texts = column.map(str, na_action="ignore")
    classes = sorted(texts.dropna().unique())
    if kind == "binary":
        return {"": (texts == classes[-1]).astype("float64").where(texts.notna())}
    frequent = texts.value_counts().index[:8]
    chosen = [each for each in classes if each in frequent]
    return {f"_{each}": (texts == each).astype("float64").where(texts.notna()) for each in chosen}


def _encode_by_target_means(keys: pd.Series, numbers: pd.Series, smoothing: float) -> pd.Series:
    grouped = numbers.groupby(keys)
    count = grouped.count()
    return (grouped.sum() + smoothing * numbers.mean()) / (count + smoothing)


def test_the_means_of_test_are_those_of_train() -> None:
    train = pd.DataFrame({"a": ["x"] * 10 + ["z"] * 10, "y": [1.0] * 10 + [3.0] * 10})
    found, test = encode_by_target(
        train,
        pd.DataFrame({"a": ["x", "z", "new"]}),
        target="y",
        columns=["a"],
        kind="regression",
        smoothing=0.0,
    )
    assert found["a_target"].round(6).tolist() == train["y"].tolist()
    assert test is not None
    assert test["a_target"].tolist() == [1.0, 3.0, 2.0]


def test_a_class_each() -> None:
    train = pd.DataFrame({"a": list("xz") * 20, "y": list("pqrs") * 10})
    found, _ = encode_by_target(train, target="y", columns=["a"], kind="multiclass")
    assert [each for each in found if "target" in each] == [f"a_target_{each}" for each in "pqrs"]


def test_property_a_row_does_not_see_its_own_target() -> None:
    generator = np.random.default_rng(24)
    for group in (None, "g"):
        train = pd.DataFrame({"a": [f"v{each % 9}" for each in range(60)]})
        train["g"] = [each // 6 for each in range(60)]
        train["y"] = generator.normal(size=60)
        names = ["a"]
        before, _ = encode_by_target(
            train, target="y", columns=names, kind="regression", group=group
        )
        changed = train.copy()
        changed.loc[7, "y"] = 1e6
        after, _ = encode_by_target(
            changed, target="y", columns=names, kind="regression", group=group
        )
        assert before["a_target"].iloc[7] == after["a_target"].iloc[7]
        assert (before["a_target"] != after["a_target"]).any()
