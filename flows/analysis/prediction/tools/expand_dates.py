"""Make numbers of dates: year, month, weekday, hour, days since the first, and gaps between them.

Phases: feature_engineering
Gives: train, test
"""

from __future__ import annotations

import numpy as np
import pandas as pd


def expand_dates(
    train: pd.DataFrame,
    test: pd.DataFrame | None = None,
    *,
    columns: list[str],
    keep: list[str] | None = None,
    parts: list[str] | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Put the parts of dates in the place of the dates.

    Added are NAME_year, _month, _day, _weekday (0 is Monday), _hour, _weekend, _days (since the
    first date of train), the sine and cosine of the time of year and of day (_year_sin, _day_sin
    and so on), and the days between any two of the columns; only those that differ between rows of
    train.

    Args:
        train: The rows to learn from.
        test: The rows to predict, if there are any.
        columns: Columns of dates, or of texts that are dates.
        keep: Those of them that stay besides their parts.
        parts: Which parts, as they are named above without the line; all of them without it.
    Returns:
        Both tables. Parts of a date that is missing are missing.
    Raises:
        ValueError: A column is not there or holds no dates.
    Example:
        train, test = expand_dates(train, test, columns=["opened", "closed"])
    """
    for name in columns:
        if name not in train.columns:
            raise ValueError(f"there is no column {name!r} in train")
    dates = {name: _expand_dates_read(train[name]) for name in columns}
    for name, each in dates.items():
        if each.notna().sum() < 0.5 * train[name].notna().sum() or each.isna().all():
            raise ValueError(f"the column {name!r} holds no dates")
    made = _expand_dates_parts(dates, dates, parts)
    chosen = [name for name in made if made[name].nunique() > 1 and name not in train.columns]
    gone = [name for name in columns if name not in (keep or [])]
    left = pd.concat([train.drop(columns=gone), made[chosen]], axis=1)
    if test is None:
        return left, None
    others = {name: _expand_dates_read(test[name]) for name in columns}
    told = _expand_dates_parts(others, dates, parts)[chosen]
    return left, pd.concat([test.drop(columns=gone), told], axis=1)


def _expand_dates_read(column: pd.Series) -> pd.Series:
    if pd.api.types.is_datetime64_any_dtype(column):
        return column.dt.tz_localize(None) if column.dt.tz is not None else column
    if pd.api.types.is_numeric_dtype(column):
        return pd.Series(pd.NaT, index=column.index)
    found = pd.to_datetime(column.astype(object), format="mixed", errors="coerce", utc=True)
    return found.dt.tz_localize(None)


def _expand_dates_parts(
    dates: dict[str, pd.Series], learned: dict[str, pd.Series], wanted: list[str] | None
) -> pd.DataFrame:
    """The parts of the dates; days are counted from the first date of those to learn from."""
    day = pd.Timedelta(days=1)
    found: dict[str, pd.Series] = {}
    for name, column in dates.items():
        parts = column.dt
        made = {label: getattr(parts, label) for label in ("year", "month", "day", "hour")}
        made["weekday"] = parts.day_of_week
        made["weekend"] = (parts.day_of_week >= 5).astype("float64").where(column.notna())
        made["days"] = (column - learned[name].min()) / day
        for label, turn in (
            ("year", parts.day_of_year / 365.25),
            ("day", (parts.hour + parts.minute / 60) / 24),
        ):
            made[f"{label}_sin"] = np.sin(2 * np.pi * turn)
            made[f"{label}_cos"] = np.cos(2 * np.pi * turn)
        for label, values in made.items():
            if wanted is None or label in wanted:
                found[f"{name}_{label}"] = values
    names = list(dates)
    for at, first in enumerate(names):
        for second in names[at + 1 :]:
            found[f"{first}_to_{second}_days"] = (dates[second] - dates[first]) / day
    return pd.DataFrame(found).astype("float64")


def test_parts_and_gaps() -> None:
    train = pd.DataFrame(
        {
            "a": pd.to_datetime(["2024-01-06 10:00", "2024-03-04 12:00", None]),
            "b": ["2024-01-08", "2024-03-05", "2024-03-06"],
        }
    )
    found, test = expand_dates(train, train.iloc[:1], columns=["a", "b"], keep=["b"])
    assert "a" not in found
    assert "b" in found
    assert found["a_month"].tolist()[:2] == [1.0, 3.0]
    assert found["a_weekend"].tolist()[:2] == [1.0, 0.0]
    assert round(found["a_to_b_days"].iloc[0], 3) == 1.583
    assert found["a_hour"].isna().tolist() == [False, False, True]
    assert "a_year" not in found
    assert test is not None
    assert list(test.columns) == list(found.columns)


def test_words_are_refused() -> None:
    message = ""
    try:
        expand_dates(pd.DataFrame({"a": ["x", "z"]}), columns=["a"])
    except ValueError as error:
        message = str(error)
    assert "'a'" in message


def test_property_days_since_the_first_are_in_the_order_of_dates() -> None:
    generator = np.random.default_rng(21)
    for rows in (2, 30):
        days = pd.Timestamp("2020-02-02") + pd.to_timedelta(generator.integers(0, 900, rows), "D")
        found, _ = expand_dates(pd.DataFrame({"a": days}), columns=["a"])
        if "a_days" in found:
            assert found["a_days"].min() == 0
            assert (found["a_days"].rank() == pd.Series(days).rank()).all()
