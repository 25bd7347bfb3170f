"""What the sandbox runs for growth and changes from step to step."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from flows.analysis.methods.recipes import over_time, warn, written


def growth(
    data: pd.DataFrame, time: str, column: str, group: str, how: str, order: str
) -> pd.DataFrame:
    """From the first to the last time: the change, in percent, and for each year (CAGR)."""
    rows = []
    for name, values in over_time(data, time, column, group, how):
        first, last = values.iloc[0], values.iloc[-1]
        years = span_in_years(values.index)
        ratio = last / first if first else np.nan
        each = ratio ** (1 / years) - 1 if years and ratio > 0 else np.nan
        rows.append({**name, "column": column, "from": written(values.index[0]),
                     "to": written(values.index[-1]), "first_value": first, "last_value": last,
                     "change": last - first, "percent": 100 * (ratio - 1), "cagr": 100 * each,
                     "years": years, "rows": len(values)})  # fmt: skip
        if first <= 0:
            warn("not_positive", f"{column} begins at {first:g}, so that growth in percent says "
                 "nothing.")  # fmt: skip
    found = pd.DataFrame(rows)
    if (found["rows"] < 2).all():
        raise ValueError(f"{column} is known at one {time} only, and growth needs two")
    found = found[found["rows"] > 1]
    up = order == "least"
    return found.sort_values("percent", ascending=up, kind="stable").reset_index(drop=True)


def span_in_years(index: pd.Index) -> float:
    """The time from first to last in years; whole numbers are years."""
    away = index[-1] - index[0]
    return away / pd.Timedelta(days=365.25) if isinstance(away, pd.Timedelta) else float(away)


def changes(
    data: pd.DataFrame, time: str, column: str, group: str, how: str, every: str
) -> pd.DataFrame:
    """From each time to the next: the change, and the change in percent; of the last value of each
    month where it is to be `monthly`, and so on, or of their sum where `how` is that."""
    found, _ = [], plt.subplots(layout="constrained")
    for name, values in over_time(data, time, column, group, how):
        values = one_of_each(values, every, how)
        label = str(name[group]) if group else column
        percent = 100 * values.pct_change()
        plt.plot(percent.index, percent, marker="o", ms=3, label=label)
        part = pd.DataFrame({time: [written(each) for each in values.index],
                             column: values.to_numpy(), "change": values.diff().to_numpy(),
                             "percent": percent.to_numpy()})  # fmt: skip
        for key, value in name.items():
            part.insert(0, key, value)
        part["mean_percent"], part["std_percent"] = percent.mean(), percent.std()
        found.append(part)
    plt.legend()
    plt.title(f"Change of {column} in percent")
    return pd.concat(found, ignore_index=True)


def one_of_each(values: pd.Series, every: str, how: str) -> pd.Series:
    """The last value of each day, week, month or year, or their sum; ValueError where times are
    rarer."""
    rules = {"daily": "D", "weekly": "W", "monthly": "ME", "quarterly": "QE", "yearly": "YE",
             "annual": "YE"}  # fmt: skip
    if not every or not isinstance(values.index, pd.DatetimeIndex):
        if every not in ("", "yearly", "annual"):
            raise ValueError(f"there are whole years only, and no {every} values")
        return values
    period = values.index.to_period(rules[every].removesuffix("E"))
    if period.is_unique:
        return values
    joined = values.resample(rules[every])
    kept = joined.sum(min_count=1) if how == "sum" else joined.last()
    if kept.isna().mean() > 0.4:
        raise ValueError(f"the times in the data are too far apart for {every} values")
    return kept.dropna()
