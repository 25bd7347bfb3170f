"""Rank columns by how well each one alone predicts the target, on rows it was not learned from.

Phases: preliminary_eda, in_depth_eda, feature_engineering
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor


def rank_columns_by_target(
    train: pd.DataFrame,
    *,
    target: str,
    kind: str,
    ignore: list[str] | None = None,
    rows: int = 5000,
) -> pd.DataFrame:
    """Cross-validate a small tree of each column.

    Args:
        train: The rows to learn from.
        target: The column to predict.
        kind: "regression", "binary" or "multiclass".
        ignore: Columns that are not looked at: identifiers, other targets.
        rows: How many rows are looked at, drawn at random with a fixed seed.
    Returns:
        column, power (0 none to 1 perfect: R2 of numbers, 2 AUC - 1 of classes, the mean over
        classes), distinct; from the strongest on. A power near 1 of one column hints at a leak.
    Raises:
        ValueError: The target is not there, or no column is left, or there are too few rows.
    Example:
        rank_columns_by_target(train, target="price", kind="regression", ignore=["id"])
    """
    if target not in train.columns:
        raise ValueError(f"there is no column {target!r} in train")
    names = [each for each in train if each != target and each not in (ignore or [])]
    known = train[train[target].notna()]
    if not names or len(known) < 10:
        raise ValueError("a column and ten rows with a target are needed at least")
    looked = known if len(known) <= rows else known.sample(rows, random_state=0)
    truth = looked[target].astype("float64" if kind == "regression" else str).to_numpy()
    if kind != "regression":
        counts = pd.Series(truth).value_counts()
        frequent = pd.Series(truth).isin(counts.index[counts >= 3]).to_numpy()
        looked, truth = looked[frequent], truth[frequent]
    if len(set(truth)) < 2:
        raise ValueError(f"the target {target!r} has one value")
    found = pd.DataFrame(
        [
            {
                "column": name,
                "power": _rank_columns_by_target_power(looked[name], truth, kind),
                "distinct": int(looked[name].nunique()),
            }
            for name in names
        ]
    )
    found = found.sort_values("power", ascending=False, kind="stable").reset_index(drop=True)
    shown = found.head(25)
    figure, axes = plt.subplots(figsize=(8, 1.5 + 0.3 * len(shown)), layout="constrained")
    axes.barh([name[:30] for name in shown["column"]][::-1], shown["power"].to_numpy()[::-1])
    axes.set_xlabel("power of the column alone (0: none, 1: perfect)")
    figure.suptitle(f"What predicts {target}")
    return found


def _rank_columns_by_target_power(column: pd.Series, truth: np.ndarray, kind: str) -> float:
    numbers = _rank_columns_by_target_numbers(column)
    leaf = max(5, len(truth) // 200)
    if kind == "regression":
        model = DecisionTreeRegressor(max_depth=5, min_samples_leaf=leaf, random_state=0)
        told = cross_val_predict(model, numbers, truth, cv=KFold(3, shuffle=True, random_state=0))
        return float(max(0.0, 1 - np.mean((truth - told) ** 2) / np.var(truth)))
    tree = DecisionTreeClassifier(max_depth=5, min_samples_leaf=leaf, random_state=0)
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    told = cross_val_predict(tree, numbers, truth, cv=folds, method="predict_proba")
    classes = sorted(set(truth))
    areas = [roc_auc_score(truth == each, told[:, at]) for at, each in enumerate(classes)]
    return float(max(0.0, 2 * np.mean(areas) - 1))


def _rank_columns_by_target_numbers(column: pd.Series) -> np.ndarray:
    """The column as numbers: of categories their counts, and the frequent ones one by one."""
    if pd.api.types.is_datetime64_any_dtype(column):
        return np.asarray(column.astype("int64"), dtype="float64").reshape(-1, 1)
    if pd.api.types.is_numeric_dtype(column):
        numbers = column.astype("float64").replace([np.inf, -np.inf], np.nan)
        lowest = numbers.min() - 1 if numbers.notna().any() else 0
        return np.asarray(numbers.fillna(lowest)).reshape(-1, 1)
    texts = column.map(str)
    counts = texts.value_counts()
    parts = [texts.map(counts).to_numpy(), texts.str.len().to_numpy()]
    parts += [(texts == value).to_numpy() for value in counts.index[:30]]
    return np.column_stack(parts).astype("float64")


def test_what_decides_comes_first() -> None:
    generator = np.random.default_rng(17)
    train = pd.DataFrame(
        {"noise": generator.normal(size=200), "a": generator.choice(list("xyz"), 200)}
    )
    train["y"] = train["a"].map({"x": 1.0, "y": 5.0, "z": 9.0})
    found = rank_columns_by_target(train, target="y", kind="regression")
    assert found["column"].tolist() == ["a", "noise"]
    assert found["power"].iloc[0] > 0.99
    assert found["power"].iloc[1] < 0.1
    train["y"] = train["a"] == "z"
    found = rank_columns_by_target(train, target="y", kind="binary")
    assert found["power"].iloc[0] > 0.99
    plt.close("all")


def test_one_value_of_the_target_is_refused() -> None:
    message = ""
    try:
        rank_columns_by_target(
            pd.DataFrame({"a": range(20), "y": [1] * 20}), target="y", kind="binary"
        )
    except ValueError as error:
        message = str(error)
    assert "'y'" in message


def test_property_a_column_of_all_different_words_has_no_power() -> None:
    generator = np.random.default_rng(18)
    for kind in ("binary", "multiclass"):
        train = pd.DataFrame({"a": [f"n{each:03d}" for each in range(150)]})
        train["y"] = generator.integers(0, 2 if kind == "binary" else 3, 150)
        found = rank_columns_by_target(train, target="y", kind=kind)
        assert 0 <= found["power"].iloc[0] < 0.35
        plt.close("all")
