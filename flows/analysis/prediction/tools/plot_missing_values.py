"""Draw the share of missing values of each column, of train and of test.

Phases: preliminary_eda, in_depth_eda
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd


def plot_missing_values(
    train: pd.DataFrame, test: pd.DataFrame | None = None, *, most: int = 30
) -> pd.DataFrame:
    """One bar for each column, the emptiest first.

    Args:
        train: The rows to learn from.
        test: The rows to predict, if there are any.
        most: How many columns are drawn at most.
    Returns:
        column, train and test: the shares of missing values, 0 to 1, of all columns that miss any.
    Raises:
        ValueError: train has no row.
    Example:
        plot_missing_values(train, test)
    """
    if train.empty:
        raise ValueError("train has no row")
    found = pd.DataFrame({"column": list(train.columns), "train": train.isna().mean().to_numpy()})
    if test is not None and len(test):
        shares = test.isna().mean()
        found["test"] = [float(shares.get(name, np.nan)) for name in found["column"]]
    numbers = found.drop(columns="column")
    missing = found[numbers.fillna(0).max(axis=1) > 0]
    missing = missing.sort_values(list(numbers), ascending=False).reset_index(drop=True)
    shown = missing.head(most) if len(missing) else found.head(most)
    figure, axes = plt.subplots(figsize=(8, 1.5 + 0.3 * len(shown)), layout="constrained")
    height = 0.8 / len(numbers.columns)
    for at, part in enumerate(numbers.columns):
        axes.barh(np.arange(len(shown)) + at * height, shown[part], height, label=part)
    axes.set_yticks(np.arange(len(shown)), [str(each)[:30] for each in shown["column"]])
    axes.invert_yaxis()
    axes.set_xlim(0, max(0.05, float(np.nanmax(shown[numbers.columns].to_numpy())) * 1.1))
    axes.set_xlabel("share missing")
    axes.legend()
    count = len(missing)
    figure.suptitle(f"Missing values: {count} of {len(found)} columns" if count else "None missing")
    return missing


def test_the_emptiest_comes_first() -> None:
    train = pd.DataFrame({"a": [1, None, 3, 4], "b": [None, None, 1, 2], "c": [1, 2, 3, 4]})
    found = plot_missing_values(train, pd.DataFrame({"a": [1], "c": [None]}))
    assert found["column"].tolist() == ["b", "a", "c"]
    assert found["train"].tolist() == [0.5, 0.25, 0.0]
    assert "3 of 3" in plt.gcf().get_suptitle()
    plt.close("all")


def test_property_a_figure_is_made_whatever_is_missing() -> None:
    for share in (0.0, 0.5, 1.0):
        train = pd.DataFrame(np.ones((8, 3)), columns=["a", "b", "c"])
        train.iloc[: int(8 * share)] = np.nan
        assert len(plot_missing_values(train)) == (3 if share else 0)
        assert len(plt.get_fignums()) == 1
        plt.close("all")
