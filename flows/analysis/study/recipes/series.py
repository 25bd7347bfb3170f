"""What happens over time, and what may come next."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from flows.analysis.study.recipes.common import numeric, parts, say_left_out, warn


def over_time(
    data: pd.DataFrame, time: str, column: str, group: str, how: str
) -> list[tuple[dict[str, Any], pd.Series]]:
    """The column in the order of time, for each group; of several rows at one time the mean, or
    as `how` says."""
    found = []
    for name, part in parts(data, group):
        when = (
            part[time]
            if pd.api.types.is_numeric_dtype(part[time].dtype)
            else pd.to_datetime(part[time])
        )
        values = numeric(part, [column])[column]
        known = values.notna() & when.notna()
        say_left_out(len(part), int(known.sum()))
        whole = values[known].groupby(when[known]).agg(how or "mean").sort_index()
        if len(whole):
            found.append((name, whole))
    if not found:
        raise ValueError(f"there is no value of {column} at any {time}")
    return found


def written(when: Any) -> Any:
    """A time as it stands in a result: a day in ISO form, or the number."""
    return when.date().isoformat() if isinstance(when, pd.Timestamp) else when


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
    month where it is to be `monthly`, and so on."""
    found, _ = [], plt.subplots(layout="constrained")
    for name, values in over_time(data, time, column, group, how):
        values = last_of_each(values, every)
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


def last_of_each(values: pd.Series, every: str) -> pd.Series:
    """The last value of each day, week, month or year; ValueError where times are rarer."""
    rules = {"daily": "D", "weekly": "W", "monthly": "ME", "quarterly": "QE", "yearly": "YE",
             "annual": "YE"}  # fmt: skip
    if not every or not isinstance(values.index, pd.DatetimeIndex):
        if every not in ("", "yearly", "annual"):
            raise ValueError(f"there are whole years only, and no {every} values")
        return values
    kept = values.resample(rules[every]).last()
    if kept.isna().mean() > 0.4:
        raise ValueError(f"the times in the data are too far apart for {every} values")
    return kept.dropna()


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


def step_of(index: pd.Index) -> tuple[Any, int]:
    """What lies between two times, and how many of them are a season (0: none is known)."""
    away = pd.Series(index).diff().dropna()
    if not isinstance(index, pd.DatetimeIndex):
        return away.median(), 0
    days = away.dt.total_seconds() / 86_400
    for low, high, months, season in ((28, 31, 1, 12), (89, 92, 3, 4), (365, 366, 12, 0)):
        if days.between(low, high).mean() > 0.9:
            return pd.DateOffset(months=months), season
    middle = away.median()
    whole = round(middle.total_seconds() / 86_400, 3)
    return middle, {1.0: 7, 7.0: 52}.get(whole, 0)


def step_words(index: pd.Index) -> str:
    """One step of time in words."""
    step, _ = step_of(index)
    if isinstance(step, pd.DateOffset):
        months = step.kwds["months"]
        return {1: "month", 3: "quarter"}.get(months, "year")
    if isinstance(step, pd.Timedelta):
        days = step.total_seconds() / 86_400
        return {1: "day", 7: "week"}.get(days, f"{days:g} days")
    return "year" if step == 1 else f"{step:g} years"


def steps_to(index: pd.Index, number: int, unit: str, until: int) -> int:
    """How many steps a forecast goes: so many, so many of a unit, or up to a year."""
    step, _ = step_of(index)
    dated = isinstance(index, pd.DatetimeIndex)
    days = {"day": 1, "week": 7, "month": 30.44, "quarter": 91.31, "year": 365.25}
    if until:
        end = pd.Timestamp(until, 12, 31) if dated else until
        if end <= index[-1]:
            raise ValueError(f"{until} is not after the last time in the data, "
                             f"{written(index[-1])}")  # fmt: skip
        steps, at = 0, index[-1]
        while at + step <= end and steps < 1000:
            steps, at = steps + 1, at + step
        return max(1, steps)
    if not unit:
        return number
    one = (index[-1] + step - index[-1]).total_seconds() / 86_400 if dated else step * 365.25
    return int(max(1, round(number * days[unit] / one)))


def fits(
    values: np.ndarray[Any, Any], season: int, ahead: int
) -> dict[str, tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]:
    """What each method expects of the next values, and its standard error.

    A straight line, a straight line with one level for each place in the season, and a walk that
    goes on from the last value by the mean step.
    """
    size = len(values)
    times = np.arange(size + ahead)
    plain = np.column_stack([np.ones(len(times)), times])
    tables = {"a linear trend": plain}
    if season and size >= 2 * season + 2:
        places = np.eye(season)[times % season][:, 1:]
        tables[f"a linear trend with a season of {season} steps"] = np.column_stack([plain, places])
    found = {}
    for name, x in tables.items():
        inner = x[:size]
        solved, *_ = np.linalg.lstsq(inner, values, rcond=None)
        variance = ((values - inner @ solved) ** 2).sum() / max(1, size - x.shape[1])
        spread = np.einsum("ij,jk,ik->i", x[size:], np.linalg.pinv(inner.T @ inner), x[size:])
        found[name] = (x[size:] @ solved, np.sqrt(variance * (1 + spread)))
    steps = np.diff(values)
    far = np.arange(1, ahead + 1)
    error = (steps.std(ddof=1) if len(steps) > 1 else 0.0) * np.sqrt(far * (1 + far / size))
    found["a random walk with drift"] = (values[-1] + far * steps.mean(), error)
    return found


def best_fit(values: np.ndarray[Any, Any], season: int, ahead: int) -> str:
    """The method that would have been closest for the last third of the values."""
    first = max(3, 2 * season + 2 if len(values) >= 3 * season + 2 else 3, len(values) * 2 // 3)
    reach = min(ahead, 12)
    missed: dict[str, list[float]] = {}
    for end in range(first, len(values)):
        known = values[end : end + reach]
        for name, (expected, _) in fits(values[:end], season, len(known)).items():
            missed.setdefault(name, []).append(float(np.abs(expected - known).mean()))
    most = max((len(each) for each in missed.values()), default=0)
    judged = {name: np.mean(each) for name, each in missed.items() if len(each) == most}
    return min(judged, key=lambda name: judged[name]) if judged else "a linear trend"


def forecast(
    data: pd.DataFrame, time: str, column: str, group: str, how: str, goal: list[Any]
) -> pd.DataFrame:
    """The next values of a column, each with the bounds that hold 95 % (`lower`, `upper`).

    `goal` is a number of steps, their unit, and the year up to which it goes. The method is the one
    that would have been closest before: a linear trend, one with a season, a random walk.
    """
    found = []
    _, axes = plt.subplots(layout="constrained")
    for name, values in over_time(data, time, column, group, how):
        if len(values) < 3:
            raise ValueError(f"{len(values)} points in time are too few for a forecast")
        step, season = step_of(values.index)
        ahead = steps_to(values.index, *goal)
        method = best_fit(values.to_numpy(), season, ahead)
        expected, error = fits(values.to_numpy(), season, ahead)[method]
        when = [values.index[-1]]
        for _ in range(ahead):
            when.append(when[-1] + step)
        doubts_of_forecast(values, ahead, season, method)
        label = str(name[group]) if group else column
        drawn = axes.plot(values.index, values, label=label)
        shade = drawn[0].get_color()
        axes.plot(when[1:], expected, color=shade, ls="--")
        low, high = expected - 1.96 * error, expected + 1.96 * error
        axes.fill_between(when[1:], low, high, color=shade, alpha=0.2)
        made = {time: [written(each) for each in when[1:]], "forecast": expected, "lower": low,
                "upper": high}  # fmt: skip
        part = pd.DataFrame(made)
        for key, value in name.items():
            part.insert(0, key, value)
        part["method"], part["points"] = method, len(values)
        found.append(part)
    axes.legend()
    axes.set(xlabel=time, ylabel=column, title=f"Forecast of {column}")
    return pd.concat(found, ignore_index=True)


def doubts_of_forecast(values: pd.Series, ahead: int, season: int, method: str) -> None:
    """Say where a forecast has little to stand on."""
    if len(values) < 20:
        warn("few_points", f"{len(values)} points in time are few for a forecast.")
    if ahead > len(values) / 3:
        warn("far_forecast", f"{ahead} steps ahead are far for {len(values)} points: the further, "
             "the less it is worth.")  # fmt: skip
    away = pd.Series(values.index).diff().dropna()
    if len(away) > 2 and away.max() > 1.6 * away.median():
        warn("gaps_in_time", "The times are not evenly spaced; the gaps were not filled.")
    if season and "season" not in method and len(values) < 2 * season + 2:
        warn("few_points", f"{len(values)} points are too few to see a season of {season} steps.")
