"""Say by a quick cross-validation whether columns that a tool has added help to learn the target.

Phases: feature_engineering
Gives: trial
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold, TimeSeriesSplit
from sklearn.preprocessing import StandardScaler


def trial(
    train: pd.DataFrame, tried: pd.DataFrame, *, task: dict[str, Any], rows: int = 4000
) -> pd.DataFrame:
    """Compare what is learned with and without the columns, on rows that were not learned from.

    The columns are kept if boosted trees miss less with them by more than two standard errors of
    the difference, or a line by more than three and trees not more than before; and if the trees
    miss less than what is usual in all rows would.

    Args:
        train: The rows to learn from.
        tried: The same rows after the tool.
        task: What is predicted: targets, kind, identifier, group, time.
        rows: How many rows are looked at, drawn at random with a fixed seed.
    Returns:
        One row: kept (true or false), says (why, in words), gain and error (of the loss of trees,
        as a share of it), columns (those that were added).
    Raises:
        ValueError: The target is not there, or the tool has changed the number of rows.
    Example:
        trial = trial(train, tried_train, task={"targets": ["price"], "kind": "regression"})
    """
    target = str(task["targets"][0])
    if target not in train.columns:
        raise ValueError(f"there is no column {target!r} in train")
    if len(tried) != len(train):
        raise ValueError(f"the tool made {len(tried)} rows of {len(train)}")
    added = [name for name in tried.columns if name not in train.columns]
    if not added:
        return _trial_told(False, "it adds no column", 0.0, 0.0, added)
    known = np.flatnonzero(train[target].notna().to_numpy())
    if len(known) > rows:
        known = np.sort(np.random.default_rng(0).permutation(known)[:rows])
    if len(known) < 30:
        return _trial_told(False, "there are too few rows to tell", 0.0, 0.0, added)
    before, after = (each.iloc[known].reset_index(drop=True) for each in (train, tried))
    truth = _trial_truth(before[target], str(task["kind"]))
    ignored = {*task["targets"], task.get("identifier"), task.get("group")}
    tables = [_trial_features(each, ignored) for each in (before, after)]
    folds = _trial_folds(before, truth, task)
    gain, error, loss = _trial_gain(tables, truth, folds, "trees")
    line_gain, line_error, _ = _trial_gain(tables, truth, folds, "line")
    bare = [before.iloc[:, :0], tables[1]]
    over_nothing, nothing_error, _ = _trial_gain(bare, truth, folds, "trees")
    by_trees = gain > 2 * error
    by_line = line_gain > 3 * line_error and gain > -error
    learned = over_nothing > nothing_error
    sign = "less" if gain > 0 else "more"
    says = f"with {', '.join(added[:4])} boosted trees miss {abs(gain) / loss:.2%} {sign}"
    says += f" (± {error / loss:.2%})"
    if by_line and not by_trees:
        says += ", and a line clearly less"
    if not learned:
        says += ", which is no better than what is usual"
    kept = bool(learned and (by_trees or by_line))
    return _trial_told(kept, says, gain / loss, error / loss, added)


def _trial_told(kept: bool, says: str, gain: float, error: float, added: list[str]) -> pd.DataFrame:
    row = {"kept": kept, "says": says, "gain": gain, "error": error, "columns": ", ".join(added)}
    return pd.DataFrame([row])


def _trial_truth(column: pd.Series, kind: str) -> np.ndarray:
    """The target as ranks from 0 to 1, or as numbers of classes: the six commonest, and others."""
    if kind == "regression":
        return np.asarray(column.astype("float64").rank(pct=True))
    texts = column.map(str)
    common = list(texts.value_counts().index[:6])
    return np.asarray(texts.map({each: at for at, each in enumerate(common)}).fillna(6).astype(int))


def _trial_features(table: pd.DataFrame, ignored: set[Any]) -> pd.DataFrame:
    """Numbers as they are, dates as days, categories as text; no texts that name their row."""
    found = {}
    for name in table.columns:
        column = table[name]
        if name in ignored or column.nunique() < 2:
            continue
        if pd.api.types.is_datetime64_any_dtype(column):
            days = (column.dt.tz_localize(None) - pd.Timestamp("1970-01-01")) / pd.Timedelta(days=1)
            found[name] = days.astype("float64")
        elif pd.api.types.is_numeric_dtype(column):
            found[name] = column.astype("float64").replace([np.inf, -np.inf], np.nan)
        elif column.nunique() <= 0.5 * len(column):
            found[name] = column.map(str).astype(object)
    return pd.DataFrame(found, index=table.index)


def _trial_folds(
    table: pd.DataFrame, truth: np.ndarray, task: dict[str, Any]
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Which rows are learned from and which are predicted: later ones, other groups, or any."""
    group, time = task.get("group"), task.get("time")
    if time in table.columns:
        order = np.argsort(table[time].map(str).to_numpy(), kind="stable")
        if pd.api.types.is_numeric_dtype(table[time]):
            order = np.argsort(table[time].to_numpy(), kind="stable")
        return [(order[a], order[b]) for a, b in TimeSeriesSplit(3).split(order)]
    if group in table.columns and table[group].nunique() >= 3:
        return list(GroupKFold(3).split(table, groups=table[group].map(str)))
    if truth.dtype.kind == "i" and np.bincount(truth)[np.unique(truth)].min() >= 3:
        return list(StratifiedKFold(3, shuffle=True, random_state=0).split(table, truth))
    return list(KFold(3, shuffle=True, random_state=0).split(table))


def _trial_gain(
    tables: list[pd.DataFrame],
    truth: np.ndarray,
    folds: list[tuple[np.ndarray, np.ndarray]],
    model: str,
) -> tuple[float, float, float]:
    """By how much the loss of a row falls, the standard error of that, and the loss itself."""
    falls, losses = [], []
    for inside, outside in folds:
        if len(np.unique(truth[inside])) < 2:
            continue
        before, after = (
            _trial_losses(each.iloc[inside], each.iloc[outside], truth, inside, outside, model)
            for each in tables
        )
        falls.append(before - after)
        losses.append(before)
    if not falls:
        return 0.0, 1.0, 1.0
    fall, loss = np.concatenate(falls), np.concatenate(losses)
    error = float(fall.std() / np.sqrt(len(fall))) or 1e-9
    return float(fall.mean()), error, max(1e-9, float(loss.mean()))


def _trial_losses(
    learned: pd.DataFrame,
    asked: pd.DataFrame,
    truth: np.ndarray,
    inside: np.ndarray,
    outside: np.ndarray,
    model: str,
) -> np.ndarray:
    """The squared error of each row that is asked for: of the rank, or of the shares of classes."""
    classes = truth.dtype.kind == "i"
    left, right = _trial_encoded(learned, asked, truth[inside])
    if not left.shape[1]:
        left, right = np.zeros((len(inside), 1)), np.zeros((len(outside), 1))
    names = np.unique(truth[inside])
    wanted = (truth[:, None] == names[None, :]).astype(float) if classes else truth[:, None]
    if model == "line":
        scale = StandardScaler().fit(np.nan_to_num(left))
        line = Ridge(10.0).fit(np.clip(scale.transform(np.nan_to_num(left)), -5, 5), wanted[inside])
        told = line.predict(np.clip(scale.transform(np.nan_to_num(right)), -5, 5))
        return np.asarray(((told.reshape(len(outside), -1) - wanted[outside]) ** 2).sum(axis=1))
    totals = np.zeros((len(outside), wanted.shape[1]))
    for seed in (0, 1):
        settings = {"max_iter": 80, "max_leaf_nodes": 10, "max_features": 0.7}
        if classes:
            trees = HistGradientBoostingClassifier(**settings, random_state=seed)
            totals += trees.fit(left, truth[inside]).predict_proba(right) / 2
        else:
            trees = HistGradientBoostingRegressor(**settings, random_state=seed)
            totals += trees.fit(left, truth[inside]).predict(right).reshape(-1, 1) / 2
    return np.asarray(((totals - wanted[outside]) ** 2).sum(axis=1))


def _trial_encoded(
    learned: pd.DataFrame, asked: pd.DataFrame, truth: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Both tables as numbers: categories by their place and by the target's mean of other rows."""
    words = [name for name in learned.columns if learned[name].dtype == object]
    rest = [name for name in learned.columns if name not in words]
    left, right = [learned[rest].to_numpy(dtype=float)], [asked[rest].to_numpy(dtype=float)]
    goals = truth[:, None]
    if truth.dtype.kind == "i":
        goals = (goals == np.unique(truth)[None, :]).astype(float)
    parts = np.random.default_rng(0).permutation(len(learned)) % 5
    for name in words:
        texts = [each[name].map(str).reset_index(drop=True) for each in (learned, asked)]
        places = {value: at for at, value in enumerate(sorted(texts[0].unique()))}
        for side, text in zip((left, right), texts, strict=True):
            side.append(text.map(places).to_numpy(dtype=float).reshape(-1, 1))
        own = np.empty(goals.shape)
        for part in range(5):
            inside = parts != part
            own[~inside] = _trial_means(texts[0][inside], goals[inside], texts[0][~inside])
        left.append(own)
        right.append(_trial_means(texts[0], goals, texts[1]))
    return np.hstack(left), np.hstack(right)


def _trial_means(texts: pd.Series, goals: np.ndarray, asked: pd.Series) -> np.ndarray:
    """The mean of the goals for each value, with ten rows of the mean of all mixed in."""
    usual = goals.mean(axis=0)
    grouped = pd.DataFrame(goals, index=texts.index).groupby(texts)
    means = (grouped.sum() + 10 * usual).div(grouped.size() + 10, axis=0)
    found = means.reindex(asked).to_numpy()
    return np.asarray(np.where(np.isnan(found), usual, found))


def _trial_table(rows: int, seed: int) -> pd.DataFrame:
    generator = np.random.default_rng(seed)
    table = pd.DataFrame(generator.normal(size=(rows, 3)), columns=["a", "b", "c"])
    table["word"] = generator.choice(list("xyz"), rows)
    table["y"] = table["a"] * table["b"] + generator.normal(0, 0.1, rows)
    return table


def test_a_column_that_helps_is_kept() -> None:
    train = _trial_table(300, 1)
    task = {"targets": ["y"], "kind": "regression", "identifier": None}
    found = trial(train, train.assign(made=train["a"] * train["b"]), task=task)
    assert bool(found["kept"].iloc[0])
    assert found["gain"].iloc[0] > 0.1
    assert "with made boosted trees miss" in found["says"].iloc[0]
    assert "% less" in found["says"].iloc[0]


def test_classes_and_groups() -> None:
    train = _trial_table(300, 2)
    train["y"] = np.where(train["y"] > 0, "yes", "no")
    train["g"] = np.arange(300) % 10
    task = {"targets": ["y"], "kind": "binary", "group": "g"}
    found = trial(train, train.assign(made=train["a"] * train["b"]), task=task)
    assert bool(found["kept"].iloc[0])


def test_no_column_is_not_kept() -> None:
    train = _trial_table(60, 3)
    found = trial(train, train, task={"targets": ["y"], "kind": "regression"})
    assert not bool(found["kept"].iloc[0])


def test_what_cannot_be_learned_keeps_nothing() -> None:
    train = _trial_table(150, 4)
    train["y"] = np.random.default_rng(9).normal(size=150)
    made = train["a"] * train["b"]
    found = trial(train, train.assign(made=made), task={"targets": ["y"], "kind": "regression"})
    assert not bool(found["kept"].iloc[0])


def test_property_noise_is_hardly_ever_kept() -> None:
    kept = 0
    for seed in range(4):
        train = _trial_table(150, seed)
        noise = np.random.default_rng(seed + 50).normal(size=150)
        task = {"targets": ["y"], "kind": "regression"}
        kept += bool(trial(train, train.assign(made=noise), task=task)["kept"].iloc[0])
    assert kept <= 1
