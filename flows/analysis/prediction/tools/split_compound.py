"""Split values that are made of parts, such as "B/12/S", "AB-1034" or "Name, Title. First".

Phases: feature_engineering
Gives: train, test
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd


def split_compound(
    train: pd.DataFrame,
    test: pd.DataFrame | None = None,
    *,
    columns: list[str],
    keep: list[str] | None = None,
    most_parts: int = 6,
    most_share: float = 0.2,
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Put the parts of the values in their place: NAME_part_1, NAME_part_2, and so on.

    Values are split at the marks that most of train has, and where letters and digits meet. A part
    that is a number in nearly all rows becomes one; a part of words stays where its values repeat.
    Also added is NAME_parts, how many parts a value has.

    Args:
        train: The rows to learn from; the marks are theirs.
        test: The rows to predict, if there are any.
        columns: Columns of text.
        keep: Those of them that stay besides their parts.
        most_parts: How many parts of a value are looked at.
        most_share: A part of words may have at most this many values, as a share of the rows.
    Returns:
        Both tables. The word "missing" is a missing value, and its parts are missing.
    Raises:
        ValueError: A column is not there, or its values have one part.
    Example:
        train, test = split_compound(train, test, columns=["cabin"])
    """
    left, right = train, test
    for name in columns:
        if name not in train.columns:
            raise ValueError(f"there is no column {name!r} in train")
        known = train[name].dropna().map(str)
        known = known[known != "missing"]
        form = _split_compound_form(known)
        parts = _split_compound_parts(train[name], form, most_parts)
        kinds = _split_compound_kinds(parts, most_share)
        if not kinds or max(map(len, parts), default=0) < 2:
            raise ValueError(f"the values of {name!r} are not made of parts")
        left = _split_compound_added(left, name, parts, kinds, name in (keep or []))
        if right is not None and test is not None:
            others = _split_compound_parts(test[name], form, most_parts)
            right = _split_compound_added(right, name, others, kinds, name in (keep or []))
    return left, right


def _split_compound_form(known: pd.Series) -> str:
    """The pattern of what stands between two parts."""
    least = 0.5 * len(known)
    marks = [each for each in "/,.;:|_-#" if known.str.contains(each, regex=False).sum() > least]
    if not marks and known.str.strip().str.contains(" ", regex=False).sum() > least:
        marks = [" "]
    between = f"[{re.escape(''.join(marks))}]+" if marks else ""
    meeting = r"(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])"
    return f"{between}|{meeting}" if between else meeting


def _split_compound_parts(column: pd.Series, form: str, most: int) -> list[list[str]]:
    found = []
    for value in column:
        text = "" if pd.isna(value) or value == "missing" else str(value)
        parts = [part.strip() for part in re.split(form, text)]
        found.append([part for part in parts if part][:most])
    return found


def _split_compound_kinds(parts: list[list[str]], most_share: float) -> dict[int, str]:
    """Which parts are of use, and whether each is a number or a word."""
    kinds = {}
    count = sum(1 for each in parts if each)
    for at in range(max(map(len, parts), default=0)):
        values = [each[at] for each in parts if len(each) > at]
        numbers = [each for each in values if re.fullmatch(r"\d{1,15}(?:\.\d+)?", each)]
        distinct = len(set(values))
        if len(values) < 0.05 * count or distinct < 2:
            continue
        if len(numbers) >= 0.95 * len(values):
            kinds[at] = "number"
        elif distinct <= max(2, most_share * len(values)):
            kinds[at] = "word"
    return kinds


def _split_compound_added(
    table: pd.DataFrame, name: str, parts: list[list[str]], kinds: dict[int, str], kept: bool
) -> pd.DataFrame:
    found: dict[str, pd.Series] = {}
    for at, kind in kinds.items():
        values = pd.Series([each[at] if len(each) > at else None for each in parts], dtype=object)
        values.index = table.index
        numbers = kind == "number"
        told = pd.to_numeric(values, errors="coerce").astype("float64") if numbers else values
        found[f"{name}_part_{at + 1}"] = told if numbers else told.fillna("missing")
    counts = pd.Series([float(len(each)) for each in parts], index=table.index)
    found[f"{name}_parts"] = counts
    rest = table if kept else table.drop(columns=[name])
    return pd.concat([rest, pd.DataFrame(found, index=table.index)], axis=1)


def test_codes_with_marks() -> None:
    train = pd.DataFrame({"a": ["B/12/S", "C/7/P", "B/300/S", None] * 5})
    found, test = split_compound(train, pd.DataFrame({"a": ["C/9/Q", "odd"]}), columns=["a"])
    assert found["a_part_1"].tolist()[:4] == ["B", "C", "B", "missing"]
    assert found["a_part_2"].tolist()[:3] == [12.0, 7.0, 300.0]
    assert "a" not in found
    assert test is not None
    assert test["a_part_3"].tolist() == ["Q", "missing"]
    assert test["a_part_2"].isna().tolist() == [False, True]


def test_letters_before_digits_and_titles_in_names() -> None:
    found, _ = split_compound(pd.DataFrame({"a": ["B12", "C7", "B300", "C8"] * 3}), columns=["a"])
    assert found["a_part_2"].tolist()[:3] == [12.0, 7.0, 300.0]
    names = [f"Family{chr(65 + each)}, {'Mr' if each % 2 else 'Mrs'}. First" for each in range(20)]
    found, _ = split_compound(pd.DataFrame({"a": names}), columns=["a"])
    assert set(found["a_part_2"]) == {"Mr", "Mrs"}
    assert "a_part_1" not in found


def test_one_part_is_refused() -> None:
    message = ""
    try:
        split_compound(pd.DataFrame({"a": ["red", "blue"]}), columns=["a"])
    except ValueError as error:
        message = str(error)
    assert "'a'" in message


def test_property_what_was_joined_is_found_again() -> None:
    generator = np.random.default_rng(29)
    for mark in ("/", "-", "_", " "):
        words, numbers = generator.choice(["AB", "CD"], 40), generator.integers(0, 900, 40)
        values = [f"{word}{mark}{each}" for word, each in zip(words, numbers, strict=True)]
        found, _ = split_compound(pd.DataFrame({"a": values}), columns=["a"])
        assert found["a_part_1"].tolist() == words.tolist()
        assert found["a_part_2"].tolist() == numbers.tolist()
