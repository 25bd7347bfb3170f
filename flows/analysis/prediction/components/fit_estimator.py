"""Fit an estimator to a matrix, and predict for others.

Phases: model_building
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from flows.analysis.prediction.components.make_estimator import make_estimator

_FIT_ESTIMATOR_RELATIVE = ("mape", "smape")
_FIT_ESTIMATOR_SCALED = ("linear", "kernel", "neural_network")
_FIT_ESTIMATOR_SMALLEST = 1e-6  # of a probability


def fit_estimator(
    model: str,
    learned: Any,
    truth: Any,
    others: Sequence[Any],
    *,
    parameters: Mapping[str, Any],
    form: str,
    classes: int = 0,
    metric: str = "",
    seed: int = 0,
    stages: Sequence[int] = (),
) -> list[list[Any]]:
    """The predictions for each of the other matrices, one for each stage.

    Of numbers the logarithm is learned where the parameter `target` is "log" (and for rmsle);
    predictions are kept near the range that was seen. Probabilities are clipped.

    Args:
        model: a kind of model that `make_estimator` knows.
        learned: the matrix of the rows that are learned from.
        truth: their target as `encode_target` gives it.
        others: matrices to predict for.
        parameters: the model's settings, and "target".
        form: "number", "classes" or "ordinal".
        classes: how many classes there are.
        metric: the metric of the task.
        seed: of all that is drawn.
        stages: numbers of iterations of boosting after which predictions are wanted.
    Returns:
        for each matrix a list with an array of one column, or one for each class, for each stage;
        without stages of one array.
    Raises:
        ValueError: if logarithms are wanted of numbers of -1 and below.
    Example:
        ((values,),) = fit_estimator("linear", x, y, [x_test], parameters={}, form="number")
    """
    known = np.asarray(truth, dtype=float)
    estimator = make_estimator(model, parameters=parameters, form=form, metric=metric, seed=seed)
    logarithm = form == "number" and (metric == "rmsle" or parameters.get("target") == "log")
    goal, back = _fit_estimator_goal(model, known, form, logarithm, parameters.get("loss", ""))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if metric in _FIT_ESTIMATOR_RELATIVE and not logarithm and form == "number":
            size = np.abs(known)
            weights = 1 / np.maximum(size, max(float(np.quantile(size, 0.05)), 1e-9))
            _fit_estimator_weighted(estimator, learned, goal, weights / weights.mean())
        else:
            estimator.fit(learned, goal)
        return [
            [
                back(each) if form != "classes" else _fit_estimator_shares(each, estimator, classes)
                for each in _fit_estimator_stages(estimator, other, form, stages)
            ]
            for other in others
        ]


def _fit_estimator_goal(
    model: str, known: Any, form: str, logarithm: bool, loss: str
) -> tuple[Any, Any]:
    """What is learned, and the way back from a prediction of it."""
    if form == "classes":
        return known.astype(int), None
    if logarithm and known.min() <= -1:
        raise ValueError("there are no logarithms of a target of -1 and below")
    goal = np.log1p(known) if logarithm else known
    scaled = model in _FIT_ESTIMATOR_SCALED
    middle = float(goal.mean()) if scaled else 0.0
    spread = (float(goal.std()) or 1.0) if scaled else 1.0
    low, high = float(goal.min()), float(goal.max())
    room = 0.1 * (high - low)

    def back(values: Any) -> Any:
        moved = np.clip(np.asarray(values, dtype=float) * spread + middle, low - room, high + room)
        if low >= 0 or loss == "poisson":
            moved = np.maximum(moved, 0)
        return (np.expm1(moved) if logarithm else moved).reshape(-1, 1)

    return (goal - middle) / spread, back


def _fit_estimator_weighted(estimator: Any, learned: Any, goal: Any, weights: Any) -> None:
    steps = getattr(estimator, "steps", None)
    name = f"{steps[-1][0]}__sample_weight" if steps else "sample_weight"
    estimator.fit(learned, goal, **{name: weights})


def _fit_estimator_stages(estimator: Any, other: Any, form: str, stages: Sequence[int]) -> Any:
    predict = estimator.predict_proba if form == "classes" else estimator.predict
    if not stages:
        return [predict(other)]
    name = "staged_predict_proba" if form == "classes" else "staged_predict"
    wanted, found = set(stages), []
    for number, values in enumerate(getattr(estimator, name)(other), start=1):
        if number in wanted:
            found.append(values.copy())
    return found


def _fit_estimator_shares(values: Any, estimator: Any, classes: int) -> Any:
    """A column for each class, also for those that no row was learned of."""
    shares = np.full((len(values), classes), _FIT_ESTIMATOR_SMALLEST)
    shares[:, np.asarray(estimator.classes_, dtype=int)] = values
    shares = np.clip(np.nan_to_num(shares), _FIT_ESTIMATOR_SMALLEST, 1.0)
    return shares / shares.sum(axis=1, keepdims=True)


def test_a_class_that_was_not_seen_has_a_small_share() -> None:
    table = np.arange(40.0)[:, None]
    ((shares,),) = fit_estimator(
        "linear", table, (table[:, 0] > 20) * 2, [table], parameters={}, form="classes", classes=3
    )
    assert shares.shape == (40, 3)
    assert 0 < shares[:, 1].max() < 1e-5


def test_logarithms_lead_back() -> None:
    table = np.arange(1, 60.0)[:, None] / 20
    truth = np.expm1(table[:, 0])
    settings = {"target": "log", "strength": 1000.0}
    ((found,),) = fit_estimator("linear", table, truth, [table], parameters=settings, form="number")
    assert np.abs(found[:, 0] - truth).max() < 0.05


def test_property_predictions_stay_near_what_was_seen() -> None:
    random = np.random.default_rng(3)
    for _ in range(10):
        table, truth = random.normal(size=(50, 2)), random.random(50)
        far = random.normal(size=(50, 2)) * 100
        ((found,),) = fit_estimator("linear", table, truth, [far], parameters={}, form="number")
        assert found.min() >= 0
        assert found.max() <= 1.2
