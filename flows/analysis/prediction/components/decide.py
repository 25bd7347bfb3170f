"""Turn probabilities or grades into classes, by weights or cuts.

Phases: model_building
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def decide(outputs: Any, *, decision: Sequence[float] | None, form: str) -> Any:
    """The place of the class that each row is put in.

    Args:
        outputs: one column of probabilities for each class; one column of numbers for "ordinal".
        decision: a weight that each class's probability is multiplied by, none for the likeliest
            class; for "ordinal" the cuts between the classes, in order.
        form: "classes" or "ordinal".
    Returns:
        an array of places among the classes.
    Raises:
        ValueError: for "ordinal" without cuts, and for weights that are not one for each class.
    Example:
        places = decide(shares, decision=[1.0, 2.5], form="classes")
    """
    values = np.asarray(outputs, dtype=float)
    if form == "ordinal":
        if decision is None:
            raise ValueError("grades are cut into classes, and there are no cuts")
        return np.searchsorted(np.asarray(decision, dtype=float), values[:, 0], side="right")
    if decision is None:
        return values.argmax(axis=1)
    if len(decision) != values.shape[1]:
        raise ValueError(f"{len(decision)} weights for {values.shape[1]} classes")
    return (values * np.asarray(decision, dtype=float)).argmax(axis=1)


def test_a_weight_brings_a_rare_class_up() -> None:
    shares = [[0.7, 0.3], [0.9, 0.1]]
    assert decide(shares, decision=None, form="classes").tolist() == [0, 0]
    assert decide(shares, decision=[1.0, 3.0], form="classes").tolist() == [1, 0]


def test_cuts_part_numbers() -> None:
    assert decide([[0.2], [1.0], [7.0]], decision=[0.5, 3.0], form="ordinal").tolist() == [0, 1, 2]


def test_property_equal_weights_change_nothing() -> None:
    random = np.random.default_rng(8)
    for _ in range(20):
        shares = random.dirichlet(np.ones(4), 25)
        plain = decide(shares, decision=None, form="classes")
        assert (decide(shares, decision=[2.0] * 4, form="classes") == plain).all()
