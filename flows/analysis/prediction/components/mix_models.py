"""Mix the predictions of several models by weights.

Phases: model_building
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def mix_models(
    outputs: Any, *, weights: Sequence[float], powers: Sequence[float], form: str
) -> Any:
    """The weighted mean; of classes each model's probabilities are first raised to its power.

    A power above 1 makes a model surer of what it says, one below 1 less sure.

    Args:
        outputs: an array of models, rows and columns.
        weights: a weight for each model, 1 in all.
        powers: a power for each model.
        form: "number", "classes" or "ordinal".
    Returns:
        an array of rows and columns.
    Raises:
        ValueError: if there is not a weight and a power for each model.
    Example:
        mixed = mix_models(outputs, weights=[0.5, 0.5], powers=[1.0, 2.0], form="classes")
    """
    values = np.asarray(outputs, dtype=float)
    if not len(values) == len(weights) == len(powers):
        raise ValueError(f"{len(weights)} weights, {len(powers)} powers, {len(values)} models")
    if form == "classes":
        raised = [
            np.clip(each, 1e-9, 1) ** power for each, power in zip(values, powers, strict=True)
        ]
        values = np.stack([each / each.sum(axis=1, keepdims=True) for each in raised])
    return np.tensordot(np.asarray(weights, dtype=float), values, axes=1)


def test_numbers_are_averaged() -> None:
    mixed = mix_models([[[1.0]], [[3.0]]], weights=[0.25, 0.75], powers=[1, 1], form="number")
    assert mixed.tolist() == [[2.5]]


def test_each_model_needs_a_weight() -> None:
    message = ""
    try:
        mix_models([[[1.0]]], weights=[], powers=[], form="number")
    except ValueError as error:
        message = str(error)
    assert "0 weights" in message


def test_property_probabilities_stay_probabilities() -> None:
    random = np.random.default_rng(1)
    for _ in range(10):
        outputs = random.dirichlet(np.ones(3), (2, 20))
        mixed = mix_models(outputs, weights=[0.3, 0.7], powers=[0.5, 2.5], form="classes")
        assert np.allclose(mixed.sum(axis=1), 1)
