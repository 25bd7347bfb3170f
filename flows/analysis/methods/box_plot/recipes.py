"""What the sandbox runs for box plots and violins."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from flows.analysis.methods.recipes import numeric, parts, say_left_out, say_sizes


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
