"""What the sandbox runs for survival: the Kaplan-Meier estimate and the log-rank test."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from flows.analysis.methods.recipes import numeric, say_left_out, warn

# Fewer events than this say little about a curve.
FEW_EVENTS = 10
# More curves than this nobody can tell apart.
MOST_CURVES = 8


def times_to_event(
    data: pd.DataFrame, time: str, event: str, happened: Any, group: str
) -> dict[str, pd.DataFrame]:
    """The whole rows of each group, the largest first, as `time` and whether it `ended`."""
    given = [each for each in (event, group) if each]
    known = numeric(data, [time]).rename(columns={time: "time"})
    known["ended"] = (data[event] == happened) if event else True
    known["group"] = data[group].astype("str") if group else "all"
    known = known[known["time"].notna() & data[given].notna().all(axis=1)]
    say_left_out(len(data), len(known))
    if known.empty or (known["time"] < 0).any():
        raise ValueError(f"{time} needs values of nought and more in some rows to be a time")
    names = known["group"].value_counts().index
    return {str(name): known[known["group"] == name] for name in names}


def kaplan_meier(rows: pd.DataFrame) -> pd.DataFrame:
    """The curve: for each time at which something ended or was last seen, how many were `at_risk`
    before, `events` and `censored` at it, the share that `survival` leaves after it, and the band
    that holds 95 % (Greenwood's variance, on the scale of log minus log)."""
    steps = rows.groupby("time")["ended"].agg(["size", "sum"]).sort_index()
    found = pd.DataFrame({"time": steps.index.to_numpy(dtype="float64")})
    found["events"] = steps["sum"].to_numpy(dtype="int64")
    found["censored"] = steps["size"].to_numpy() - found["events"]
    gone = (found["events"] + found["censored"]).cumsum()
    found["at_risk"] = len(rows) - gone.shift(fill_value=0)
    found["survival"] = (1 - found["events"] / found["at_risk"]).cumprod()
    left = found["at_risk"] * (found["at_risk"] - found["events"])
    spread = (found["events"] / left.replace(0, np.nan)).cumsum()
    inside = (found["survival"] > 0) & (found["survival"] < 1)
    share = found["survival"].where(inside)
    away = 1.959964 * np.sqrt(spread) / np.log(share)
    found["lower"] = (share ** np.exp(-away)).where(inside, found["survival"])
    found["upper"] = (share ** np.exp(away)).where(inside, found["survival"])
    return found[["time", "at_risk", "events", "censored", "survival", "lower", "upper"]]


def first_below(curve: pd.DataFrame, column: str) -> float | None:
    """The first time at which no more than half is left by a curve; None if that is not reached."""
    below = curve[curve[column] <= 0.5 + 1e-12]
    return float(below["time"].iloc[0]) if len(below) else None


def survival(
    data: pd.DataFrame, time: str, event: str, happened: Any, group: str, title: str
) -> pd.DataFrame:
    """For each group how many rows and events there are, and when half is gone: the `median` with
    the interval that holds 95 %; of several groups also the log-rank test, the same in each row."""
    found = times_to_event(data, time, event, happened, group)
    curves = {name: kaplan_meier(rows) for name, rows in found.items()}
    tested = log_rank(list(found.values())) if len(found) > 1 else {}
    rows = []
    for name, curve in curves.items():
        ended, seen = int(curve["events"].sum()), len(found[name])
        rows.append({**({group: name} if group else {}), "rows": seen, "events": ended,
                     "censored": seen - ended, "median": first_below(curve, "survival"),
                     "median_lower": first_below(curve, "lower"),
                     "median_upper": first_below(curve, "upper"),
                     "last_time": float(curve["time"].max()),
                     "last_survival": float(curve["survival"].iloc[-1]), **tested})  # fmt: skip
    doubts_of_survival(found, curves, event)
    draw_survival(curves, time, group, title)
    return pd.DataFrame(rows)


def survival_curves(
    data: pd.DataFrame, time: str, event: str, happened: Any, group: str
) -> pd.DataFrame:
    """The steps of the curves, one group after the other."""
    found = times_to_event(data, time, event, happened, group)
    named = {name: kaplan_meier(rows) for name, rows in found.items()}
    made = [curve.assign(**({group: name} if group else {})) for name, curve in named.items()]
    return pd.concat(made, ignore_index=True)


def log_rank(groups: list[pd.DataFrame]) -> dict[str, Any]:
    """Whether the curves of groups can be one: at each time, the events of a group beside those
    that its share of all that were at risk would have (chi-square with a degree for each group but
    one)."""
    from scipy import stats

    times = [rows["time"].to_numpy() for rows in groups]
    ended = [rows.loc[rows["ended"], "time"].to_numpy() for rows in groups]
    moments = np.unique(np.concatenate(ended))
    away = np.zeros(len(groups))
    spread = np.zeros((len(groups), len(groups)))
    for moment in moments:
        risk = np.array([(each >= moment).sum() for each in times], dtype="float64")
        died = np.array([(each == moment).sum() for each in ended], dtype="float64")
        share, total = risk / risk.sum(), risk.sum()
        away += died - died.sum() * share
        if total > 1:
            rate = died.sum() * (total - died.sum()) / (total - 1)
            spread += rate * (np.diag(share) - np.outer(share, share))
    if not np.any(np.diag(spread) > 0):
        return {"test": "log-rank test", "statistic": None, "p_value": None, "significant": None}
    statistic = float(away @ np.linalg.pinv(spread) @ away)
    p = float(stats.chi2.sf(statistic, len(groups) - 1))
    return {"test": "log-rank test", "statistic": statistic, "p_value": p, "significant": p < 0.05}


def doubts_of_survival(
    found: dict[str, pd.DataFrame], curves: dict[str, pd.DataFrame], event: str
) -> None:
    """Say where there are few events or none, and where two curves cross."""
    events = {name: int(rows["ended"].sum()) for name, rows in found.items()}
    none = [name for name, number in events.items() if not number]
    few = [name for name, number in events.items() if 0 < number < FEW_EVENTS]
    if not event:
        warn("all_events", "No column says whether it happened, so it is taken to have happened in "
             "every row; rows that were still waiting would make the times too short.")  # fmt: skip
    if len(none) == len(events):
        warn("all_censored", "In no row it has happened yet, so that nothing can be said of when "
             "it will.")  # fmt: skip
    elif none:
        warn("all_censored", f"In no row of {', '.join(none[:5])} it has happened yet.")
    if few:
        named = f" of {', '.join(few[:5])}" if len(events) > 1 else ""
        warn("few_events", f"There are fewer than {FEW_EVENTS} events{named}, so that chance plays "
             "a large part in the curve.")  # fmt: skip
    names = list(curves)
    if len(names) == 2 and crosses(curves[names[0]], curves[names[1]]):
        warn("crossing_curves", f"The curves of {names[0]} and {names[1]} cross: the log-rank test "
             "may miss a difference that turns round, so look at the picture.")  # fmt: skip


def crosses(one: pd.DataFrame, other: pd.DataFrame) -> bool:
    """Whether each of two curves lies above the other somewhere, by more than the difference's
    standard error, while both have rows at risk."""
    until = min(one["time"].max(), other["time"].max())
    moments = np.union1d(one["time"], other["time"])
    moments = moments[moments <= until]
    first, second = at_times(one, moments), at_times(other, moments)
    away = first[0] - second[0]
    error = np.sqrt(first[1] + second[1])
    clear = error > 0
    return bool((away[clear] > error[clear]).any() and (away[clear] < -error[clear]).any())


def at_times(curve: pd.DataFrame, moments: np.ndarray[Any, Any]) -> tuple[Any, Any]:
    """What a curve leaves at times, and the variance of that (Greenwood)."""
    risk, events = curve["at_risk"].to_numpy(dtype="float64"), curve["events"].to_numpy()
    left = np.where(risk > events, risk * (risk - events), np.inf)
    share = np.concatenate([[1.0], curve["survival"].to_numpy()])
    spread = np.concatenate([[0.0], np.cumsum(events / left)])
    place = np.searchsorted(curve["time"].to_numpy(), moments, side="right")
    return share[place], share[place] ** 2 * spread[place]


def draw_survival(curves: dict[str, pd.DataFrame], time: str, group: str, title: str) -> None:
    """The curves as steps, each with its band."""
    _, axes = plt.subplots(layout="constrained")
    for name, curve in list(curves.items())[:MOST_CURVES]:
        at = np.concatenate([[0.0], curve["time"]])
        share = {each: np.concatenate([[1.0], curve[each]])
                 for each in ("survival", "lower", "upper")}  # fmt: skip
        axes.step(at, share["survival"], where="post", label=name)
        axes.fill_between(at, share["lower"], share["upper"], step="post", alpha=0.2)
    axes.set(xlabel=time, ylabel="share to which it has not happened", ylim=(0, 1.02), title=title)
    if group:
        axes.legend(title=group)
