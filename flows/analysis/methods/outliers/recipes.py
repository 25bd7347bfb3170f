"""What the sandbox runs for outliers."""

from __future__ import annotations

import pandas as pd

from flows.analysis.methods.recipes import numeric, parts, say_left_out, say_sizes


def bounds(values: pd.Series, method: str, limit: float = 0.0) -> tuple[float, float]:
    """The range outside of which a value is an outlier; `limit` is 3 or 1.5 where it is 0."""
    if method == "zscore":
        reach = (limit or 3) * values.std()
        return values.mean() - reach, values.mean() + reach
    low, high = values.quantile(0.25), values.quantile(0.75)
    reach = (limit or 1.5) * (high - low)
    return low - reach, high + reach


def outliers(
    data: pd.DataFrame, columns: list[str], group: str, method: str, limit: float = 0.0
) -> pd.DataFrame:
    """Of each column the bounds, and how many values lie outside of them."""
    rows = []
    for column in columns:
        for name, part in parts(data, group):
            values = numeric(part, [column])[column].dropna()
            say_left_out(len(part), len(values))
            low, high = bounds(values, method, limit)
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


def outlying_rows(
    data: pd.DataFrame, columns: list[str], group: str, method: str, limit: float = 0.0
) -> pd.DataFrame:
    """The rows in which a value is an outlier, those that are furthest out first."""
    far = pd.Series(0.0, index=data.index)
    for column in columns:
        for _, part in parts(data, group):
            values = numeric(part, [column])[column].dropna()
            low, high = bounds(values, method, limit)
            beyond = pd.concat([low - values, values - high], axis=1).max(axis=1)
            far.loc[values.index] = far.loc[values.index].combine(beyond.clip(lower=0), max)
    return data.loc[far[far > 0].sort_values(ascending=False).index].reset_index(drop=True)
