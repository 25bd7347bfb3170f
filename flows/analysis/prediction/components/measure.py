"""Reckon one metric of predictions.

Phases: model_building
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

_MEASURE_LABELS = (
    "accuracy", "balanced_accuracy", "f1", "f1_macro", "f1_weighted", "f1_micro", "precision",
    "recall", "mcc", "kappa", "qwk",
)  # fmt: skip
_MEASURE_PROBABILITIES = ("auc", "auc_macro", "gini", "average_precision", "log_loss", "brier")


def measure(
    truth: Any,
    predicted: Any,
    *,
    metric: str,
    classes: Sequence[Any] | None = None,
    own: str = "",
) -> float:
    """The metric of predictions against what is true.

    Of labels: accuracy, balanced_accuracy, f1, f1_macro, f1_weighted, f1_micro, precision, recall,
    mcc, kappa, qwk. Of probabilities: auc, auc_macro (one class against the rest), gini,
    average_precision, log_loss, brier. Of numbers: rmse, rmsle, mse, mae, medae, mape (as a share,
    0.1 for 10 %), smape (a share from 0 to 2), r2, pearson, spearman.

    Args:
        truth: what is true, one value a row.
        predicted: one value a row, which is a label, a number, or the probability of the last of
            two classes; or one column of probabilities for each class, in the order of `classes`.
            A metric of labels takes probabilities, too: the likeliest class counts. QWK takes
            numbers, too: the nearest class counts.
        metric: its name.
        classes: all classes in the order of the columns of `predicted`; those of `truth` in their
            order without it. Of two the last is the positive one.
        own: the source of a module with `metric(truth, predicted)`, which is called instead.
    Returns:
        the metric. Whether more or less is better, the metric's name says.
    Raises:
        ValueError: for an unknown metric, missing values, lengths that differ, or values that the
            metric has no meaning for, such as negative ones for rmsle.
    Example:
        measure([0, 1, 1], [0.2, 0.9, 0.4], metric="auc")
    """
    true = _measure_one_column(truth)
    guessed = np.asarray(predicted)
    if guessed.ndim == 2 and guessed.shape[1] == 1:
        guessed = guessed[:, 0]
    if len(true) == 0 or len(true) != len(guessed):
        raise ValueError(f"{len(true)} true values and {len(guessed)} predictions")
    if pd.isna(true).any() or pd.isna(guessed).any():
        raise ValueError("there are missing values among the true values or the predictions")
    if own:
        return _measure_own(own, true, guessed)
    if metric in _MEASURE_NUMBERS:
        return _measure_numbers(metric, true, guessed)
    names = list(classes) if classes is not None else sorted(set(true.tolist()))
    places = _measure_places(true, names)
    if metric in _MEASURE_LABELS:
        return _measure_labels(metric, places, _measure_chosen(guessed, names, metric), len(names))
    if metric in _MEASURE_PROBABILITIES:
        shares = _measure_shares(guessed, names)
        return _measure_probabilities(metric, places, shares)
    known = ", ".join((*_MEASURE_LABELS, *_MEASURE_PROBABILITIES, *_MEASURE_NUMBERS))
    raise ValueError(f"there is no metric {metric!r} (metrics: {known})")


def _measure_one_column(truth: Any) -> Any:
    values = np.asarray(truth)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError("the true values are not one column; measure each target by itself")
    return values


def _measure_own(source: str, true: Any, guessed: Any) -> float:
    room: dict[str, object] = {"__name__": "own_metric"}
    exec(compile(source, "<metric>", "exec"), room)
    metric = room.get("metric")
    if not callable(metric):
        raise TypeError("one's own metric needs a function metric(truth, predicted)")
    if guessed.ndim == 2 and "wants: label" in source.casefold():
        guessed = guessed.argmax(axis=1)
    elif guessed.ndim == 2 and guessed.shape[1] == 2:
        guessed = guessed[:, 1]
    return float(metric(true, guessed))


def _measure_places(values: Any, names: list[Any]) -> Any:
    """The place of each value among the classes; 1, 1.0, True and "1" are alike if need be."""
    at = {name: place for place, name in enumerate(names)}
    items = values.tolist()
    if any(item not in at for item in items):
        at = {_measure_text(name): place for place, name in enumerate(names)}
        items = [_measure_text(item) for item in items]
    for item in items:
        if item not in at:
            raise ValueError(f"{item!r} is none of the classes {names[:10]}")
    return np.array([at[item] for item in items], dtype=int)


def _measure_text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _measure_chosen(guessed: Any, names: list[Any], metric: str) -> Any:
    """The place of the class that is predicted for each row."""
    if guessed.ndim == 2:
        if guessed.shape[1] != len(names):
            raise ValueError(f"{guessed.shape[1]} columns of probabilities, {len(names)} classes")
        return np.argmax(guessed.astype(float), axis=1)
    try:
        return _measure_places(guessed, names)
    except ValueError:
        numbers = pd.to_numeric(pd.Series(guessed), errors="coerce").to_numpy(dtype=float)
        if np.isnan(numbers).any():
            raise
        if metric == "qwk" and all(isinstance(each, (int, float)) for each in names):
            known = np.array(names, dtype=float)
            return np.abs(numbers[:, None] - known[None, :]).argmin(axis=1)
        if len(names) == 2 and numbers.min() >= 0 and numbers.max() <= 1:
            return (numbers >= 0.5).astype(int)
        raise


def _measure_labels(metric: str, true: Any, chosen: Any, count: int) -> float:
    table = np.zeros((count, count))
    np.add.at(table, (true, chosen), 1)
    hits, actual, called = np.diag(table), table.sum(axis=1), table.sum(axis=0)
    total = table.sum()
    if metric in ("accuracy", "f1_micro"):
        return float(hits.sum() / total)
    if metric == "balanced_accuracy":
        present = actual > 0
        return float((hits[present] / actual[present]).mean())
    if metric in ("kappa", "qwk"):
        return _measure_kappa(table, quadratic=metric == "qwk")
    if metric == "mcc":
        spread = (total**2 - (called**2).sum()) * (total**2 - (actual**2).sum())
        return float((hits.sum() * total - (actual * called).sum()) / np.sqrt(spread or 1.0))
    if metric in ("f1", "precision", "recall") and count != 2:
        raise ValueError(f"{metric} is for two classes, and there are {count}; use f1_macro")
    if metric == "precision":
        return float(hits[-1] / called[-1]) if called[-1] else 0.0
    if metric == "recall":
        return float(hits[-1] / actual[-1]) if actual[-1] else 0.0
    parts = 2 * hits / np.maximum(actual + called, 1)
    if metric == "f1":
        return float(parts[-1])
    if metric == "f1_weighted":
        return float((parts * actual).sum() / total)
    return float(parts[(actual + called) > 0].mean())


def _measure_kappa(table: Any, *, quadratic: bool) -> float:
    count = len(table)
    apart = np.subtract.outer(np.arange(count), np.arange(count))
    weights = apart**2 if quadratic else (apart != 0).astype(float)
    chance = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    expected = float((weights * chance).sum())
    # All in one class, true and predicted: nothing is wrong that could be.
    return 1.0 - float((weights * table).sum()) / expected if expected else 1.0


def _measure_shares(guessed: Any, names: list[Any]) -> Any:
    """A column of probabilities for each class."""
    numbers = guessed.astype(float)
    if numbers.ndim == 1:
        if len(names) != 2:
            raise ValueError(f"one probability a row is for two classes, not for {len(names)}")
        numbers = np.column_stack([1 - numbers, numbers])
    if numbers.shape[1] != len(names):
        raise ValueError(f"{numbers.shape[1]} columns of probabilities, {len(names)} classes")
    return numbers


def _measure_probabilities(metric: str, true: Any, shares: Any) -> float:
    count = shares.shape[1]
    if metric == "log_loss":
        return _measure_log_loss(true, shares)
    if metric == "auc_macro" or (metric == "auc" and count > 2):
        found = [_measure_auc(true == each, shares[:, each]) for each in range(count)]
        return float(np.mean(found if count > 2 else found[1:]))
    if count != 2:
        raise ValueError(f"{metric} is for two classes, and there are {count}")
    hit, share = true == 1, shares[:, 1]
    if metric == "brier":
        return float(np.mean((share - hit) ** 2))
    if metric == "average_precision":
        return _measure_average_precision(hit, share)
    area = _measure_auc(hit, share)
    return 2 * area - 1 if metric == "gini" else area


def _measure_log_loss(true: Any, shares: Any) -> float:
    smallest = np.finfo(float).eps
    if shares.min() < -1e-6 or shares.max() > 1 + 1e-6:
        raise ValueError("probabilities lie between 0 and 1, and these do not")
    sums = shares.sum(axis=1, keepdims=True)
    kept = np.clip(shares / np.where(sums > 0, sums, 1.0), smallest, 1 - smallest)
    return float(-np.log(kept[np.arange(len(true)), true]).mean())


def _measure_auc(hit: Any, share: Any) -> float:
    positive = int(hit.sum())
    negative = len(hit) - positive
    if not positive or not negative:
        raise ValueError("the area under the curve needs rows of each class among the true values")
    ranks = pd.Series(share).rank().to_numpy()
    return float((ranks[hit].sum() - positive * (positive + 1) / 2) / (positive * negative))


def _measure_average_precision(hit: Any, share: Any) -> float:
    if not hit.any():
        raise ValueError("average precision needs a row of the positive class")
    order = np.argsort(-share, kind="stable")
    found = np.cumsum(hit[order])
    last = np.append(np.diff(share[order]) != 0, True)  # rows with the same value count together
    precision = found[last] / (np.flatnonzero(last) + 1)
    recall = found[last] / found[-1]
    return float((np.diff(recall, prepend=0.0) * precision).sum())


def _measure_numbers(metric: str, true: Any, guessed: Any) -> float:
    try:
        known, found = true.astype(float), guessed.astype(float)
    except (TypeError, ValueError):
        raise ValueError(f"{metric} is of numbers, and these are not numbers") from None
    if found.ndim != 1:
        raise ValueError(f"{metric} takes one number a row")
    if not (np.isfinite(known).all() and np.isfinite(found).all()):
        raise ValueError("there are infinite values among the true values or the predictions")
    return float(_MEASURE_NUMBERS[metric](known, found))


def _measure_rmsle(known: Any, found: Any) -> float:
    if known.min() <= -1 or found.min() <= -1:
        raise ValueError("rmsle has no meaning for values of -1 and below")
    return float(np.sqrt(np.mean((np.log1p(found) - np.log1p(known)) ** 2)))


def _measure_mape(known: Any, found: Any) -> float:
    smallest = np.finfo(float).eps
    return float(np.mean(np.abs(known - found) / np.maximum(np.abs(known), smallest)))


def _measure_smape(known: Any, found: Any) -> float:
    size = (np.abs(known) + np.abs(found)) / 2
    return float(np.mean(np.abs(known - found) / np.where(size > 0, size, 1.0)))


def _measure_r2(known: Any, found: Any) -> float:
    spread = float(((known - known.mean()) ** 2).sum())
    left = float(((known - found) ** 2).sum())
    return 1 - left / spread if spread else float(left == 0)


def _measure_correlation(known: Any, found: Any) -> float:
    if known.std() == 0 or found.std() == 0:
        return 0.0
    return float(np.corrcoef(known, found)[0, 1])


def _measure_rank_correlation(known: Any, found: Any) -> float:
    ranks = [pd.Series(each).rank().to_numpy() for each in (known, found)]
    return _measure_correlation(*ranks)


_MEASURE_NUMBERS: dict[str, Callable[[Any, Any], float]] = {
    "rmse": lambda known, found: float(np.sqrt(np.mean((known - found) ** 2))),
    "rmsle": _measure_rmsle,
    "mse": lambda known, found: float(np.mean((known - found) ** 2)),
    "mae": lambda known, found: float(np.mean(np.abs(known - found))),
    "medae": lambda known, found: float(np.median(np.abs(known - found))),
    "mape": _measure_mape,
    "smape": _measure_smape,
    "r2": _measure_r2,
    "pearson": _measure_correlation,
    "spearman": _measure_rank_correlation,
}


def test_labels_by_example() -> None:
    assert measure(["a", "b", "b", "b"], ["a", "b", "b", "a"], metric="accuracy") == 0.75
    assert measure([1, 0, 1, 1], [1, 0, 0, 1], metric="f1") == 0.8
    assert measure([1, 2, 3], [1, 2, 3], metric="qwk") == 1.0


def test_the_likeliest_class_counts_for_labels() -> None:
    shares = pd.DataFrame({"no": [0.9, 0.2], "yes": [0.1, 0.8]})
    assert measure(["no", "yes"], shares, metric="accuracy", classes=["no", "yes"]) == 1.0


def test_numbers_by_example() -> None:
    assert measure([1.0, 3.0], [2.0, 5.0], metric="mae") == 1.5
    assert measure([1.0, 4.0], [2.0, 4.0], metric="mape") == 0.5


def test_missing_predictions_are_an_error() -> None:
    message = ""
    try:
        measure([1.0, 2.0], [1.0, np.nan], metric="rmse")
    except ValueError as error:
        message = str(error)
    assert "missing" in message


def test_property_as_scikit_learn_reckons() -> None:
    from sklearn import metrics

    random = np.random.default_rng(11)
    for _ in range(20):
        true = np.r_[0, 1, random.integers(0, 2, 60)]
        share = np.round(random.random(62), 1)
        assert abs(measure(true, share, metric="auc") - metrics.roc_auc_score(true, share)) < 1e-12
        known = random.normal(size=62)
        assert abs(measure(known, share, metric="r2") - metrics.r2_score(known, share)) < 1e-12
