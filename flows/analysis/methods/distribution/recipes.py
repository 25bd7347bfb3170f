"""What the sandbox runs for histograms and frequencies."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from flows.analysis.methods.recipes import numeric, parts, say_left_out, say_sizes


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
