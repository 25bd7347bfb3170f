"""What the sandbox runs for a target broken down by columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from flows.analysis.methods.correlation.recipes import adjusted
from flows.analysis.methods.recipes import labels_of, numeric, warn

# A column that goes with the target more closely than the first says the same as it; one of the
# same kind, such as money and money, more closely than the second is a part of it or follows from
# it. A group with fewer rows than the third is not named; a column with more groups than the fourth
# is no dimension; whole numbers of so few values are groups where these say more than a line.
EXACT, PART, NAMED, GROUPS, LEVELS = 0.999, 0.9, 5, 60, 31
# Groups that are told of each column: the first and the last ones.
FIRST, LAST = 8, 3
# One row that has so large a part of a total, and is so many times the next, distorts it.
OF_TOTAL, TIMES = 0.04, 4


def breakdown(
    data: pd.DataFrame, target: str, columns: list[str], how: str, yes: str, parts: list[str],
    kin: list[str], measure: str,
) -> pd.DataFrame:  # fmt: skip
    """The figure of all rows, and of the groups of each column, with how much of the differences
    the column explains (`strength`) and how likely that is by chance (`p_value`, corrected for the
    number of columns). Numbers have their correlation instead, and the figure of their upper third
    beside that of their lower third; times are broken down by month, weekday and hour. `parts` make
    up the target, those of `kin` that go with it closely are taken for that. Of averages one single
    row that distorts them is left out."""
    values = outcome(data, target, how, yes)
    known = values.notna()
    rows = [fact("all", "", "all", values[known], values[known], how)]
    if (~known).any():
        missing = {"kind": "missing", "rows": int((~known).sum()), "value": float(len(data))}
        rows.append({**fact("missing", target, "", values[known], values[known], how), **missing})
    data, values = data[known], values[known]
    if values.nunique() < 2:
        raise ValueError(f"{target} is the same in all rows")
    single = distorting(data, values, how, columns)
    if single and how == "average":
        values = values.drop(values.idxmax())
        data = data.loc[values.index]
    data, names = with_calendar(data, columns)
    found = [each for name in names for each in dimension(data[name], values, how, name in kin)]
    made = [each for name in parts if name in data for each in part_of(data[name], values)]
    rows += ordered([*found, *made]) + single
    table = pd.DataFrame(rows)
    table.insert(0, "measure", measure)
    if len(columns) > 1:
        warn("not_cause", f"What goes along with {measure} need not cause it: a change has to be "
             "tried before it is relied on.")  # fmt: skip
    return table


def with_calendar(data: pd.DataFrame, columns: list[str]) -> tuple[pd.DataFrame, list[str]]:
    """The data with the month, weekday and hour of its times, as far as there are several."""
    names, made = [], {}
    for name in columns:
        when = data[name]
        if not pd.api.types.is_datetime64_any_dtype(when.dtype):
            names.append(name)
            continue
        parts = {"month": when.dt.month_name(), "weekday": when.dt.day_name()}
        if when.dt.hour.nunique() > 6:
            parts["hour"] = when.dt.hour.map("{:02.0f}:00".format, na_action="ignore")
        whole = (when.max() - when.min()).days
        for part, values in parts.items():
            known = any(part in str(each).casefold() for each in data.columns if each != name)
            if (
                not known
                and whole >= {"month": 330, "weekday": 28, "hour": 2}[part]
                and values.nunique() > 1
            ):
                made[f"{part} of {name}"] = values
    return data.assign(**made), [*names, *made]


def outcome(data: pd.DataFrame, target: str, how: str, yes: str) -> pd.Series:
    """The target as numbers: 1 for yes and 0 for no, where a share is told."""
    if how != "share":
        return numeric(data, [target])[target]
    if not yes:
        return data[target].notna().astype("float64")
    texts = data[target].astype("object")
    said = texts.where(texts.isna(), texts.astype("str").str.casefold())
    return said.eq(yes.casefold()).astype("float64").where(data[target].notna())


def fact(
    kind: str, column: str, group: Any, part: pd.Series, whole: pd.Series, how: str
) -> dict[str, Any]:
    """One row of the result: the figure of some rows beside that of all others."""
    rest = whole.drop(part.index) if len(part) < len(whole) else whole.iloc[:0]
    figure = {"average": "mean", "share": "mean", "sum": "sum"}[how]
    total = float(whole.sum())
    return {
        "kind": kind, "dimension": column, "group": str(group), "rows": len(part),
        "value": float(part.agg(figure)), "average": float(part.mean()),
        "total": float(part.sum()), "others": float(rest.mean()) if len(rest) else np.nan,
        "part": 100 * float(part.sum()) / total if total else np.nan,
        "strength": np.nan, "p_value": np.nan, "correlation": np.nan,
    }  # fmt: skip


def dimension(
    column: pd.Series, values: pd.Series, how: str, kin: bool = False
) -> list[dict[str, Any]]:
    """What a column says of the target: nothing, where it has one value, or one for each row."""
    plain = pd.api.types.is_numeric_dtype(column.dtype)
    if plain and not pd.api.types.is_bool_dtype(column.dtype) and column.nunique() > 2:
        line = number(column, values, how, kin)
        whole = column.dropna()
        if not line or line[0]["kind"] == "part" or whole.nunique() > LEVELS:
            return line
        bent = groups(whole.map("{:g}".format), values[whole.index], how)
        better = bent and bent[0]["strength"] > line[0]["strength"] + 0.01
        return bent if better else line
    if only_of_yes(column, values, how):
        return reasons(column, values, how)
    return groups(column, values, how)


def number(
    column: pd.Series, values: pd.Series, how: str, kin: bool = False
) -> list[dict[str, Any]]:
    """How a number goes with the target."""
    from scipy import stats

    both = pd.DataFrame({"x": pd.to_numeric(column).astype("float64"), "y": values}).dropna()
    if len(both) < 10 or both["x"].nunique() < 3 or both["y"].nunique() < 2:
        return []
    r, p = stats.pearsonr(both["x"], both["y"])
    low, high = both["x"].quantile(1 / 3), both["x"].quantile(2 / 3)
    upper, lower = both.loc[both["x"] >= high, "y"], both.loc[both["x"] <= low, "y"]
    follows = how == "share" and only_of_one(both["x"], both["y"])
    kind = "part" if abs(r) >= (PART if kin else EXACT) or follows else "number"
    made = fact(kind, str(column.name), "", both["y"], values, how)
    return [{**made, "value": float(upper.mean()), "others": float(lower.mean()),
             "correlation": float(r), "strength": float(r) ** 2, "p_value": float(p)}]  # fmt: skip


def only_of_one(column: pd.Series, values: pd.Series) -> bool:
    """Whether a number is the same in all rows of one side, and hardly ever that in the other: what
    follows from being counted, as a fine does from being late."""
    for side in (0, 1):
        inside = column[values == side]
        if len(inside) and inside.nunique() == 1:
            return bool((column[values != side] == inside.iloc[0]).mean() < 0.1)
    return False


def part_of(column: pd.Series, values: pd.Series) -> list[dict[str, Any]]:
    """That a column is what the target is computed of."""
    made = number(column, values, "average") if pd.api.types.is_numeric_dtype(column.dtype) else []
    return [{**each, "kind": "part"} for each in made]


def only_of_yes(column: pd.Series, values: pd.Series, how: str) -> bool:
    """Whether a column is only known of the rows that are counted: the reason of what ended."""
    if how != "share":
        return False
    known, yes = column.notna(), values == 1
    return bool(known[~yes].mean() < 0.02 and known[yes].mean() > 0.5)


def reasons(column: pd.Series, values: pd.Series, how: str) -> list[dict[str, Any]]:
    """How often each value stands in the rows that are counted."""
    counted = labels_of(column[values == 1]).dropna()
    if not 2 <= counted.nunique() <= GROUPS:
        return []
    shares = counted.value_counts()
    made = [fact("reason", str(column.name), name, values[counted[counted == name].index], values,
                 how) for name in shares.index[:FIRST]]  # fmt: skip
    for each in made:
        each["part"] = 100 * each["rows"] / len(counted)
    return made


def groups(column: pd.Series, values: pd.Series, how: str) -> list[dict[str, Any]]:
    """The groups of a column, that with the largest figure first."""
    labels = labels_of(column)
    sizes = labels.value_counts()
    if not 2 <= len(sizes) <= GROUPS or sizes.iloc[0] == 1:
        return []
    parts = {name: values[labels == name] for name in sizes.index}
    strength, p = explained([each for each in parts.values() if len(each) > 1], how)
    if how == "share" and strength > PART:
        return [{**fact("part", str(column.name), "", values, values, how), "strength": strength}]
    least = max(NAMED, len(values) // 200) if len(values) > 60 else 1
    made = [fact("group", str(column.name), name, part, values, how)
            for name, part in parts.items() if len(part) >= least]  # fmt: skip
    made.sort(key=lambda each: -each["value"])
    kept = made if len(made) <= FIRST + LAST else made[:FIRST] + made[-LAST:]
    return [{**each, "strength": strength, "p_value": p} for each in kept] if len(kept) > 1 else []


def explained(parts: list[pd.Series], how: str) -> tuple[float, float]:
    """The share of the target's differences that lies between groups, free of what chance gives
    (omega squared), and how likely it is by chance."""
    from scipy import stats

    whole = pd.concat(parts) if len(parts) > 1 else pd.Series(dtype="float64")
    rows, spread = len(whole), float(((whole - whole.mean()) ** 2).sum()) if len(whole) else 0.0
    free = rows - len(parts)
    if len(parts) < 2 or spread == 0 or free < 1:
        return 0.0, np.nan
    between = sum(len(each) * (each.mean() - whole.mean()) ** 2 for each in parts)
    within = max(spread - between, 1e-12 * spread)
    strength = (between - (len(parts) - 1) * within / free) / (spread + within / free)
    if how == "share":
        table = np.array([[each.sum(), len(each) - each.sum()] for each in parts])
        return max(strength, 0.0), float(stats.chi2_contingency(table, correction=False)[1])
    return max(strength, 0.0), float(stats.f.sf(between / (len(parts) - 1) / (within / free),
                                                len(parts) - 1, free))  # fmt: skip


def ordered(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of the columns that explain most first, with p-values for as many tests as there
    are columns."""
    firsts = {each["dimension"]: each for each in found if each["kind"] in ("group", "number")}
    raw = pd.Series({name: each["p_value"] for name, each in firsts.items()}, dtype="float64")
    fair = adjusted(raw)
    for each in found:
        if each["dimension"] in firsts:
            each["p_value"] = float(fair[each["dimension"]])
    return sorted(found, key=lambda each: -np.nan_to_num(each["strength"]))


def distorting(
    data: pd.DataFrame, values: pd.Series, how: str, columns: list[str]
) -> list[dict[str, Any]]:
    """The one row that has a large part of the whole by itself: by its target, and by the amount
    that stands out in it."""
    total, sizes = float(values.sum()), values.sort_values(ascending=False)
    if how == "share" or len(values) < 30 or total <= 0 or sizes.iloc[0] < OF_TOTAL * total:
        return []
    if sizes.iloc[0] < TIMES * sizes.iloc[1]:
        return []
    at = sizes.index[0]
    made = fact("single", "", "", values[[at]], values, how)
    for name in columns:
        column = data[name]
        if pd.api.types.is_numeric_dtype(column.dtype) and column[at] >= TIMES * abs(
            column.drop(at).max()
        ):
            made |= {"dimension": name, "value": float(column[at])}
    return [made]
