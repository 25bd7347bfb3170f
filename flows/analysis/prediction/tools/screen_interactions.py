"""Add those ratios, differences and products of two columns that help to predict the target.

Phases: feature_engineering
Gives: train, test
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeRegressor

_SCREEN_INTERACTIONS_WORDS = {"/": "per", "-": "minus", "*": "times"}


def screen_interactions(
    train: pd.DataFrame,
    test: pd.DataFrame | None = None,
    *,
    target: str,
    columns: list[str],
    kind: str,
    most: int = 5,
    rows: int = 3000,
    least: float = 2.5,
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Try pairs of the columns that predict best alone, and add what is better than both.

    The combinations that help a small tree of both columns most are tried in boosted trees of all
    columns. One is added when these miss less with it, on rows that they were not learned from, by
    more than `least` standard errors.

    Args:
        train: The rows to learn from.
        test: The rows to predict, if there are any.
        target: The column to predict.
        columns: Columns of numbers; the eight that predict best are paired.
        kind: "regression", "binary" or "multiclass".
        most: How many columns are added at most.
        rows: How many rows are looked at, drawn at random with a fixed seed.
        least: How many standard errors better a combination must be.
    Returns:
        Both tables; a ratio to nought is missing.
    Raises:
        ValueError: A column is not there or holds no numbers.
    Example:
        train, test = screen_interactions(
            train, test, target="price", columns=["width", "depth"], kind="regression"
        )
    """
    for name in [target, *columns]:
        if name not in train.columns:
            raise ValueError(f"there is no column {name!r} in train")
        if name != target and not pd.api.types.is_numeric_dtype(train[name]):
            raise ValueError(f"the column {name!r} holds no numbers")
    known = train[train[target].notna()]
    looked = known if len(known) <= rows else known.sample(rows, random_state=0)
    truth = _screen_interactions_truth(looked[target], kind)
    chosen = _screen_interactions_chosen(looked, columns, truth, most, least)
    return (
        _screen_interactions_added(train, chosen),
        None if test is None else _screen_interactions_added(test, chosen),
    )


def _screen_interactions_truth(column: pd.Series, kind: str) -> np.ndarray:
    """The target as columns of numbers with mean 0 and deviation 1, one for each class."""
    if kind == "regression":
        numbers = column.astype("float64").rank(pct=True).to_numpy().reshape(-1, 1)
    else:
        numbers = pd.get_dummies(column.map(str)).to_numpy().astype("float64")
        numbers = numbers[:, np.argsort(-numbers.sum(axis=0), kind="stable")[:8]]
    spread = numbers.std(axis=0)
    spread[spread == 0] = 1.0
    return np.asarray((numbers - numbers.mean(axis=0)) / spread)


def _screen_interactions_losses(
    table: list[np.ndarray], truth: np.ndarray, *, boosted: bool = False
) -> np.ndarray:
    """The loss of each row, of a model that did not see it: a small tree, or boosted trees."""
    numbers = np.column_stack(table).astype("float64")
    numbers = np.nan_to_num(numbers, nan=-1e9, posinf=1e9, neginf=-1e9)
    losses = np.zeros(len(truth))
    leaf = max(10, len(truth) // 100)
    for inside, outside in KFold(3, shuffle=True, random_state=0).split(numbers):
        if boosted:
            for goal in truth.T[:3]:
                trees = HistGradientBoostingRegressor(
                    max_iter=60, max_leaf_nodes=10, random_state=0
                )
                told = trees.fit(numbers[inside], goal[inside]).predict(numbers[outside])
                losses[outside] += (goal[outside] - told) ** 2
            continue
        model = DecisionTreeRegressor(max_depth=6, min_samples_leaf=leaf, random_state=0)
        told = model.fit(numbers[inside], truth[inside]).predict(numbers[outside])
        losses[outside] = ((truth[outside] - told.reshape(len(outside), -1)) ** 2).mean(axis=1)
    return losses


def _screen_interactions_chosen(
    looked: pd.DataFrame, columns: list[str], truth: np.ndarray, most: int, least: float
) -> list[tuple[str, str, str]]:
    """The combinations that help, the best first, without two of the same pair."""
    if len(looked) < 60:
        return []
    numbers = {name: looked[name].astype("float64").to_numpy() for name in columns}
    alone = {name: _screen_interactions_losses([each], truth) for name, each in numbers.items()}
    best = sorted(columns, key=lambda name: float(alone[name].mean()))[:8]
    best.sort(key=columns.index)
    chosen: list[tuple[str, str, str]] = []
    known = list(numbers.values())
    before = _screen_interactions_losses(known, truth, boosted=True)
    for left, operation, right in _screen_interactions_candidates(numbers, best, truth, most):
        if len(chosen) >= most or (left, right) in [(each[0], each[2]) for each in chosen]:
            continue
        added = _screen_interactions_value(numbers[left], operation, numbers[right])
        after = _screen_interactions_losses([*known, added], truth, boosted=True)
        gain = before - after
        error = float(gain.std() / np.sqrt(len(gain))) or 1e-12
        if gain.mean() / error > least and gain.mean() > 0.002:
            chosen.append((left, operation, right))
            known, before = [*known, added], after
    return chosen


def _screen_interactions_candidates(
    numbers: dict[str, np.ndarray], best: list[str], truth: np.ndarray, most: int
) -> list[tuple[str, str, str]]:
    """The combinations that help a small tree of their two columns, the best first."""
    found = []
    for left, right in combinations(best, 2):
        both = _screen_interactions_losses([numbers[left], numbers[right]], truth)
        for operation in _SCREEN_INTERACTIONS_WORDS:
            added = _screen_interactions_value(numbers[left], operation, numbers[right])
            told = _screen_interactions_losses([numbers[left], numbers[right], added], truth)
            gain = both - told
            error = float(gain.std() / np.sqrt(len(gain))) or 1e-12
            if gain.mean() / error > 1:
                found.append((float(gain.mean()), left, operation, right))
    return [each[1:] for each in sorted(found, reverse=True)[: 2 * most]]


def _screen_interactions_value(left: np.ndarray, operation: str, right: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        if operation == "/":
            told = left / np.where(right == 0, np.nan, right)
        else:
            told = left - right if operation == "-" else left * right
    return np.where(np.isfinite(told), told, np.nan)


def _screen_interactions_added(
    table: pd.DataFrame, chosen: list[tuple[str, str, str]]
) -> pd.DataFrame:
    found = {}
    for left, operation, right in chosen:
        name = f"{left}_{_SCREEN_INTERACTIONS_WORDS[operation]}_{right}"
        if name not in table.columns:
            first, second = (table[each].astype("float64").to_numpy() for each in (left, right))
            found[name] = _screen_interactions_value(first, operation, second)
    return pd.concat([table, pd.DataFrame(found, index=table.index)], axis=1)


def test_a_product_that_decides_is_found() -> None:
    generator = np.random.default_rng(31)
    train = pd.DataFrame(generator.normal(size=(400, 3)), columns=["a", "b", "c"])
    train["y"] = train["a"] * train["b"]
    found, test = screen_interactions(
        train, train.drop(columns="y"), target="y", columns=["a", "b", "c"], kind="regression"
    )
    assert list(found.columns) == ["a", "b", "c", "y", "a_times_b"]
    assert test is not None
    assert list(test.columns) == ["a", "b", "c", "a_times_b"]


def test_a_difference_that_decides_a_class_is_found() -> None:
    generator = np.random.default_rng(32)
    train = pd.DataFrame(generator.normal(size=(400, 2)), columns=["a", "b"])
    train["y"] = np.where(train["a"] > train["b"], "yes", "no")
    found, _ = screen_interactions(train, target="y", columns=["a", "b"], kind="binary")
    assert "a_minus_b" in found


def test_property_noise_adds_nothing() -> None:
    for seed in range(3):
        generator = np.random.default_rng(seed)
        train = pd.DataFrame(generator.normal(size=(150, 3)), columns=["a", "b", "y"])
        found, _ = screen_interactions(train, target="y", columns=["a", "b"], kind="regression")
        assert list(found.columns) == ["a", "b", "y"]
