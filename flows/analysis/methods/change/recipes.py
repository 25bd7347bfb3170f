"""What the sandbox runs for a change explained: two periods, and what each group adds."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from flows.analysis.methods.recipes import numeric, say_left_out, warn

# More bars than this nobody can read.
MOST_BARS = 15


def change(
    data: pd.DataFrame, time: str, columns: list[str], groups: list[str], how: str,
    before: str, after: str, title: str,
) -> pd.DataFrame:  # fmt: skip
    """The measure in both periods, of all rows and then of each group of each column: its change,
    its `effect` on the change of all and that in percent (`contribution`), the largest first."""
    parts = [rows_in(data, time, each) for each in (before, after)]
    for each, part in zip((before, after), parts, strict=True):
        if part.empty:
            raise ValueError(f"there is no row in {each}, so that there is nothing to compare")
    say_partial(data, time, before, after)
    name = columns[0] if columns else "rows"
    for part in parts:
        part[MEASURE] = numeric(part, columns)[name] if columns else 1.0
    known = [part[part[MEASURE].notna()] for part in parts]
    say_left_out(sum(map(len, parts)), sum(map(len, known)))
    if any(map(len, known)) and not all(map(len, known)):
        raise ValueError(f"{name} is not known in both {before} and {after}")
    rows = [{"dimension": "all", "group": "all", **compared(known, known, how)}]
    for each in groups:
        rows += split_by(known, each, how)
    found = pd.DataFrame(rows)
    found.insert(2, "from", before)
    found.insert(3, "to", after)
    warn("no_cause", "The groups are parts of the whole: this says where the change lies, and not "
         "what caused it.")  # fmt: skip
    draw_change(found, groups, title)
    return found


MEASURE = "measure of the change"


def rows_in(data: pd.DataFrame, time: str, period: str) -> pd.DataFrame:
    """The rows whose time lies in a period; a column of whole numbers holds years."""
    when = data[time]
    if pd.api.types.is_numeric_dtype(when.dtype):
        return data[when == int(period)].copy()
    asked = pd.Period(period.replace("-Q", "Q"))
    return data[moments(when).between(asked.start_time, asked.end_time)].copy()


def moments(when: pd.Series) -> pd.Series:
    """Times without a zone."""
    known = pd.to_datetime(when)
    return known.dt.tz_localize(None) if known.dt.tz is not None else known


def compared(parts: list[pd.DataFrame], whole: list[pd.DataFrame], how: str) -> dict[str, float]:
    """The measure of a part in both periods, and its effect on the change of the whole: of sums
    its own change; of means how far its mean lies from the mean of all before, by its share of the
    rows, then and now, so that the effects of all groups add up to the change."""
    first, last = (measured(each, how) for each in parts)
    total = measured(whole[1], how) - measured(whole[0], how)
    effect = last - first
    if how == "mean":
        base = measured(whole[0], how)
        shares = [len(part) / len(all_of) for part, all_of in zip(parts, whole, strict=True)]
        means = [value if part_rows else base for value, part_rows in
                 zip((first, last), map(len, parts), strict=True)]  # fmt: skip
        effect = shares[1] * (means[1] - base) - shares[0] * (means[0] - base)
    return {
        "value_before": first, "value_after": last, "change": last - first, "effect": effect,
        "contribution": 100 * effect / total if total else np.nan,
        "percent": 100 * (last - first) / first if first > 0 else np.nan,
    }  # fmt: skip


def measured(rows: pd.DataFrame, how: str) -> float:
    """The sum or the mean of the measure; of no rows a mean is not known."""
    values = rows[MEASURE]
    return float(values.mean() if how == "mean" else values.sum())


def split_by(whole: list[pd.DataFrame], column: str, how: str) -> list[dict[str, object]]:
    """The rows of the groups of a column, those with the largest part of the change first."""
    keys = [part[column].astype("object").where(part[column].notna(), "(missing)").astype("str")
            for part in whole]  # fmt: skip
    names = list(dict.fromkeys(pd.concat(keys)))
    rows: list[dict[str, object]] = []
    for name in names:
        parts = [part[key == name] for part, key in zip(whole, keys, strict=True)]
        rows.append({"dimension": column, "group": name, **compared(parts, whole, how)})
    total = measured(whole[1], how) - measured(whole[0], how)
    if total:
        return sorted(rows, key=lambda each: -float(str(each["contribution"])))
    return sorted(rows, key=lambda each: -abs(float(str(each["effect"]))))


def say_partial(data: pd.DataFrame, time: str, before: str, after: str) -> None:
    """That the data begin or end within a period, by far more than lies between two of its
    times."""
    if pd.api.types.is_numeric_dtype(data[time].dtype):
        return
    when = moments(data[time]).dropna().sort_values()
    usual = when.drop_duplicates().diff().quantile(0.95)
    first, last = (pd.Period(each.replace("-Q", "Q")) for each in (before, after))
    for period, away, verb, at in (
        (before, when.iloc[0] - first.start_time, "begin", when.iloc[0]),
        (after, last.end_time - when.iloc[-1], "end", when.iloc[-1]),
    ):
        length = last.end_time - last.start_time
        if away > 2 * usual and away > 0.05 * length:
            warn("partial_period", f"The data {verb} on {at.date()}, within {period}: the two "
                 "periods are not of the same length.")  # fmt: skip


def draw_change(found: pd.DataFrame, groups: list[str], title: str) -> None:
    """The effects of the groups of the first column as bars."""
    chosen = found[found["dimension"] == (groups[0] if groups else "all")].head(MOST_BARS)
    _, axes = plt.subplots(layout="constrained")
    axes.bar(chosen["group"], chosen["effect"])
    axes.axhline(0, color="black", linewidth=0.8)
    axes.tick_params(axis="x", rotation=30 if len(chosen) > 5 else 0)
    axes.set(ylabel="part of the change", title=title)
