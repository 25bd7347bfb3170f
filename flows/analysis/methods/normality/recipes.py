"""What the sandbox runs for tests of a normal distribution."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from flows.analysis.methods.recipes import numeric, parts, say_left_out, say_sizes, warn


def normality(data: pd.DataFrame, columns: list[str], group: str, method: str) -> pd.DataFrame:
    """Whether values can come from a normal distribution; `normal` is false where p is below 0.05.

    Shapiro-Wilk's test up to 5000 values, D'Agostino-Pearson's above, or as `method` says.
    """
    rows = []
    _, axes = plt.subplots(layout="constrained")
    for column in columns:
        for name, part in parts(data, group):
            values = numeric(part, [column])[column].dropna()
            say_left_out(len(part), len(values))
            rows.append({"column": column, **name, **normal_test(values, method),
                         "rows": len(values), "left_out": len(part) - len(values)})  # fmt: skip
            if len(values) > 2:
                label = " ".join([column, *(str(each) for each in name.values())])
                draw_quantiles(axes, values, label)
    axes.set(xlabel="normal quantiles", ylabel="values", title="Quantiles beside a normal curve")
    axes.legend()
    if all(row["normal"] is None for row in rows):
        most = max(row["rows"] for row in rows)
        raise ValueError(f"{most} values are too few for a test of normality: it needs 8 that vary")
    if any(row["rows"] > 1000 for row in rows):
        warn("large_sample", "With so many values the test finds even small departures from a "
             "normal distribution, which often do not matter.")  # fmt: skip
    say_sizes([(row, row["rows"]) for row in rows], group)
    return pd.DataFrame(rows)


def normal_test(values: pd.Series, method: str) -> dict[str, Any]:
    """One test of normality."""
    from scipy import stats

    shapiro = method == "shapiro" or (not method and len(values) <= 5000)
    enough = len(values) >= 8 and values.nunique() > 1
    run = stats.shapiro if shapiro else stats.normaltest
    statistic, p = run(values) if enough else (np.nan, np.nan)
    return {
        "test": "Shapiro-Wilk" if shapiro else "D'Agostino-Pearson",
        "statistic": statistic,
        "p_value": p,
        "normal": bool(p >= 0.05) if enough else None,
        "skewness": values.skew(),
        "kurtosis": values.kurt(),
    }


def draw_quantiles(axes: Any, values: pd.Series, label: str) -> None:
    """The values over the quantiles of a normal distribution: a straight line if they are so."""
    from scipy import stats

    axes.plot(*stats.probplot(values, fit=False), ".", label=label)
