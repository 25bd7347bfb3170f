"""Draw how columns of numbers go together, with the strongest pairs as a table.

Phases: preliminary_eda, in_depth_eda
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd


def plot_correlations(
    train: pd.DataFrame,
    *,
    columns: list[str],
    method: str = "spearman",
    most: int = 25,
    rows: int = 20000,
) -> pd.DataFrame:
    """Draw the matrix of correlations of the columns.

    Args:
        train: The rows to learn from.
        columns: Columns of numbers, the target among them if it is one.
        method: "spearman" (of ranks) or "pearson".
        most: How many columns are drawn at most, those of the strongest correlations.
        rows: How many rows are looked at, drawn at random with a fixed seed.
    Returns:
        left, right, correlation: the pairs from the strongest on, at most 50.
    Raises:
        ValueError: A column is not there or holds no numbers, or there are fewer than two.
    Example:
        plot_correlations(train, columns=["width", "height"])
    """
    if len(columns) < 2:
        raise ValueError("correlations need two columns or more")
    for name in columns:
        if name not in train.columns:
            raise ValueError(f"there is no column {name!r} in train")
        if not pd.api.types.is_numeric_dtype(train[name]):
            raise ValueError(f"the column {name!r} holds no numbers")
    if method not in ("spearman", "pearson"):
        raise ValueError(f"there is no method {method!r}: spearman or pearson")
    looked = train if len(train) <= rows else train.sample(rows, random_state=0)
    numbers = looked[columns].astype("float64").replace([np.inf, -np.inf], np.nan)
    numbers = numbers.loc[:, numbers.nunique() > 1]
    matrix = numbers.corr(method=method)
    upper = matrix.where(np.triu(np.ones(matrix.shape, dtype=bool), 1)).stack().dropna()
    pairs = pd.DataFrame(
        [(left, right, float(value)) for (left, right), value in upper.items()],
        columns=["left", "right", "correlation"],
    )
    pairs = pairs.sort_values("correlation", key=lambda each: -each.abs(), kind="stable").head(50)
    strongest = list(dict.fromkeys(pairs[["left", "right"]].to_numpy().ravel()))[:most]
    shown = [name for name in matrix.columns if name in strongest] or list(matrix.columns)[:most]
    size = 3 + 0.3 * len(shown)
    figure, axes = plt.subplots(figsize=(size + 1, size), layout="constrained")
    image = axes.imshow(matrix.loc[shown, shown], vmin=-1, vmax=1, cmap="coolwarm")
    axes.set_xticks(range(len(shown)), [name[:20] for name in shown], rotation=90, fontsize=7)
    axes.set_yticks(range(len(shown)), [name[:20] for name in shown], fontsize=7)
    figure.colorbar(image, shrink=0.8)
    figure.suptitle(f"Correlations ({method})")
    return pairs.reset_index(drop=True)


def test_the_strongest_pair_comes_first() -> None:
    train = pd.DataFrame({"a": [1, 2, 3, 4], "b": [2, 4, 6, 9], "c": [4, 1, 3, 2]})
    found = plot_correlations(train, columns=["a", "b", "c"])
    assert found.loc[0, ["left", "right"]].tolist() == ["a", "b"]
    assert abs(found.loc[0, "correlation"] - 1) < 1e-9
    assert len(found) == 3
    plt.close("all")


def test_text_is_refused() -> None:
    message = ""
    try:
        plot_correlations(pd.DataFrame({"a": [1], "b": ["x"]}), columns=["a", "b"])
    except ValueError as error:
        message = str(error)
    assert "'b'" in message


def test_property_correlations_lie_between_minus_one_and_one() -> None:
    generator = np.random.default_rng(13)
    for method in ("spearman", "pearson"):
        train = pd.DataFrame(generator.normal(size=(30, 5)), columns=list("abcde"))
        train["f"] = 1.0
        found = plot_correlations(train, columns=list("abcdef"), method=method)
        assert len(found) == 10
        assert found["correlation"].abs().max() <= 1 + 1e-9
        plt.close("all")
