"""What the sandbox runs for straight lines over time."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from flows.analysis.methods.recipes import over_time, step_words, warn, written


def slope(data: pd.DataFrame, time: str, column: str, group: str, how: str) -> pd.DataFrame:
    """The straight line through a column over time: its change for each step, and whether that
    may be chance (p-value; neighbours in time are not independent, so that it flatters)."""
    from scipy import stats

    rows = []
    _, axes = plt.subplots(layout="constrained")
    for name, values in over_time(data, time, column, group, how):
        if len(values) < 3:
            raise ValueError(f"{len(values)} times are too few for a trend")
        fit = stats.linregress(np.arange(len(values)), values)
        rows.append({**name, "column": column, "per_step": fit.slope, "p_value": fit.pvalue,
                     "r2": fit.rvalue**2, "significant": bool(fit.pvalue < 0.05),
                     "step": step_words(values.index), "from": written(values.index[0]),
                     "to": written(values.index[-1]), "rows": len(values)})  # fmt: skip
        if len(values) < 10:
            warn("few_points", f"{len(values)} points in time are few for a trend.")
        drawn = axes.plot(values.index, values, marker="o", ms=3,
                          label=str(name[group]) if group else column)  # fmt: skip
        line = fit.intercept + fit.slope * np.arange(len(values))
        axes.plot(values.index, line, color=drawn[0].get_color(), ls="--")
    axes.legend()
    return pd.DataFrame(rows)
