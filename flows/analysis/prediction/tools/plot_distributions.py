"""Draw how the values of columns are spread: histograms of numbers and dates, bars of categories.

Phases: preliminary_eda, in_depth_eda
"""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd


def plot_distributions(
    train: pd.DataFrame,
    test: pd.DataFrame | None = None,
    *,
    columns: list[str],
    title: str = "Distributions",
) -> pd.DataFrame:
    """One panel for each column, test over train where there is one.

    Args:
        train: The rows to learn from.
        test: The rows to predict, if there are any.
        columns: The columns to draw, at most 16.
        title: What is written above.
    Returns:
        column, kind, distinct, and spread: the skew of numbers, else the share of the commonest.
    Raises:
        ValueError: A column is not there, or there are none or too many.
    Example:
        plot_distributions(train, columns=["width", "colour"])
    """
    if not 1 <= len(columns) <= 16:
        raise ValueError(f"1 to 16 columns can be drawn at once, not {len(columns)}")
    if unknown := [name for name in columns if name not in train.columns]:
        raise ValueError(f"there is no column {unknown[0]!r} in train")
    across = min(4, len(columns))
    down = -(-len(columns) // across)
    figure, grid = plt.subplots(
        down, across, figsize=(3.2 * across, 2.6 * down), squeeze=False, layout="constrained"
    )
    rows = []
    for axes, name in zip(grid.flat, columns, strict=False):
        other = test[name] if test is not None and name in test.columns else None
        rows.append({"column": name, **_plot_distributions_panel(axes, train[name], other)})
        axes.set_title(name[:40], fontsize=9)
        axes.tick_params(labelsize=7)
    for axes in list(grid.flat)[len(columns) :]:
        axes.set_axis_off()
    figure.suptitle(title)
    return pd.DataFrame(rows)


def _plot_distributions_panel(
    axes: Any, column: pd.Series, other: pd.Series | None
) -> dict[str, object]:
    """Draw one column; what is said of it in numbers."""
    known = column.dropna()
    is_date = pd.api.types.is_datetime64_any_dtype(column)
    is_number = pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
    if is_number or is_date:
        numbers = known.astype("float64") if is_number else known
        if is_number:
            numbers = numbers[np.isfinite(numbers)]
        bins = min(40, max(1, numbers.nunique()))
        if len(numbers):
            axes.hist(numbers, bins=bins, density=not is_date, alpha=0.6, label="train")
        if is_number and other is not None and pd.api.types.is_numeric_dtype(other):
            shown = other.dropna().astype("float64")
            if len(shown) and np.isfinite(shown).all():
                axes.hist(shown, bins=bins, density=True, histtype="step", label="test")
        skew = float(numbers.skew()) if is_number and len(numbers) > 2 else None
        kind = "number" if is_number else "date"
        return {"kind": kind, "distinct": int(known.nunique()), "spread": skew}
    counts = known.map(str).value_counts(normalize=True)
    top = counts.head(10)
    axes.barh([str(each)[:18] for each in top.index][::-1], top.to_numpy()[::-1])
    share = float(top.iloc[0]) if len(top) else None
    return {"kind": "category", "distinct": int(known.nunique()), "spread": share}


def test_a_panel_for_each_column() -> None:
    train = pd.DataFrame(
        {
            "a": [1.0, 2.0, 9.0],
            "b": ["x", "y", "x"],
            "when": pd.to_datetime(["2024-01-01", "2024-02-01", None]),
        }
    )
    found = plot_distributions(train, train, columns=["a", "b", "when"], title="All")
    assert found["kind"].tolist() == ["number", "category", "date"]
    assert plt.gcf().get_suptitle() == "All"
    plt.close("all")


def test_property_odd_columns_are_drawn_too() -> None:
    for values in ([np.nan] * 3, [1.0, np.inf, 2.0], [5.0] * 3, [True, False, True], [None] * 3):
        found = plot_distributions(pd.DataFrame({"a": values}), columns=["a"])
        assert len(found) == 1
        plt.close("all")
