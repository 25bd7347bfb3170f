"""What is odd about columns: outliers, values that are missing, shapes that are not normal."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from flows.analysis.study.recipes.common import numeric, parts, say_left_out, say_sizes, warn


def bounds(values: pd.Series, method: str) -> tuple[float, float]:
    """The range outside of which a value is an outlier."""
    if method == "zscore":
        return values.mean() - 3 * values.std(), values.mean() + 3 * values.std()
    low, high = values.quantile(0.25), values.quantile(0.75)
    return low - 1.5 * (high - low), high + 1.5 * (high - low)


def outliers(data: pd.DataFrame, columns: list[str], group: str, method: str) -> pd.DataFrame:
    """Of each column the bounds, and how many values lie outside of them."""
    rows = []
    for column in columns:
        for name, part in parts(data, group):
            values = numeric(part, [column])[column].dropna()
            say_left_out(len(part), len(values))
            low, high = bounds(values, method)
            rows.append(
                {
                    "column": column,
                    **name,
                    "outliers": int(((values < low) | (values > high)).sum()),
                    "lower_bound": low,
                    "upper_bound": high,
                    "smallest": values.min(),
                    "largest": values.max(),
                    "rows": len(values),
                    "left_out": len(part) - len(values),
                }
            )
    say_sizes([(row, row["rows"]) for row in rows], group)
    found = pd.DataFrame(rows)
    return found.sort_values("outliers", ascending=False, kind="stable").reset_index(drop=True)


def outlying_rows(data: pd.DataFrame, columns: list[str], group: str, method: str) -> pd.DataFrame:
    """The rows in which a value is an outlier, those that are furthest out first."""
    far = pd.Series(0.0, index=data.index)
    for column in columns:
        for _, part in parts(data, group):
            values = numeric(part, [column])[column].dropna()
            low, high = bounds(values, method)
            beyond = pd.concat([low - values, values - high], axis=1).max(axis=1)
            far.loc[values.index] = far.loc[values.index].combine(beyond.clip(lower=0), max)
    return data.loc[far[far > 0].sort_values(ascending=False).index].reset_index(drop=True)


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


def missing(data: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """How many values each column lacks, most first, and how many rows lack none of them."""
    lacking = data[columns].isna().sum()
    whole = int(data[columns].notna().all(axis=1).sum())
    found = pd.DataFrame({"column": lacking.index, "missing": lacking.to_numpy()})
    found["percent"] = 100 * found["missing"] / len(data)
    found["rows"] = len(data)
    found["complete_rows"] = whole
    found["complete_percent"] = 100 * whole / len(data)
    gaps = found[found["percent"] > 5]
    if len(gaps):
        named = ", ".join(
            f"{row.column} ({row.percent:.0f} %)" for row in gaps.head(5).itertuples()
        )
        warn("missing_data", f"More than 5 % is missing in {named}.")
    return found.sort_values("missing", ascending=False, kind="stable").reset_index(drop=True)
