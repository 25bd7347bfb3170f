"""What the sandbox runs for moving averages."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd

from flows.analysis.methods.recipes import over_time, written


def smoothed(
    data: pd.DataFrame, time: str, column: str, group: str, how: str, window: int
) -> pd.DataFrame:
    """The mean of each value and those before it (`window` of them), or their running total."""
    found, _ = [], plt.subplots(layout="constrained")
    name = f"moving_average_{window}" if window else "cumulative"
    for key, values in over_time(data, time, column, group, how):
        if window > len(values):
            raise ValueError(f"{len(values)} values are too few for a window of {window}")
        made = values.rolling(window).mean() if window else values.cumsum()
        if window:
            plt.plot(values.index, values, alpha=0.35)
        plt.plot(made.index, made, label=str(key[group]) if group else name)
        part = pd.DataFrame({time: [written(each) for each in values.index],
                             column: values.to_numpy(), name: made.to_numpy()})  # fmt: skip
        for each, value in key.items():
            part.insert(0, each, value)
        found.append(part)
    plt.legend()
    plt.title(f"{column}: {name.replace('_', ' ')}")
    return pd.concat(found, ignore_index=True)
