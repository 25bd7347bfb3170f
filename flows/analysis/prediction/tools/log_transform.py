"""Put the logarithm in the place of numbers that reach over several orders of magnitude.

Phases: feature_engineering
Gives: train, test
"""

from __future__ import annotations

import numpy as np
import pandas as pd


def log_transform(
    train: pd.DataFrame,
    test: pd.DataFrame | None = None,
    *,
    columns: list[str],
    keep: bool = False,
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Put NAME_log, the sign of the number times log(1 + its size), in the place of each column.

    The order of rows stays, so that trees find the same; linear models and neural networks gain.

    Args:
        train: The rows to learn from.
        test: The rows to predict, if there are any.
        columns: Columns of numbers, never the target.
        keep: Whether the numbers themselves stay, too.
    Returns:
        Both tables; missing values stay missing.
    Raises:
        ValueError: A column is not there or holds no numbers.
    Example:
        train, test = log_transform(train, test, columns=["income"])
    """
    for name in columns:
        if name not in train.columns:
            raise ValueError(f"there is no column {name!r} in train")
        if not pd.api.types.is_numeric_dtype(train[name]):
            raise ValueError(f"the column {name!r} holds no numbers")
    return (
        _log_transform_added(train, columns, keep),
        None if test is None else _log_transform_added(test, columns, keep),
    )


def _log_transform_added(table: pd.DataFrame, columns: list[str], keep: bool) -> pd.DataFrame:
    found = {}
    for name in columns:
        numbers = table[name].astype("float64")
        found[f"{name}_log"] = np.sign(numbers) * np.log1p(numbers.abs())
    rest = table if keep else table.drop(columns=columns)
    return pd.concat([rest, pd.DataFrame(found, index=table.index)], axis=1)


def test_the_logarithm_takes_the_place() -> None:
    train = pd.DataFrame({"a": [0.0, np.e - 1, -(np.e - 1), None]})
    found, test = log_transform(train, train, columns=["a"])
    assert list(found.columns) == ["a_log"]
    assert found["a_log"].round(9).tolist()[:3] == [0.0, 1.0, -1.0]
    assert test is not None
    assert test["a_log"].isna().tolist() == [False, False, False, True]


def test_property_the_order_of_rows_stays() -> None:
    generator = np.random.default_rng(30)
    values = generator.standard_cauchy(200) * 1000
    found, _ = log_transform(pd.DataFrame({"a": values}), columns=["a"], keep=True)
    assert (found["a"].rank() == found["a_log"].rank()).all()
