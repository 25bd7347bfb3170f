"""Make one value of spellings of a category that differ by case, blanks, marks or a typing error.

Phases: data_cleaning
Gives: train, test
"""

from __future__ import annotations

import difflib
import re

import numpy as np
import pandas as pd


def tidy_text_values(
    train: pd.DataFrame,
    test: pd.DataFrame | None = None,
    *,
    columns: list[str],
    similar: float = 0.9,
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Write each category as train writes it most often.

    "Red", "red " and "RED" are one. A rare spelling that is nearly another one, at least twenty
    times as frequent, is that one, unless they differ by a digit.

    Args:
        train: The rows to learn from.
        test: The rows to predict, if there are any.
        columns: Columns of categories as text.
        similar: How alike spellings are that are one, 0 to 1; above 1 leaves typing errors alone.
    Returns:
        Both tables, with tidy values in these columns.
    Raises:
        ValueError: A column is not there.
    Example:
        train, test = tidy_text_values(train, test, columns=["colour"])
    """
    left, right = train.copy(), None if test is None else test.copy()
    for name in columns:
        if name not in train.columns:
            raise ValueError(f"there is no column {name!r} in train")
        if pd.api.types.is_numeric_dtype(train[name]):
            continue
        spelt = _tidy_text_values_spelling(train[name], similar)
        left[name] = _tidy_text_values_column(train[name], spelt)
        if right is not None and name in right.columns:
            right[name] = _tidy_text_values_column(right[name], spelt)
    return left, right


def _tidy_text_values_plain(value: object) -> str:
    """What spellings of one value have in common."""
    return re.sub(r"[\s_\-]+", " ", str(value)).strip().casefold()


def _tidy_text_values_spelling(column: pd.Series, similar: float) -> dict[str, str]:
    """The spelling to use, by the plain form of a value."""
    counts: dict[str, dict[str, int]] = {}
    for value, count in column.dropna().map(str).value_counts().items():
        spellings = counts.setdefault(_tidy_text_values_plain(value), {})
        written = re.sub(r"\s+", " ", value).strip()
        spellings[written] = spellings.get(written, 0) + int(count)
    total = {plain: sum(each.values()) for plain, each in counts.items()}
    best = {plain: max(each, key=lambda one: each[one]) for plain, each in counts.items()}
    frequent = sorted(total, key=lambda plain: -total[plain])[:200]
    if len(total) <= 1000 and similar <= 1:
        for plain in total:
            wide = [each for each in frequent if total[each] >= 20 * total[plain]]
            near = difflib.get_close_matches(plain, wide, n=1, cutoff=similar)
            if near and len(plain) > 3 and _tidy_text_values_digits(plain, near[0]):
                best[plain] = best[near[0]]
    return best


def _tidy_text_values_digits(left: str, right: str) -> bool:
    return re.findall(r"\d", left) == re.findall(r"\d", right)


def _tidy_text_values_column(column: pd.Series, spelt: dict[str, str]) -> pd.Series:
    values = {}
    for each in column.dropna().unique():
        plain = _tidy_text_values_plain(each)
        values[each] = spelt.get(plain, re.sub(r"\s+", " ", str(each)).strip())
    return column.map(values).where(column.notna(), None).astype(object)


def test_spellings_of_train_are_used_in_test() -> None:
    train = pd.DataFrame({"a": ["Red", "Red", "red ", "blue", None]})
    found, test = tidy_text_values(train, pd.DataFrame({"a": ["RED", " Green "]}), columns=["a"])
    assert found["a"].tolist()[:4] == ["Red", "Red", "Red", "blue"]
    assert found["a"].isna().tolist()[-1]
    assert test is not None
    assert test["a"].tolist() == ["Red", "Green"]


def test_a_rare_typing_error_is_mended_and_a_digit_is_none() -> None:
    train = pd.DataFrame({"a": ["harbour"] * 40 + ["harbuor"] + ["model 1"] * 40 + ["model 2"]})
    found, _ = tidy_text_values(train, columns=["a"], similar=0.8)
    assert set(found["a"]) == {"harbour", "model 1", "model 2"}


def test_property_a_second_time_changes_nothing() -> None:
    generator = np.random.default_rng(4)
    for rows in (1, 10, 80):
        values = generator.choice(["Ab c", "ab  c", "AB_C", "d", " D", "e-f"], rows)
        once, _ = tidy_text_values(pd.DataFrame({"a": values}), columns=["a"])
        twice, _ = tidy_text_values(once, columns=["a"])
        assert once["a"].tolist() == twice["a"].tolist()
        assert once["a"].nunique() <= pd.Series(values).nunique()
