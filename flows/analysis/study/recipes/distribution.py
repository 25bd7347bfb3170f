"""Where the values of a column lie, in numbers and drawn."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from flows.analysis.study.recipes.common import (
    numeric,
    parts,
    say_left_out,
    say_sizes,
    say_skewed,
)


def histogram(
    data: pd.DataFrame, columns: list[str], group: str, bins: int, title: str
) -> pd.DataFrame:
    """Where the values of number columns lie, in bins of one width, and a drawing of it."""
    _, places = plt.subplots(
        len(columns), 1, figsize=(6.4, 4.0 * len(columns)), squeeze=False, layout="constrained"
    )
    rows = []
    for column, axes in zip(columns, places[:, 0], strict=True):
        edges = edges_of(numeric(data, [column])[column].dropna(), bins)
        for name, part in parts(data, group):
            values = numeric(part, [column])[column].dropna()
            say_left_out(len(part), len(values))
            counts, _ = np.histogram(values, bins=edges)
            label = str(name[group]) if group else None
            axes.hist(values, bins=edges, alpha=0.6 if group else 1.0, label=label)
            fullest = int(counts.argmax())
            rows.append(
                {
                    "column": column,
                    **name,
                    "rows": len(values),
                    "left_out": len(part) - len(values),
                    "mean": values.mean(),
                    "median": values.median(),
                    "std": values.std(),
                    "minimum": values.min(),
                    "maximum": values.max(),
                    "fullest_from": edges[fullest],
                    "fullest_to": edges[fullest + 1],
                    "fullest_rows": int(counts[fullest]),
                    "bins": len(counts),
                }
            )
        axes.set(xlabel=column, ylabel="rows", title=title)
        if group:
            axes.legend(title=group)
    say_sizes([(row, row["rows"]) for row in rows], group)
    return pd.DataFrame(rows)


def edges_of(values: pd.Series, bins: int) -> np.ndarray[Any, Any]:
    """The bounds of bins: as many as are asked for, else as many as the values bear, at most 60."""
    edges = np.histogram_bin_edges(values, bins=bins or "auto")
    many = not bins and len(edges) > 61
    return np.histogram_bin_edges(values, bins=60) if many else edges


def frequencies(data: pd.DataFrame, column: str, group: str, title: str) -> pd.DataFrame:
    """How often each value of a column stands there, most frequent first, and its bars."""
    known = data.dropna(subset=[column, *([group] if group else [])])
    say_left_out(len(data), len(known))
    keys = [group, column] if group else [column]
    found = known.groupby(keys, observed=True).size().rename("rows").reset_index()
    found = found.sort_values("rows", ascending=False, kind="stable").reset_index(drop=True)
    found["percent"] = 100 * found["rows"] / len(known)
    shown = found.head(40)
    if group:
        shown = found.pivot(index=column, columns=group, values="rows").fillna(0).head(40)
        shown.plot.bar(title=title, ylabel="rows")
    else:
        shown.plot.bar(x=column, y="rows", legend=False, title=title, ylabel="rows")
    plt.tight_layout()
    return found


def box(
    data: pd.DataFrame, columns: list[str], group: str, violin: bool, title: str
) -> pd.DataFrame:
    """Quartiles of each group, and how many values lie beyond 1.5 times their distance."""
    rows, shown, labels = [], [], []
    for column in columns:
        for name, part in parts(data, group):
            values = numeric(part, [column])[column].dropna()
            say_left_out(len(part), len(values))
            if values.empty:
                continue
            low, middle, high = values.quantile([0.25, 0.5, 0.75])
            reach = 1.5 * (high - low)
            beyond = int(((values < low - reach) | (values > high + reach)).sum())
            rows.append(
                {
                    "column": column,
                    **name,
                    "rows": len(values),
                    "left_out": len(part) - len(values),
                    "minimum": values.min(),
                    "q1": low,
                    "median": middle,
                    "q3": high,
                    "maximum": values.max(),
                    "outliers": beyond,
                }
            )
            shown.append(values.to_numpy())
            labels.append(" ".join([*([column] if len(columns) > 1 or not group else []),
                                    *(str(each) for each in name.values())]))  # fmt: skip
    say_sizes([(row, row["rows"]) for row in rows], group)
    draw_boxes(shown[:60], labels[:60], violin, ", ".join(columns), title)
    return pd.DataFrame(rows)


def draw_boxes(
    shown: list[np.ndarray[Any, Any]], labels: list[str], violin: bool, about: str, title: str
) -> None:
    """Boxes, or violins, side by side."""
    _, axes = plt.subplots(figsize=(max(6.4, 0.6 * len(shown)), 4.8), layout="constrained")
    if violin:
        axes.violinplot(shown, showmedians=True)
    else:
        axes.boxplot(shown)
    axes.set_xticks(range(1, len(labels) + 1), labels, rotation=45, ha="right")
    axes.set(ylabel=about, title=title)


def summarize(
    data: pd.DataFrame, columns: list[str], group: str, percentiles: list[float], doubts: bool
) -> pd.DataFrame:
    """The usual statistics of number columns; std and variance are of a sample (n - 1).

    `ci_low` and `ci_high` enclose the mean with 95 % confidence (Student's t); `mad` is the median
    distance to the median; `cv` the standard deviation in means. With `doubts` it says where a mean
    misleads.
    """
    from scipy import stats

    rows = []
    for column in columns:
        for name, part in parts(data, group):
            values = numeric(part, [column])[column].dropna()
            low, middle, high = values.quantile([0.25, 0.5, 0.75])
            more = {f"p{p:g}": values.quantile(p / 100) for p in percentiles}
            modes = values.mode()
            error = values.sem()
            reach = stats.t.ppf(0.975, len(values) - 1) * error if len(values) > 1 else np.nan
            say_left_out(len(part), len(values))
            if doubts:
                say_skewed(f"{column} of {name[group]}" if group else column, values)
            rows.append(
                {
                    "column": column,
                    **name,
                    "rows": len(values),
                    "missing": len(part) - len(values),
                    **more,
                    "mean": values.mean(),
                    "std": values.std(),
                    "variance": values.var(),
                    "minimum": values.min(),
                    "q1": low,
                    "median": middle,
                    "q3": high,
                    "maximum": values.max(),
                    "range": values.max() - values.min(),
                    "iqr": high - low,
                    "mode": modes.iloc[0] if len(modes) else np.nan,
                    "mad": (values - middle).abs().median(),
                    "cv": values.std() / values.mean() if values.mean() else np.nan,
                    "skewness": values.skew(),
                    "kurtosis": values.kurt(),
                    "standard_error": error,
                    "ci_low": values.mean() - reach,
                    "ci_high": values.mean() + reach,
                }
            )
    say_sizes([(row, row["rows"]) for row in rows], group)
    return pd.DataFrame(rows)
