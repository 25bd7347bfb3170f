"""Read dates and times out of text, and out of whole numbers such as 20240131.

Phases: data_cleaning
Gives: train, test
"""

from __future__ import annotations

import re
import warnings

import pandas as pd


def parse_dates(
    train: pd.DataFrame,
    test: pd.DataFrame | None = None,
    *,
    columns: list[str],
    day_first: bool | None = None,
    least_share: float = 0.8,
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Make dates of columns of text.

    Args:
        train: The rows to learn from.
        test: The rows to predict, if there are any.
        columns: Columns of dates as text. Those that hold dates already stay as they are.
        day_first: Whether 03/04/2024 is the 3rd of April. Seen from the values of train without it.
        least_share: At least this share of the values of train must be dates, 0 to 1.
    Returns:
        Both tables, with times without a zone (UTC) in these columns.
    Raises:
        ValueError: A column is not there, or fewer of its values are dates.
    Example:
        train, test = parse_dates(train, test, columns=["opened"])
    """
    left, right = train.copy(), None if test is None else test.copy()
    for name in columns:
        if name not in train.columns:
            raise ValueError(f"there is no column {name!r} in train")
        known = train[name].notna().sum()
        first = _parse_dates_day_first(train[name]) if day_first is None else day_first
        left[name] = _parse_dates_column(train[name], first)
        share = left[name].notna().sum() / max(1, known)
        if share < least_share:
            raise ValueError(f"only {share:.0%} of the values of {name!r} are dates")
        if right is not None and name in right.columns:
            right[name] = _parse_dates_column(right[name], first)
    return left, right


def _parse_dates_day_first(column: pd.Series) -> bool:
    """Whether the first of the two numbers before the year is the day: dots, or one above 12."""
    days = months = 0
    for text in column.dropna().map(str).unique()[:5000]:
        found = re.match(r"^\s*(\d{1,2})([./-])(\d{1,2})\2\d{2,4}", text)
        if found:
            days += int(found[1]) > 12 or (found[2] == "." and int(found[3]) <= 12)
            months += int(found[3]) > 12
    return days > months


def _parse_dates_column(column: pd.Series, day_first: bool) -> pd.Series:
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return column
    texts = column.map(_parse_dates_text, na_action="ignore").astype(object)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = pd.to_datetime(texts, format="mixed", dayfirst=day_first, errors="coerce", utc=True)
    return found.dt.tz_localize(None)


def _parse_dates_text(value: object) -> str:
    """The value as text: eight digits as year, month and day; with a year first, it stays first."""
    text = str(value).strip().removesuffix(".0")
    if re.fullmatch(r"(?:19|20)\d{6}", text):
        return f"{text[:4]}-{text[4:6]}-{text[6:]}"
    year_first = re.match(r"^(\d{4})[./](\d{1,2})[./](\d{1,2})(.*)$", text)
    if year_first:
        return f"{year_first[1]}-{int(year_first[2]):02d}-{int(year_first[3]):02d}{year_first[4]}"
    return text


def test_the_order_of_day_and_month_is_that_of_train() -> None:
    train = pd.DataFrame({"a": ["03/04/2024", "25/04/2024", None]})
    found, test = parse_dates(train, pd.DataFrame({"a": ["01/02/2024", "?"]}), columns=["a"])
    assert found["a"].dt.month.tolist()[:2] == [4, 4]
    assert test is not None
    assert test["a"].iloc[0] == pd.Timestamp("2024-02-01")
    assert test["a"].isna().tolist() == [False, True]


def test_whole_numbers_and_dots() -> None:
    found, _ = parse_dates(
        pd.DataFrame({"a": [20240131, 20231201], "b": ["1.2.2024", "3.4.2024"]}),
        columns=["a", "b"],
    )
    assert found["a"].tolist() == [pd.Timestamp("2024-01-31"), pd.Timestamp("2023-12-01")]
    assert found["b"].dt.day.tolist() == [1, 3]


def test_words_are_no_dates() -> None:
    message = ""
    try:
        parse_dates(pd.DataFrame({"a": ["red", "blue"]}), columns=["a"])
    except ValueError as error:
        message = str(error)
    assert "'a'" in message


def test_property_days_are_found_again_in_each_form() -> None:
    days = pd.Series(pd.date_range("2019-01-07", periods=60, freq="17D"))
    for form in ("%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%Y/%m/%d", "%d %b %Y", "%Y%m%d"):
        found, _ = parse_dates(pd.DataFrame({"a": days.dt.strftime(form)}), columns=["a"])
        assert found["a"].tolist() == days.tolist(), form
