"""Reckon what a model or a blend is to make small: the metric where it is smooth.

Phases: model_building
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from flows.analysis.prediction.components.measure import measure

_SMOOTH_LOSS_SHARES = ("auc", "auc_macro", "gini", "average_precision", "brier")
_SMOOTH_LOSS_SQUARES = ("rmse", "mse", "r2")


def smooth_loss(
    truth: Any, outputs: Any, *, task: Mapping[str, Any], classes: int = 0, form: str
) -> float:
    """The metric of the task as a loss; log loss for metrics of labels, RMSE for grades.

    Metrics of labels change by whole rows, which tells little of which of two models is better.

    Args:
        truth: the target as `encode_target` gives it, without missing values.
        outputs: a column of numbers, or one of probabilities for each class.
        task: what is predicted: `metric`, `greater_is_better`, `own`.
        classes: how many classes there are.
        form: "number", "classes" or "ordinal".
    Returns:
        the loss.
    Raises:
        ValueError: if the metric has no meaning for these values.
    Example:
        loss = smooth_loss(y, shares, task={"metric": "f1"}, classes=2, form="classes")
    """
    known, values = np.asarray(truth, dtype=float), np.asarray(outputs, dtype=float)
    metric = str(task["metric"])
    if form == "classes":
        places = known.astype(int)
        if metric in _SMOOTH_LOSS_SHARES and len(np.unique(places)) == classes:
            found = measure(places, values, metric=metric, classes=list(range(classes)))
            return found if metric == "brier" else -found
        shares = values[np.arange(len(places)), places]
        return float(-np.log(np.clip(shares, 1e-15, 1)).mean())
    if form == "ordinal" or metric in _SMOOTH_LOSS_SQUARES:
        return float(np.sqrt(np.mean((values[:, 0] - known) ** 2)))
    found = measure(known, values[:, 0], metric=metric, own=str(task.get("own", "")))
    return -found if task["greater_is_better"] else found


def test_what_is_greater_the_better_is_turned() -> None:
    task = {"metric": "auc", "greater_is_better": True}
    shares = [[0.9, 0.1], [0.2, 0.8]]
    assert smooth_loss([0, 1], shares, task=task, classes=2, form="classes") == -1.0


def test_a_metric_without_meaning_is_an_error() -> None:
    message = ""
    try:
        smooth_loss([-5.0], [[1.0]], task={"metric": "rmsle"}, form="number")
    except ValueError as error:
        message = str(error)
    assert "rmsle" in message


def test_property_better_shares_have_less_loss() -> None:
    random = np.random.default_rng(1)
    for metric in ("accuracy", "log_loss", "brier", "average_precision"):
        task = {"metric": metric, "greater_is_better": metric in ("accuracy", "average_precision")}
        truth = np.r_[0, 1, random.integers(0, 2, 200)]
        noise = random.random(202)
        losses = []
        for weight in (0.2, 0.8):
            share = np.clip(weight * truth + (1 - weight) * noise, 0.01, 0.99)
            shares = np.column_stack([1 - share, share])
            losses.append(smooth_loss(truth, shares, task=task, classes=2, form="classes"))
        assert losses[1] < losses[0]
