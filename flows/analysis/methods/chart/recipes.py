"""What the sandbox runs for charts of what a question gives."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd


def chart(
    found: pd.DataFrame, x: str, values: list[str], series: str, style: str, title: str
) -> pd.DataFrame:
    """A grouped result drawn, and returned as it is. Missing cells of bars and areas are 0."""
    shown = found.head(2000)
    if series:
        shown = shown.pivot_table(index=x, columns=series, values=values[0], observed=True)
        most = found.groupby(series, observed=True)[values[0]].max().nlargest(20).index
        shown = shown[[each for each in shown.columns if each in most]]
    else:
        shown = shown.set_index(x)[values]
    found = with_days(found)
    if style == "pie":
        return draw_pie(found, shown, values[0], title)
    if style == "heatmap":
        return draw_heat(found, shown, x, title)
    if style in ("line", "area"):
        shown = shown.sort_index()
    if style == "line":
        axes = shown.plot.line(title=title, marker="o", ms=3)
    elif style == "area":
        axes = shown.fillna(0).plot.area(title=title, stacked=(shown.fillna(0) >= 0).all().all())
    else:
        axes = shown.head(60).fillna(0).plot.bar(title=title, stacked=style == "stacked")
    axes.set(xlabel=x, ylabel=", ".join(values))
    if not series and len(values) == 1:
        axes.get_legend().remove()
    plt.tight_layout()
    return found


def with_days(found: pd.DataFrame) -> pd.DataFrame:
    """The table with days as text where all times of a column are at midnight."""
    made = found.copy()
    for name in found.columns:
        if pd.api.types.is_datetime64_any_dtype(found[name].dtype):
            whole = (found[name].dropna() == found[name].dropna().dt.normalize()).all()
            made[name] = found[name].dt.strftime("%Y-%m-%d") if whole else found[name]
    return made


def draw_pie(found: pd.DataFrame, shown: pd.DataFrame, value: str, title: str) -> pd.DataFrame:
    """The parts of a whole: the ten largest, and the others together."""
    parts = shown.iloc[:, 0].dropna().sort_values(ascending=False)
    if (parts < 0).any():
        raise ValueError(f"{value} has negative values, which no pie can show")
    if len(parts) > 11:
        parts = pd.concat([parts.head(10), pd.Series({"others": parts.iloc[10:].sum()})])
    parts.plot.pie(title=title, ylabel="", autopct="%.1f %%")
    plt.tight_layout()
    return found.assign(percent=100 * found[value] / found[value].sum())


def draw_heat(found: pd.DataFrame, shown: pd.DataFrame, x: str, title: str) -> pd.DataFrame:
    """One cell for each pair of groups, darker for more."""
    shown = shown.head(60)
    _, axes = plt.subplots(
        figsize=(max(5.0, 0.7 * shown.shape[1] + 2), max(3.5, 0.35 * len(shown) + 1.5)),
        layout="constrained",
    )
    axes.imshow(shown.to_numpy(dtype="float64"), aspect="auto", cmap="viridis")
    axes.set_xticks(range(shown.shape[1]), shown.columns, rotation=45, ha="right")
    axes.set_yticks(range(len(shown)), shown.index)
    for row, column in np.ndindex(shown.shape):
        value = shown.iloc[row, column]
        if pd.notna(value) and shown.size <= 200:
            axes.text(column, row, f"{value:.4g}", ha="center", va="center", color="white")
    axes.set(ylabel=x, xlabel=str(shown.columns.name or ""), title=title)
    return found
