"""What the sandbox runs for what is wrong with a table."""

from __future__ import annotations

from typing import Any

import pandas as pd

# Numbers that people write for one that is not known; a gap goes with a value of another column
# where so many of both are the same rows; so many times the usual range is no usual value.
MARKERS, TOGETHER, AWAY = (-1, -9, -99, -999, -9999, 99, 999, 9999, 99999, 999999), 0.95, 8
UNKNOWN = ("", "-", "--", "?", "n/a", "na", "null", "none", "nan", "unknown", "missing", "tbd",
           "k.a.", "#n/a")  # fmt: skip
COUNTED = ("quantity", "qty", "price", "amount", "age", "units", "count", "days", "hours", "weight",
           "duration", "distance", "salary", "cost")  # fmt: skip


def quality(data: pd.DataFrame, columns: list[str], keys: list[str], table: str) -> pd.DataFrame:
    """A row for each fault: the column, the value that shows it, how many rows have it, and the
    column and value that go with it."""
    chosen = data[columns] if columns else data
    rows = [*repeated_rows(chosen, keys if not columns else [])]
    for name in chosen.columns:
        rows += [*unknown(chosen, data, name), *spelled(chosen[name]), *far_away(chosen[name])]
        rows += impossible(chosen[name])
    rows += too_early(chosen)
    names = ["check", "column", "value", "rows", "of", "other", "other_value", "low", "high"]
    blank = {"column": "", "value": "", "other": "", "other_value": "", "low": None, "high": None}
    if not rows:
        rows = [{"check": "none", "rows": 0}]
    made = pd.DataFrame([{**blank, "of": len(data), **each} for each in rows], columns=names)
    made.insert(0, "table", table)
    order = {each: n for n, each in enumerate(("repeated", "key", "marker", "spelling", "gap"))}
    return made.sort_values("check", key=lambda c: c.map(order).fillna(9), kind="stable")


def repeated_rows(data: pd.DataFrame, keys: list[str]) -> list[dict[str, Any]]:
    """Rows that stand there again, and keys that several different rows have."""
    again = data.astype("str").duplicated()
    found = [{"check": "repeated", "rows": int(again.sum())}] if again.any() else []
    rest = data[~again]
    for name in keys:
        if name in data:
            twice = int(rest[name].dropna().duplicated().sum())
            found += [{"check": "key", "column": name, "rows": twice}] if twice else []
    others = [each for each in data.columns if each not in keys]
    telling = max((data[each].nunique() for each in others), default=0)
    if keys and len(others) > 2 and not again.any() and 2 * telling > len(data):
        like = int(data[others].astype("str").duplicated().sum())
        found += [{"check": "alike", "column": keys[0], "rows": like}] if like else []
    return found


def blanks(column: pd.Series) -> pd.Series:
    """Which values are missing, or are texts that stand for that."""
    texts = column.astype("object").map(lambda v: str(v).strip().casefold())
    return column.isna() | texts.isin(UNKNOWN)


def unknown(chosen: pd.DataFrame, data: pd.DataFrame, name: str) -> list[dict[str, Any]]:
    """Values that are missing, and numbers that stand for it."""
    gone, found = blanks(chosen[name]), []
    written = chosen[name][gone & chosen[name].notna()]
    if gone.any():
        shown = str(written.iloc[0]).strip() if len(written) else ""
        found.append({"check": "gap", "column": name, "rows": int(gone.sum()), "value": shown,
                      **goes_with(data, name, gone)})  # fmt: skip
    numbers = as_numbers(chosen[name])
    if numbers is None:
        return found
    plain = numbers.dropna()
    for each in MARKERS:
        at = plain == each
        rest = plain[~at]
        if at.sum() < 2 or len(rest) < 10:
            continue
        spread = max(float(rest.quantile(0.95) - rest.quantile(0.05)), 1.0)
        beyond = rest.min() - each if each < 0 else each - rest.max()
        if (each < 0 and rest.min() >= 0) or beyond > spread:
            found.append({"check": "marker", "column": name, "value": str(each),
                          "rows": int(at.sum()), "low": float(rest.min()),
                          "high": float(rest.max())})  # fmt: skip
    return found


def goes_with(data: pd.DataFrame, name: str, gone: pd.Series) -> dict[str, Any]:
    """The value of another column whose rows are those that have the gap."""
    best: dict[str, Any] = {}
    for other in data.columns:
        column = data[other]
        if other == name or not 2 <= column.nunique() <= 20 or gone.all():
            continue
        labels = column.astype("object").where(column.notna()).map(str, na_action="ignore")
        inside = labels[gone].value_counts(normalize=True)
        if inside.empty or inside.iloc[0] < TOGETHER:
            continue
        whole = gone[labels == inside.index[0]].mean()
        if whole >= 0.9:
            return {"other": other, "other_value": inside.index[0]}
    return best


def as_numbers(column: pd.Series) -> pd.Series | None:
    """A column as numbers, money and percentages too; None for one of other things."""
    if pd.api.types.is_bool_dtype(column.dtype) or pd.api.types.is_datetime64_any_dtype(
        column.dtype
    ):
        return None
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column.astype("float64")
    plain = column.astype("str").str.replace(r"[€$£%,\s]", "", regex=True)
    made = pd.to_numeric(plain, errors="coerce")
    return made if made.notna().sum() > 0.8 * column.notna().sum() > 0 else None


def spelled(column: pd.Series) -> list[dict[str, Any]]:
    """Values that are the same but for case and blanks."""
    if not (column.dtype == "object" or pd.api.types.is_string_dtype(column.dtype)):
        return []
    texts = column.dropna().astype("str")
    if not 2 <= texts.nunique() <= max(200, len(texts) // 5):
        return []
    counts = texts.value_counts()
    same: dict[str, list[str]] = {}
    for each in counts.index:
        plain = "".join(sign if sign.isalnum() else " " for sign in each.casefold())
        same.setdefault(" ".join(plain.split()) or each, []).append(each)
    several = [each for each in same.values() if len(each) > 1]
    if not several:
        return []
    rows = sum(int(counts[other]) for each in several for other in each[1:])
    first = max(several, key=lambda each: int(counts[each].sum()))
    return [{"check": "spelling", "column": column.name, "rows": rows,
             "value": ", ".join(repr(each) for each in first[:4]), "low": float(counts.size),
             "high": float(len(same))}]  # fmt: skip


def far_away(column: pd.Series) -> list[dict[str, Any]]:
    """The few numbers that lie many times the usual range away from all others."""
    numbers = as_numbers(column)
    if numbers is None or numbers.nunique() < 6:
        return []
    plain = numbers[~numbers.isin(MARKERS)].dropna()
    if len(plain) < 20:
        return []
    middle = float(plain.median())
    spread = max(float(plain.quantile(0.9) - plain.quantile(0.1)), 0.05 * abs(middle), 1e-9)
    inner = plain[(plain >= middle - AWAY * spread) & (plain <= middle + AWAY * spread)]
    away = plain.drop(inner.index)
    ends = (float(inner.min()), float(inner.max()))
    gap = min(abs(away - ends[0]).min(), abs(away - ends[1]).min()) if len(away) else 0.0
    if not len(away) or len(away) > max(3, 0.005 * len(plain)) or gap < 2 * spread:
        return []
    most = away.loc[(away - middle).abs().idxmax()]
    return [{"check": "far", "column": column.name, "value": f"{most:g}", "rows": len(away),
             "low": ends[0], "high": ends[1]}]  # fmt: skip


def impossible(column: pd.Series) -> list[dict[str, Any]]:
    """Numbers below zero in what is counted or measured, and shares above all."""
    name = "".join(sign if sign.isalpha() else " " for sign in str(column.name).casefold())
    words = set(name.split())
    numbers = as_numbers(column)
    if numbers is None or not words & set(COUNTED):
        return []
    below = numbers[(numbers < 0) & ~numbers.isin(MARKERS)]
    if not len(below) or len(below) > 0.05 * numbers.notna().sum():
        return []
    return [{"check": "negative", "column": column.name, "value": f"{below.min():g}",
             "rows": len(below)}]  # fmt: skip


def too_early(data: pd.DataFrame) -> list[dict[str, Any]]:
    """Times that are nearly always after another one, and in a few rows before it."""
    times = [c for c in data.columns if pd.api.types.is_datetime64_any_dtype(data[c].dtype)]
    found = []
    for one in times:
        for other in times:
            both = data[[one, other]].dropna()
            if one == other or len(both) < 20:
                continue
            early = int((both[other] < both[one]).sum())
            if 0 < early < 0.05 * len(both) and (both[other] > both[one]).mean() > 0.6:
                found.append({"check": "early", "column": other, "other": one, "rows": early})
    return found
