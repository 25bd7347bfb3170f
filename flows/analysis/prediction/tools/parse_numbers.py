"""Read numbers out of text: units, separators of thousands, percent signs, currencies.

Phases: data_cleaning
Gives: train, test
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

_PARSE_NUMBERS_FORM = re.compile(r"^([^\d.,()+-]*)(\(?[+-]?)([\d.,' ]*\d[\d.,' ]*)(\)?)(.*)$")
# How many of the smallest unit of its family each unit is worth.
_PARSE_NUMBERS_UNITS: dict[str, dict[str, float]] = {
    "mass": {"mg": 1e-6, "g": 1e-3, "kg": 1.0, "t": 1e3, "lb": 0.45359237, "lbs": 0.45359237},
    "length": {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "km": 1e3, "in": 0.0254, "ft": 0.3048},
    "time": {"ms": 1e-3, "s": 1.0, "sec": 1.0, "min": 60.0, "h": 3600.0, "hr": 3600.0},
    "bytes": {"b": 1.0, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12},
    "scale": {"": 1.0, "k": 1e3, "m": 1e6, "mn": 1e6, "bn": 1e9, "b": 1e9},
}


def parse_numbers(
    train: pd.DataFrame,
    test: pd.DataFrame | None = None,
    *,
    columns: list[str],
    least_share: float = 0.8,
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Make numbers of text columns such as "1,250 kg", "45 %", "$3.5k" or "1.234,50".

    Whether a comma stands before decimals is seen from the values of train. Units of one kind are
    brought to one (kg, m, s, bytes) where a column mixes them; other units are left off. Percent
    stay percent: "45 %" is 45. What is no number becomes missing.

    Args:
        train: The rows to learn from.
        test: The rows to predict, if there are any.
        columns: Text columns. Those that hold numbers already stay as they are.
        least_share: At least this share of the values of train must be numbers, 0 to 1.
    Returns:
        Both tables, with numbers in these columns.
    Raises:
        ValueError: A column is not there, or fewer of its values are numbers.
    Example:
        train, test = parse_numbers(train, test, columns=["weight"])
    """
    left, right = train.copy(), None if test is None else test.copy()
    for name in columns:
        if name not in train.columns:
            raise ValueError(f"there is no column {name!r} in train")
        if pd.api.types.is_numeric_dtype(train[name]):
            if right is not None and name in right.columns:
                right[name] = pd.to_numeric(right[name], errors="coerce")
            continue
        texts = train[name].dropna().map(str)
        comma = _parse_numbers_comma(texts)
        factors = _parse_numbers_factors(texts)
        left[name] = _parse_numbers_column(train[name], comma, factors)
        share = left[name].notna().sum() / max(1, len(texts))
        if share < least_share:
            raise ValueError(f"only {share:.0%} of the values of {name!r} are numbers")
        if right is not None and name in right.columns:
            right[name] = _parse_numbers_column(right[name], comma, factors)
    return left, right


def _parse_numbers_comma(texts: pd.Series) -> bool:
    """Whether the comma stands before decimals."""
    as_comma = texts.str.contains(r"\d,\d{1,2}(?!\d)|\d,\d{4,}|\d\.\d{3},\d", regex=True).sum()
    as_point = texts.str.contains(r"\d\.\d{1,2}(?!\d)|\d\.\d{4,}|\d,\d{3}\.\d", regex=True).sum()
    return bool(as_comma > as_point)


def _parse_numbers_factors(texts: pd.Series) -> dict[str, float]:
    """What each unit is worth, where the units of a column are several of one family."""
    forms = (_PARSE_NUMBERS_FORM.match(each.strip()) for each in texts.unique())
    units = {each[5].strip().casefold() for each in forms if each}
    for family in _PARSE_NUMBERS_UNITS.values():
        if len(units) > 1 and units <= set(family):
            return {unit: family[unit] for unit in units}
    return {}


def _parse_numbers_column(column: pd.Series, comma: bool, factors: dict[str, float]) -> pd.Series:
    values = {
        each: _parse_numbers_one(str(each), comma, factors) for each in column.dropna().unique()
    }
    return column.map(values).astype("float64")


def _parse_numbers_one(text: str, comma: bool, factors: dict[str, float]) -> float:
    """The number of one text; not a number where it holds none, or several."""
    form = _PARSE_NUMBERS_FORM.match(text.strip())
    if form is None or re.search(r"\d", form[5]):
        return float("nan")
    digits = re.sub(r"[' ]", "", form[3])
    digits = digits.replace(".", "").replace(",", ".") if comma else digits.replace(",", "")
    try:
        number = float(digits)
    except ValueError:
        return float("nan")
    negative = "-" in form[2] or (form[2].startswith("(") and form[4] == ")")
    return (-number if negative else number) * factors.get(form[5].strip().casefold(), 1.0)


def test_units_thousands_percent_and_signs() -> None:
    texts = ["1,250 kg", "45 kg", "(3) kg", "-7.5kg", "?"]
    found, _ = parse_numbers(pd.DataFrame({"a": texts}), columns=["a"])
    assert found["a"].tolist()[:4] == [1250.0, 45.0, -3.0, -7.5]
    assert found["a"].isna().tolist() == [False] * 4 + [True]
    found, _ = parse_numbers(pd.DataFrame({"a": ["45 %", "7.5%"]}), columns=["a"])
    assert found["a"].tolist() == [45.0, 7.5]


def test_the_comma_of_train_is_that_of_test() -> None:
    train = pd.DataFrame({"a": ["1.234,50 €", "0,99 €"]})
    found, test = parse_numbers(train, pd.DataFrame({"a": ["2.500 €"]}), columns=["a"])
    assert found["a"].tolist() == [1234.5, 0.99]
    assert test is not None
    assert test["a"].tolist() == [2500.0]


def test_units_that_are_mixed_are_made_one() -> None:
    found, _ = parse_numbers(pd.DataFrame({"a": ["1.5 kg", "800 g"]}), columns=["a"])
    assert found["a"].tolist() == [1.5, 0.8]
    found, _ = parse_numbers(pd.DataFrame({"a": ["$3.5k", "$800"]}), columns=["a"])
    assert found["a"].tolist() == [3500.0, 800.0]


def test_words_are_no_numbers() -> None:
    message = ""
    try:
        parse_numbers(pd.DataFrame({"a": ["red", "blue", "3"]}), columns=["a"])
    except ValueError as error:
        message = str(error)
    assert "'a'" in message


def test_property_what_is_written_is_read_again() -> None:
    generator = np.random.default_rng(3)
    numbers = np.round(generator.normal(0, 1e5, 50), 2)
    for form in ("{:,.2f}", "{:.2f} km", "${:,.2f}", "{:,.2f} %"):
        texts = [form.format(each) for each in numbers]
        found, _ = parse_numbers(pd.DataFrame({"a": texts}), columns=["a"])
        assert np.allclose(found["a"], numbers)
