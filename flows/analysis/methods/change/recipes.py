"""What the sandbox runs for a change explained: two periods, and what each group adds."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from flows.analysis.methods.breakdown.recipes import OF_TOTAL, TIMES, outcome
from flows.analysis.methods.recipes import labels_of, numeric, say_left_out, warn

# More bars than this nobody can read.
MOST_BARS = 15


def change(
    data: pd.DataFrame, time: str, columns: list[str], groups: list[str], how: str,
    before: str, after: str, title: str, yes: str, against: str, measure: str,
) -> pd.DataFrame:  # fmt: skip
    """The measure in both periods, of all rows and then of each group of each column: its change,
    its `effect` on the change of all and that in percent (`contribution`), the largest first.

    Of a sum two parts more: that there are more or fewer rows, and that a row has more or less. The
    `p_value` of a mean says how likely its change is by chance, `share` how large a part of the
    whole a group was before.
    """
    name = columns[0] if columns else "rows"
    if against:
        whole = data[numeric(data, [name, against]).notna().all(axis=1)]
        say_left_out(len(data), len(whole))
        parts, before, after = [whole.copy(), whole.copy()], against, name
    else:
        parts = [rows_in(data, time, each) for each in (before, after)]
        say_partial(data, time, before, after)
    for each, part in zip((before, after), parts, strict=True):
        if part.empty:
            raise ValueError(f"there is no row in {each}, so that there is nothing to compare")
    for column, part in zip((against or name, name), parts, strict=True):
        part[MEASURE] = outcome(part, column, how, yes) if columns else 1.0
    known = [part[part[MEASURE].notna()] for part in parts]
    say_left_out(sum(map(len, parts)), sum(map(len, known)))
    if any(map(len, known)) and not all(map(len, known)):
        raise ValueError(f"{name} is not known in both {before} and {after}")
    how = "mean" if how == "share" else how
    alone = single_row(known) if columns and not against else []
    whole_of = "against" if against else "all"
    rows: list[dict[str, object]] = [
        {"dimension": "all", "group": whole_of, **compared(known, known, how)}
    ]
    if alone:  # what one row does says nothing of its groups
        known = [part.drop(index=[at for at in part.index if at in alone]) for part in known]
        rows.append(
            {
                "dimension": "without",
                "group": whole_of,
                **compared(known, known, how),
                "effect": float(data.loc[alone[0], name]),
            }
        )
    rows += [] if against else [*rows_and_size(known, how), *largest_rate(known, groups, how)]
    for each in groups:
        rows += split_by(known, each, how)
    rows += [] if against else slowest_step(data, time, columns, how, before, after)
    found = pd.DataFrame(rows)
    for name, period in (("from", before), ("to", after)):
        own = found.get(name, pd.Series(dtype="object", index=found.index))
        found[name] = own.where(own.notna(), period.replace("..", " to "))
    found.insert(0, "measure", measure)
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
    first, last = ends_of(period)
    return data[moments(when).between(first, last)].copy()


def ends_of(period: str) -> tuple[pd.Timestamp, pd.Timestamp]:
    """The first and the last moment of a period."""
    first, _, last = period.replace("-Q", "Q").partition("..")
    return pd.Period(first).start_time, pd.Period(last or first).end_time


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
    before = measured(whole[0], how)
    return {
        "value_before": first, "value_after": last, "change": last - first, "effect": effect,
        "contribution": 100 * effect / total if total else np.nan,
        "percent": 100 * (last - first) / first if first > 0 else np.nan,
        "rows_before": len(parts[0]), "rows_after": len(parts[1]),
        "share": 100 * (len(parts[0]) / len(whole[0]) if how == "mean" else first / before)
        if before and len(whole[0]) else np.nan,
        "p_value": by_chance(parts) if how == "mean" else np.nan,
    }  # fmt: skip


def by_chance(parts: list[pd.DataFrame]) -> float:
    """How likely the difference of two means is by chance (Welch's test)."""
    from scipy import stats

    one, other = (each[MEASURE] for each in parts)
    if min(len(one), len(other)) < 2 or one.nunique() + other.nunique() < 3:
        return np.nan
    return float(stats.ttest_ind(one, other, equal_var=False)[1])


def rows_and_size(whole: list[pd.DataFrame], how: str) -> list[dict[str, object]]:
    """A change of a sum as two: of how many rows there are, and of how much a row has."""
    if how != "sum" or not all(map(len, whole)):
        return []
    counts = [float(len(each)) for each in whole]
    means = [measured(each, "mean") for each in whole]
    total = measured(whole[1], how) - measured(whole[0], how)
    effects = ((counts[1] - counts[0]) * means[0], (means[1] - means[0]) * counts[1])
    return [
        {"dimension": "rows", "group": name, "value_before": pair[0],
         "value_after": pair[1], "change": pair[1] - pair[0], "effect": effect,
         "contribution": 100 * effect / total if total else np.nan,
         "percent": 100 * (pair[1] - pair[0]) / pair[0] if pair[0] > 0 else np.nan}
        for name, pair, effect in zip(("number", "average"), (counts, means), effects, strict=True)
    ]  # fmt: skip


def single_row(parts: list[pd.DataFrame]) -> list[object]:
    """The one row that is a large part of all in both periods, and many times the next."""
    whole = pd.concat([part[MEASURE] for part in parts])
    sizes = whole.abs().sort_values(ascending=False)
    alone = len(sizes) >= 30 and sizes.iloc[0] >= TIMES * sizes.iloc[1]
    return [sizes.index[0]] if alone and sizes.iloc[0] >= OF_TOTAL * sizes.sum() else []


def largest_rate(
    whole: list[pd.DataFrame], columns: list[str], how: str
) -> list[dict[str, object]]:
    """The group whose rows have most more or less than before, by more than chance: it may be
    hidden in a sum by how many rows there are."""
    found = []
    for column in columns if how == "sum" else []:
        for row in split_by(whole, column, "mean"):
            if min(float(str(row["rows_before"])), float(str(row["rows_after"]))) >= 10:
                effect = float(str(row["change"])) * float(str(row["rows_after"]))
                found.append({**row, "dimension": "rate", "group": f"{column}: {row['group']}",
                              "effect": effect, "contribution": np.nan})  # fmt: skip
    sure = [each for each in found if float(str(each["p_value"])) * len(found) < 0.01]
    return sorted(sure, key=lambda each: -abs(float(str(each["effect"]))))[:1]


def slowest_step(
    data: pd.DataFrame, time: str, columns: list[str], how: str, before: str, after: str
) -> list[dict[str, object]]:
    """The step between the two periods, both years, in which the measure went least the way that
    it went as a whole; nothing where all steps are alike."""
    if not columns or how != "mean" or not (before + after).isdigit():
        return []
    when = data[time]
    years = when if pd.api.types.is_numeric_dtype(when.dtype) else moments(when).dt.year
    values = pd.to_numeric(data[columns[0]], errors="coerce")
    course = values.groupby(years).mean().loc[int(before) : int(after)].dropna()
    if len(course) < 4 or course.iloc[0] == course.iloc[-1]:
        return []
    steps = course.diff().dropna() * np.sign(course.iloc[-1] - course.iloc[0])
    at = int(steps.to_numpy().argmin())
    if steps.iloc[at] > 0.25 * steps.mean():
        return []
    one, other = float(course.iloc[at]), float(course.iloc[at + 1])
    return [{"dimension": "course", "group": "slowest", "value_before": one, "value_after": other,
             "change": other - one, "from": str(course.index[at]), "to": str(course.index[at + 1]),
             "effect": np.nan, "contribution": np.nan}]  # fmt: skip


def measured(rows: pd.DataFrame, how: str) -> float:
    """The sum or the mean of the measure; of no rows a mean is not known."""
    values = rows[MEASURE]
    return float(values.mean() if how == "mean" else values.sum())


def split_by(whole: list[pd.DataFrame], column: str, how: str) -> list[dict[str, object]]:
    """The rows of the groups of a column, those with the largest part of the change first."""
    labels = labels_of(pd.concat([part[column] for part in whole], keys=[0, 1])).fillna("(missing)")
    keys = [labels.loc[0], labels.loc[1]]
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
    first, last = ends_of(before), ends_of(after)
    for period, away, verb, at in (
        (before, when.iloc[0] - first[0], "begin", when.iloc[0]),
        (after, last[1] - when.iloc[-1], "end", when.iloc[-1]),
    ):
        length = last[1] - last[0]
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
