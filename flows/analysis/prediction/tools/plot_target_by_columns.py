"""Draw the target by the values of columns: its mean, or the share of a class, in each bin.

Phases: preliminary_eda, in_depth_eda
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd


def plot_target_by_columns(
    train: pd.DataFrame, *, target: str, columns: list[str], kind: str, bins: int = 8
) -> pd.DataFrame:
    """One panel for each column. Of several classes, the share of the commonest one is drawn.

    Args:
        train: The rows to learn from.
        target: The column to predict.
        columns: The columns to draw it by, at most 16.
        kind: "regression", "binary" or "multiclass".
        bins: How many bins numbers fall into, of about as many rows each.
    Returns:
        column, value, rows, mean: the mean of the target (or share of the class) in each bin.
    Raises:
        ValueError: A column is not there, or there are none or too many.
    Example:
        plot_target_by_columns(train, target="price", columns=["width"], kind="regression")
    """
    if not 1 <= len(columns) <= 16:
        raise ValueError(f"1 to 16 columns can be drawn at once, not {len(columns)}")
    if unknown := [name for name in [target, *columns] if name not in train.columns]:
        raise ValueError(f"there is no column {unknown[0]!r} in train")
    numbers, label = _plot_target_by_columns_numbers(train[target], kind)
    across = min(4, len(columns))
    down = -(-len(columns) // across)
    figure, grid = plt.subplots(
        down, across, figsize=(3.2 * across, 2.6 * down), squeeze=False, layout="constrained"
    )
    tables = []
    for axes, name in zip(grid.flat, columns, strict=False):
        found = _plot_target_by_columns_means(train[name], numbers, bins)
        found.insert(0, "column", name)
        tables.append(found)
        axes.plot(found["value"].str.slice(0, 14), found["mean"], marker="o")
        axes.axhline(float(numbers.mean()), color="grey", linewidth=0.8)
        axes.set_title(name[:40], fontsize=9)
        axes.tick_params(labelsize=6)
        axes.tick_params(axis="x", rotation=60)
    for axes in list(grid.flat)[len(columns) :]:
        axes.set_axis_off()
    figure.suptitle(f"{label} by column")
    return pd.concat(tables, ignore_index=True)


def _plot_target_by_columns_numbers(column: pd.Series, kind: str) -> tuple[pd.Series, str]:
    """The target as numbers, and what they are."""
    if kind == "regression":
        return column.astype("float64"), f"Mean of {column.name}"
    known = column.dropna().map(str)
    if kind == "binary":
        chosen = max(known.unique()) if len(known) else ""
    else:
        chosen = str(known.value_counts().index[0]) if len(known) else ""
    numbers = column.map(lambda each: float(str(each) == chosen), na_action="ignore")
    return numbers.astype("float64"), f"Share of {column.name} = {chosen}"


def _plot_target_by_columns_means(column: pd.Series, target: pd.Series, bins: int) -> pd.DataFrame:
    """The mean of the target in each bin of the column, bins in their order."""
    is_number = pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
    if pd.api.types.is_datetime64_any_dtype(column) or (is_number and column.nunique() > bins):
        keys = pd.qcut(column, bins, duplicates="drop", precision=2)
    elif is_number:
        keys = column
    else:
        top = column.value_counts().index[:bins]
        keys = column.where(column.isin(top) | column.isna(), "(other)")
    grouped = target.groupby(keys, observed=True).agg(["size", "mean"])
    found = pd.DataFrame(
        {
            "value": [_plot_target_by_columns_text(each) for each in grouped.index],
            "rows": grouped["size"].to_numpy(),
            "mean": grouped["mean"].to_numpy(),
        }
    )
    if column.isna().any():
        missing = target[column.isna()]
        found.loc[len(found)] = ["(missing)", len(missing), float(missing.mean())]
    found["value"] = found["value"].astype(str)
    return found


def _plot_target_by_columns_text(value: object) -> str:
    if isinstance(value, pd.Interval):
        right = value.right
        return f"to {right:%Y-%m-%d}" if isinstance(right, pd.Timestamp) else f"to {right:.4g}"
    return str(value)


def test_means_of_values_and_of_what_is_missing() -> None:
    train = pd.DataFrame({"a": ["x", "x", "z", None], "y": [1.0, 3.0, 5.0, 7.0]})
    found = plot_target_by_columns(train, target="y", columns=["a"], kind="regression")
    assert found["value"].tolist() == ["x", "z", "(missing)"]
    assert found["mean"].tolist() == [2.0, 5.0, 7.0]
    plt.close("all")


def test_the_share_of_a_class() -> None:
    train = pd.DataFrame({"a": [1, 1, 2, 2], "y": ["no", "yes", "yes", "yes"]})
    found = plot_target_by_columns(train, target="y", columns=["a"], kind="binary")
    assert found["mean"].tolist() == [0.5, 1.0]
    plt.close("all")


def test_property_the_rows_of_all_bins_are_those_of_train() -> None:
    generator = np.random.default_rng(14)
    for kind in ("regression", "multiclass"):
        train = pd.DataFrame({"a": generator.normal(size=70), "y": generator.integers(0, 3, 70)})
        train.loc[:9, "a"] = np.nan
        train["when"] = pd.date_range("2024-01-01", periods=70)
        train["word"] = generator.choice(list("abcdefghijklmnop"), 70)
        names = ["a", "when", "word"]
        found = plot_target_by_columns(train, target="y", columns=names, kind=kind)
        assert (found.groupby("column")["rows"].sum() == 70).all()
        plt.close("all")
