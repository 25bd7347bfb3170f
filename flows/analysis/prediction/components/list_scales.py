"""List the scales and losses on which a target of numbers is worth learning.

Phases: model_building
"""

from __future__ import annotations

from typing import Any

import numpy as np

_LIST_SCALES_SKEWED = 1.0  # skewness
_LIST_SCALES_SQUARES = ("rmse", "mse", "r2")


def list_scales(truth: Any, *, model: str, form: str, metric: str) -> list[dict[str, Any]]:
    """Settings to add to a model's own: none, a logarithm, for boosting also a Poisson loss.

    They are worth a try where the target has no negative values and a long tail. What is judged by
    logarithms is always learned on them.

    Args:
        truth: the target as `encode_target` gives it.
        model: a kind of model that `make_estimator` knows.
        form: "number", "classes" or "ordinal".
        metric: the metric of the task.
    Returns:
        the settings; an empty list where there is no choice.
    Raises:
        ValueError: if no value of the target is known.
    Example:
        variants = list_scales(y, model="boosting", form="number", metric="rmse")
    """
    values = np.asarray(truth, dtype=float)
    known = values[np.isfinite(values)]
    if len(known) == 0:
        raise ValueError("no value of the target is known")
    spread = float(known.std())
    if form != "number" or metric == "rmsle" or known.min() < 0 or not spread:
        return []
    if ((known - known.mean()) ** 3).mean() / spread**3 < _LIST_SCALES_SKEWED:
        return []
    found = [{}, {"target": "log"}]
    if model == "boosting" and metric in _LIST_SCALES_SQUARES:
        found.append({"loss": "poisson"})
    return found


def test_a_long_tail_is_tried_on_its_logarithm() -> None:
    truth = np.exp(np.random.default_rng(1).normal(size=300))
    found = list_scales(truth, model="linear", form="number", metric="mae")
    assert found == [{}, {"target": "log"}]
    assert list_scales(truth, model="linear", form="number", metric="rmsle") == []


def test_no_value_is_an_error() -> None:
    message = ""
    try:
        list_scales([np.nan], model="linear", form="number", metric="mae")
    except ValueError as error:
        message = str(error)
    assert "no value" in message


def test_property_what_is_negative_has_no_logarithm() -> None:
    random = np.random.default_rng(2)
    for _ in range(10):
        truth = np.exp(random.normal(size=50)) - 1
        assert list_scales(truth, model="linear", form="number", metric="rmse") == []
