"""Numbers in words: their value, and what their last word counts in."""

from __future__ import annotations

import pytest

from flows.data.answers.number_words import find_spelled


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("two hundred and ten pieces", [("two hundred and ten", 210, 1)]),
        ("three hundred fifty", [("three hundred fifty", 350, 1)]),
        ("one thousand two hundred", [("one thousand two hundred", 1200, 100)]),
        ("two thousand and five", [("two thousand and five", 2005, 1)]),
        ("three hundred and fifty thousand", [("three hundred and fifty thousand", 350_000, 1000)]),
        ("eight and a half per cent", [("eight and a half", 8.5, 0.5)]),
        ("two and a half million", [("two and a half million", 2_500_000, 500_000)]),
        ("twenty-five and a dozen", [("twenty-five", 25, 1), ("a dozen", 12, 12)]),
        ("two million", [("two million", 2_000_000, 1_000_000)]),
        # Two numbers, and none.
        ("one hundred and two hundred", [("one hundred", 100, 100), ("two hundred", 200, 100)]),
        ("one of them is a seven-day week", []),
    ],
)  # fmt: skip
def test_numbers_in_words(text: str, expected: list[tuple[str, float, float]]) -> None:
    found = [(e.text, e.readings[0].value, e.readings[0].step) for e in find_spelled(text)]
    assert found == expected
