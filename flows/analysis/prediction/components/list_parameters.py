"""List the settings of a model that are worth trying, the most promising first.

Phases: model_building
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flows.analysis.prediction.components.list_ranges import list_ranges

_ListParametersOne = dict[str, Any]
_LIST_PARAMETERS_BOOSTING: list[_ListParametersOne] = [
    {"learning_rate": 0.05, "leaves": 15, "least_rows": 20, "penalty": 1.0, "columns": 0.5},
    {"learning_rate": 0.05, "leaves": 6, "least_rows": 10, "penalty": 1.0, "columns": 0.5},
    {"learning_rate": 0.03, "leaves": 31, "least_rows": 10, "penalty": 5.0, "columns": 0.3},
    {"learning_rate": 0.05, "leaves": 3, "least_rows": 10, "penalty": 1.0, "columns": 0.5},
    {"learning_rate": 0.05, "leaves": 31, "least_rows": 40, "penalty": 10.0, "columns": 0.7},
    {"learning_rate": 0.05, "leaves": 8, "least_rows": 30, "penalty": 5.0, "columns": 0.2},
]
_LIST_PARAMETERS_FOREST: list[_ListParametersOne] = [
    {"least_rows": 3, "columns": 0.5},
    {"least_rows": 10, "columns": 0.5},
    {"least_rows": 1, "columns": 0.9},
    {"least_rows": 25, "columns": 0.8},
    {"least_rows": 1, "columns": 0.3},
    {"least_rows": 6, "columns": 0.25},
]
_LIST_PARAMETERS_LINEAR: list[_ListParametersOne] = [
    {"style": "spline", "strength": 0.1},
    {"style": "linear", "strength": 0.3},
    {"style": "spline", "strength": 0.01},
    {"style": "linear", "strength": 0.03},
    {"style": "spline", "strength": 1.0},
    {"style": "linear", "strength": 3.0},
    {"style": "linear", "strength": 0.003},
    {"style": "spline", "strength": 10.0},
]
_LIST_PARAMETERS_KERNEL: list[_ListParametersOne] = [
    {"width": 0.3, "strength": 3.0},
    {"width": 0.1, "strength": 10.0},
    {"width": 1.0, "strength": 1.0},
    {"width": 0.1, "strength": 1.0},
    {"width": 0.03, "strength": 30.0},
    {"width": 0.3, "strength": 30.0},
]
_LIST_PARAMETERS_NETWORK: list[_ListParametersOne] = [
    {"layers": [64, 32], "penalty": 0.03, "learning_rate": 0.003},
    {"layers": [128], "penalty": 0.3, "learning_rate": 0.003},
    {"layers": [32], "penalty": 0.1, "learning_rate": 0.005},
    {"layers": [64, 64, 32], "penalty": 0.1, "learning_rate": 0.002},
]


def list_parameters(
    model: str, *, count: int, columns: int, seed: int = 0
) -> list[_ListParametersOne]:
    """Settings of a model: first those that are often good, then drawn ones.

    Args:
        model: a kind of model that `make_estimator` knows.
        count: how many are wanted.
        columns: how many columns there are; the width of a kernel is told for one.
        seed: of all that is drawn.
    Returns:
        at most that many settings, no two the same.
    Raises:
        ValueError: for an unknown model.
    Example:
        tried = list_parameters("boosting", count=8, columns=12)
    """
    first: dict[str, list[_ListParametersOne]] = {
        "boosting": _LIST_PARAMETERS_BOOSTING,
        "lightgbm": _LIST_PARAMETERS_BOOSTING,
        "xgboost": _LIST_PARAMETERS_BOOSTING,
        "catboost": [{"depth": 6, "penalty": 3.0}, {"depth": 4, "penalty": 3.0}, {"depth": 8}],
        "extra_trees": _LIST_PARAMETERS_FOREST,
        "random_forest": _LIST_PARAMETERS_FOREST,
        "linear": _LIST_PARAMETERS_LINEAR,
        "kernel": _LIST_PARAMETERS_KERNEL,
        "neural_network": _LIST_PARAMETERS_NETWORK,
    }
    if model not in first:
        raise ValueError(f"there is no model {model!r}")
    listed = [dict(each) for each in first[model][:count]]
    random = np.random.default_rng(seed)
    ranges = list_ranges(model)
    while ranges and len(listed) < count:
        listed.append(
            {name: _list_parameters_drawn(random, *bounds) for name, bounds in ranges.items()}
        )
    if model == "kernel":
        listed = [{**each, "width": each["width"] / max(1, columns)} for each in listed]
    return listed


def _list_parameters_drawn(random: Any, low: float, high: float) -> float:
    """A number whose logarithm is spread evenly; a whole one between whole ones."""
    drawn = float(np.exp(random.uniform(np.log(low), np.log(high))))
    return round(drawn) if isinstance(low, int) else float(f"{drawn:.3g}")


def test_no_more_than_wanted() -> None:
    assert len(list_parameters("boosting", count=9, columns=3)) == 9
    assert len(list_parameters("extra_trees", count=2, columns=3)) == 2


def test_an_unknown_model_is_an_error() -> None:
    message = ""
    try:
        list_parameters("oracle", count=1, columns=1)
    except ValueError as error:
        message = str(error)
    assert "'oracle'" in message


def test_property_the_same_seed_draws_the_same() -> None:
    for seed in range(5):
        first, second = (
            list_parameters("boosting", count=12, columns=2, seed=seed) for _ in range(2)
        )
        assert first == second
        assert len({str(each) for each in first}) == 12
