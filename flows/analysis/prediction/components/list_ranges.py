"""List the ranges that a model's settings are drawn from.

Phases: model_building
"""

from __future__ import annotations

_LIST_RANGES_BOOSTING = {
    "learning_rate": (0.02, 0.08),
    "leaves": (3, 48),
    "least_rows": (4, 80),
    "penalty": (0.1, 30.0),
    "columns": (0.15, 1.0),
}
_LIST_RANGES: dict[str, dict[str, tuple[float, float]]] = {
    "boosting": _LIST_RANGES_BOOSTING,
    "lightgbm": _LIST_RANGES_BOOSTING,
    "xgboost": _LIST_RANGES_BOOSTING,
    "catboost": {},
    "extra_trees": {"least_rows": (1, 40), "columns": (0.15, 1.0)},
    "random_forest": {"least_rows": (1, 40), "columns": (0.15, 1.0)},
    "linear": {},
    "kernel": {},
    "neural_network": {},
}


def list_ranges(model: str) -> dict[str, tuple[float, float]]:
    """The lowest and the highest value of each setting that is drawn, on a scale of logarithms.

    Args:
        model: a kind of model that `make_estimator` knows.
    Returns:
        ranges by the names of settings; two whole numbers for a setting of whole numbers. Nothing
        for a model of which only listed settings are tried.
    Raises:
        ValueError: for an unknown model.
    Example:
        ranges = list_ranges("boosting")
    """
    if model not in _LIST_RANGES:
        raise ValueError(f"there is no model {model!r}")
    return dict(_LIST_RANGES[model])


def test_leaves_are_whole_numbers() -> None:
    assert list_ranges("boosting")["leaves"] == (3, 48)


def test_an_unknown_model_is_an_error() -> None:
    message = ""
    try:
        list_ranges("oracle")
    except ValueError as error:
        message = str(error)
    assert "'oracle'" in message


def test_property_ranges_are_above_zero_and_in_order() -> None:
    for model in _LIST_RANGES:
        assert all(0 < low < high for low, high in list_ranges(model).values())
