"""What the recipes of several methods share: columns as numbers, parts of the data, series over
time, and warnings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

STRONGEST = 300


# Below this many values a group says little; below the other, next to nothing.
FEW, VERY_FEW = 30, 5


# What people write where there is no name.
NO_NAMES = ("", "-", "--", "?", "n/a", "#n/a", "nan", "null")

SAID: list[dict[str, str]] = []


def warn(code: str, sentence: str) -> None:
    """Keep what is to be known beside the result, for the table of warnings."""
    said = {"code": code, "says": " ".join(sentence.split())}
    if said not in SAID:
        SAID.append(said)


def numeric(data: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """The columns as finite numbers; what is no number is missing."""
    chosen = data[columns].apply(pd.to_numeric, errors="coerce").astype("float64")
    return chosen.replace([np.inf, -np.inf], np.nan)


def say_left_out(before: int, after: int) -> None:
    """How many rows are left out; a warning, since those that are left may be others."""
    if before > after:
        share = 100 * (before - after) / before
        much = f" ({share:.0f} %, so the result may not hold for all)" if share > 5 else ""
        text = f"{before - after} of {before} rows were left out{much}: a value is missing."
        warn("missing_left_out", text)


def say_small(sizes: dict[str, int]) -> None:
    """Which groups are too small to say much."""
    tiny = [name for name, rows in sizes.items() if rows < VERY_FEW]
    small = [name for name, rows in sizes.items() if rows < FEW]
    named = ", ".join((tiny or small)[:5]) + (", ..." if len(tiny or small) > 5 else "")
    if tiny:
        warn("small_groups", f"{named}: fewer than {VERY_FEW} values, which say next to nothing.")
    elif small:
        warn("small_groups", f"{named}: fewer than {FEW} values, so chance plays a large part.")


def say_few(rows: int) -> None:
    """That all of it rests on few rows."""
    if rows < FEW:
        warn("small_sample", f"It rests on {rows} rows only, so chance plays a large part.")


def say_sizes(sizes: list[tuple[dict[str, Any], int]], group: str) -> None:
    """The warnings about the sizes of groups, or of all rows where there is no group."""
    if not group:
        say_few(min(rows for _, rows in sizes))
        return
    named: dict[str, int] = {}
    for name, rows in sizes:
        label = str(name[group])
        named[label] = min(rows, named.get(label, rows))
    say_small(named)


def say_repeated(_data: pd.DataFrame, name: str, time: str) -> None:
    """That the rows are no independent cases."""
    warn("repeated", f"Each {name} stands there once for each {time}, so that the rows do not "
         "count as independent cases: p-values are too small. Choose one time for a fair "
         "test.")  # fmt: skip


def parts(data: pd.DataFrame, group: str) -> list[tuple[dict[str, Any], pd.DataFrame]]:
    """The data of each group with the group's name, largest groups first; all of it without."""
    if not group:
        return [({}, data)]
    known = data[data[group].notna()]
    say_left_out(len(data), len(known))
    names = known[group].value_counts().index[:STRONGEST]
    return [({group: name}, known[known[group] == name]) for name in names]


def say_skewed(column: str, values: pd.Series) -> None:
    """That a mean is pulled away from the middle by few values."""
    spread = values.std()
    if len(values) > 2 and spread > 0 and abs(values.skew()) > 1:
        away = (values.mean() - values.median()) / spread
        if abs(away) > 0.2:
            way = "above" if away > 0 else "below"
            warn("skewed", f"{column} is skewed: its mean ({values.mean():.4g}) lies far {way} its "
                 f"median ({values.median():.4g}).")  # fmt: skip


def plain_numbers(data: pd.DataFrame, columns: list[str]) -> list[str]:
    """Those of the columns that hold numbers, and not only yes and no."""
    kinds = {each: data[each].dtype for each in columns}
    return [
        each
        for each, kind in kinds.items()
        if pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_bool_dtype(kind)
    ]


def labels_of(column: pd.Series) -> pd.Series:
    """The values of a column as texts, of which those that differ only in case or in blanks around
    them are one, written as most of them are. What nobody calls a category is missing."""
    texts = column.astype("object").where(column.notna()).map(str, na_action="ignore")
    texts = texts.mask(texts.map(str).str.strip().str.casefold().isin(NO_NAMES))
    folded = texts.map(lambda each: " ".join(each.split()).casefold(), na_action="ignore")
    if folded.nunique() == texts.nunique():
        return texts
    usual = texts.groupby(folded).agg(lambda each: each.value_counts().index[0])
    return folded.map(usual)


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
