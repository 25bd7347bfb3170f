"""What the sandbox runs for summary statistics."""

from __future__ import annotations

import numpy as np
import pandas as pd

from flows.analysis.methods.recipes import numeric, parts, say_left_out, say_sizes, say_skewed


def summarize(
    data: pd.DataFrame, columns: list[str], group: str, percentiles: list[float], doubts: bool
) -> pd.DataFrame:
    """The usual statistics of number columns; std and variance are of a sample (n - 1), those
    of the population are beside them.

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
                    "population_std": values.std(ddof=0),
                    "population_variance": values.var(ddof=0),
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
