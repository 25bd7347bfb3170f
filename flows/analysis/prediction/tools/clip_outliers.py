"""Bring numbers that lie far from all others to the nearest that is not far.

Phases: data_cleaning, feature_engineering
Gives: train, test
"""

from __future__ import annotations

import numpy as np
import pandas as pd


def clip_outliers(
    train: pd.DataFrame,
    test: pd.DataFrame | None = None,
    *,
    columns: list[str],
    method: str = "iqr",
    factor: float = 3.0,
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Bound columns of numbers by what train holds.

    Args:
        train: The rows to learn from.
        test: The rows to predict, if there are any.
        columns: Columns of numbers.
        method: "iqr" (quartiles, and `factor` times their distance beyond), "zscore" (mean, and
            `factor` standard deviations), or "quantile" (`factor` percent at each end).
        factor: How far, see `method`.
    Returns:
        Both tables; missing values stay.
    Raises:
        ValueError: A column is not there or holds no numbers, or the method is unknown.
    Example:
        train, test = clip_outliers(train, test, columns=["income"], method="iqr", factor=5)
    """
    left, right = train.copy(), None if test is None else test.copy()
    for name in columns:
        if name not in train.columns:
            raise ValueError(f"there is no column {name!r} in train")
        if not pd.api.types.is_numeric_dtype(train[name]):
            raise ValueError(f"the column {name!r} holds no numbers")
        low, high = _clip_outliers_bounds(train[name].astype("float64"), method, factor)
        if not low < high:
            continue
        left[name] = train[name].astype("float64").clip(low, high)
        if right is not None and name in right.columns:
            right[name] = right[name].astype("float64").clip(low, high)
    return left, right


def _clip_outliers_bounds(column: pd.Series, method: str, factor: float) -> tuple[float, float]:
    if method == "iqr":
        first, third = float(column.quantile(0.25)), float(column.quantile(0.75))
        return first - factor * (third - first), third + factor * (third - first)
    if method == "zscore":
        mean, std = float(column.mean()), float(column.std())
        return mean - factor * std, mean + factor * std
    if method == "quantile":
        return float(column.quantile(factor / 100)), float(column.quantile(1 - factor / 100))
    raise ValueError(f"there is no method {method!r}: iqr, zscore or quantile")


def test_a_far_number_is_brought_near() -> None:
    train = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0, 5.0, 1000.0]})
    found, test = clip_outliers(train, pd.DataFrame({"a": [-500.0, None]}), columns=["a"])
    assert found["a"].tolist()[:5] == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert found["a"].max() < 20
    assert test is not None
    assert test["a"].iloc[0] > -20
    assert test["a"].isna().tolist() == [False, True]


def test_text_is_refused() -> None:
    message = ""
    try:
        clip_outliers(pd.DataFrame({"a": ["x"]}), columns=["a"])
    except ValueError as error:
        message = str(error)
    assert "'a'" in message


def test_property_the_order_of_values_stays() -> None:
    generator = np.random.default_rng(7)
    for method, factor in (("iqr", 1.5), ("zscore", 2.0), ("quantile", 5.0)):
        values = np.sort(generator.standard_cauchy(80))
        found, _ = clip_outliers(
            pd.DataFrame({"a": values}), columns=["a"], method=method, factor=factor
        )
        assert (np.diff(found["a"]) >= 0).all()
        assert found["a"].abs().max() <= np.abs(values).max()
