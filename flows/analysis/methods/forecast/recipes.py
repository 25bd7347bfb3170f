"""What the sandbox runs for forecasts."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from flows.analysis.methods.recipes import over_time, step_of, warn, written


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
