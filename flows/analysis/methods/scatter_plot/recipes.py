"""What the sandbox runs for scatter plots."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from flows.analysis.methods.recipes import numeric, parts, say_left_out, say_sizes


def scatter(data: pd.DataFrame, x: str, y: str, group: str, title: str) -> pd.DataFrame:
    """The correlation and the straight line of two columns, and their points with the line."""
    _, axes = plt.subplots(layout="constrained")
    rows, sizes = [], []
    for name, part in parts(data, group):
        values = numeric(part, [x, y]).dropna()
        say_left_out(len(part), len(values))
        sizes.append((name, len(values)))
        label = str(name[group]) if group else None
        drawn: Any = axes.scatter(values[x], values[y], s=14, alpha=0.7, label=label)
        varies = len(values) > 1 and values[x].nunique() > 1
        slope, intercept = np.polyfit(values[x], values[y], 1) if varies else (np.nan, np.nan)
        if varies:
            ends = np.array([values[x].min(), values[x].max()])
            color = drawn.get_facecolor()[0][:3] if group else "black"
            axes.plot(ends, slope * ends + intercept, color=color, lw=1)
        rows.append(
            {
                **name,
                "x": x,
                "y": y,
                "correlation": values[x].corr(values[y]) if varies else np.nan,
                "slope": slope,
                "intercept": intercept,
                "rows": len(values),
                "left_out": len(part) - len(values),
            }
        )
    say_sizes(sizes, group)
    axes.set(xlabel=x, ylabel=y, title=title)
    if group:
        axes.legend(title=group)
    return pd.DataFrame(rows)
