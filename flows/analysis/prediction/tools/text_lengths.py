"""Add how long texts are, and how much of them is capitals, digits and marks.

Phases: feature_engineering
Gives: train, test
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd


def text_lengths(
    train: pd.DataFrame, test: pd.DataFrame | None = None, *, columns: list[str]
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Add NAME_characters, _words, _capitals, _digits, _marks (shares, 0 to 1) and _word_length.

    Args:
        train: The rows to learn from.
        test: The rows to predict, if there are any.
        columns: Columns of text.
    Returns:
        Both tables; those that are the same in all rows of train are not added. A missing text is
        one without a character.
    Raises:
        ValueError: A column is not there.
    Example:
        train, test = text_lengths(train, test, columns=["review"])
    """
    left, right = train, test
    for name in columns:
        if name not in train.columns:
            raise ValueError(f"there is no column {name!r} in train")
        found = _text_lengths_measured(train[name], name)
        chosen = [each for each in found if found[each].nunique() > 1 and each not in train.columns]
        left = pd.concat([left, found[chosen]], axis=1)
        if right is not None and test is not None:
            right = pd.concat([right, _text_lengths_measured(test[name], name)[chosen]], axis=1)
    return left, right


def _text_lengths_measured(column: pd.Series, name: str) -> pd.DataFrame:
    texts = ["" if pd.isna(each) else str(each) for each in column]
    rows = []
    for text in texts:
        size, words = max(1, len(text)), text.split()
        rows.append(
            (
                len(text),
                len(words),
                sum(each.isupper() for each in text) / size,
                sum(each.isdigit() for each in text) / size,
                len(re.findall(r"[^\w\s]", text)) / size,
                sum(map(len, words)) / max(1, len(words)),
            )
        )
    labels = ("characters", "words", "capitals", "digits", "marks", "word_length")
    named = [f"{name}_{each}" for each in labels]
    return pd.DataFrame(rows, columns=named, index=column.index).astype("float64")


def test_what_is_counted() -> None:
    train = pd.DataFrame({"a": ["Ab 12!", None, "abc"]})
    found, test = text_lengths(train, train.iloc[:1], columns=["a"])
    assert found["a_characters"].tolist() == [6.0, 0.0, 3.0]
    assert found["a_words"].tolist() == [2.0, 0.0, 1.0]
    assert found["a_digits"].iloc[0] == 2 / 6
    assert test is not None
    assert list(test.columns) == list(found.columns)


def test_property_shares_lie_between_nought_and_one() -> None:
    generator = np.random.default_rng(27)
    letters = list("aB9 !é\n")
    for size in (1, 5, 30):
        texts = ["".join(generator.choice(letters, size)) for _ in range(20)]
        found, _ = text_lengths(pd.DataFrame({"a": texts}), columns=["a"])
        shares = found[[each for each in found if each.endswith(("capitals", "digits", "marks"))]]
        assert ((shares >= 0) & (shares <= 1)).all().all()
