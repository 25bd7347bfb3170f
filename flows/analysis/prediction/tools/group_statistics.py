"""Add what is usual in a row's group, and how far the row is from it.

Phases: feature_engineering
Gives: train, test
"""

from __future__ import annotations

import numpy as np
import pandas as pd


def group_statistics(
    train: pd.DataFrame,
    test: pd.DataFrame | None = None,
    *,
    by: str,
    columns: list[str],
    statistics: list[str] | None = None,
    difference: bool = True,
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Add NAME_STATISTIC_by_BY, and NAME_from_mean_by_BY: the value less the mean of its group.

    Args:
        train: The rows to learn from.
        test: The rows to predict, if there are any.
        by: The column that says which rows belong together.
        columns: Columns of numbers, never the target.
        statistics: Some of "mean", "std", "min", "max", "median", "count"; the mean without it.
        difference: Whether to add the distance from the mean.
    Returns:
        Both tables. Groups that train has not have the statistic of all its rows, and a count of 0.
    Raises:
        ValueError: A column is not there or holds no numbers, or a statistic is unknown.
    Example:
        train, test = group_statistics(train, test, by="town", columns=["income"])
    """
    chosen = statistics or ["mean"]
    for name in [by, *columns]:
        if name not in train.columns:
            raise ValueError(f"there is no column {name!r} in train")
        if name != by and not pd.api.types.is_numeric_dtype(train[name]):
            raise ValueError(f"the column {name!r} holds no numbers")
    if unknown := set(chosen) - {"mean", "std", "min", "max", "median", "count"}:
        raise ValueError(f"there is no statistic {min(unknown)!r}")
    keys = train[by].map(str)
    added: list[dict[str, pd.Series]] = [{}, {}]
    for name in columns:
        numbers = train[name].astype("float64")
        for statistic in dict.fromkeys([*chosen, *(["mean"] if difference else [])]):
            learned = getattr(numbers.groupby(keys), statistic)()
            other = 0.0 if statistic == "count" else float(getattr(numbers, statistic)())
            for table, found in zip([train, test], added, strict=True):
                if table is None:
                    continue
                told = table[by].map(str).map(learned).astype("float64").fillna(other)
                if statistic in chosen:
                    found[f"{name}_{statistic}_by_{by}"] = told
                if statistic == "mean" and difference:
                    found[f"{name}_from_mean_by_{by}"] = table[name].astype("float64") - told
    left = pd.concat([train, pd.DataFrame(added[0], index=train.index)], axis=1)
    if test is None:
        return left, None
    return left, pd.concat([test, pd.DataFrame(added[1], index=test.index)], axis=1)


def test_means_of_groups_and_the_distance() -> None:
    train = pd.DataFrame({"g": ["x", "x", "z"], "a": [1.0, 3.0, 10.0]})
    found, test = group_statistics(
        train, pd.DataFrame({"g": ["z", "new"], "a": [4.0, 1.0]}), by="g", columns=["a"]
    )
    assert found["a_mean_by_g"].tolist() == [2.0, 2.0, 10.0]
    assert found["a_from_mean_by_g"].tolist() == [-1.0, 1.0, 0.0]
    assert test is not None
    assert test["a_mean_by_g"].round(3).tolist() == [10.0, 4.667]
    assert test["a_from_mean_by_g"].round(3).tolist() == [-6.0, -3.667]


def test_a_group_that_is_new_has_no_rows() -> None:
    train = pd.DataFrame({"g": ["x", "x"], "a": [1.0, 3.0]})
    _, test = group_statistics(
        train, pd.DataFrame({"g": ["q"], "a": [1.0]}), by="g", columns=["a"], statistics=["count"]
    )
    assert test is not None
    assert test["a_count_by_g"].tolist() == [0.0]


def test_property_the_distances_of_a_group_add_up_to_nothing() -> None:
    generator = np.random.default_rng(25)
    for groups in (1, 4, 20):
        train = pd.DataFrame(
            {"g": generator.integers(0, groups, 60), "a": generator.normal(size=60)}
        )
        found, _ = group_statistics(train, by="g", columns=["a"])
        assert found.groupby("g")["a_from_mean_by_g"].sum().abs().max() < 1e-9
