"""One table says what the phrases of questions mean, for the parser and for rules alike."""

from __future__ import annotations

import re

import pytest

from flows.analysis.language import phrasebook
from flows.analysis.language.phrasebook import COMPARISONS, Phrases, words_of


@pytest.mark.parametrize(
    ("phrase", "meaning"),
    [
        ("more than", ">"), ("No more than", "<="), ("a minimum of", ">="), ("fewer than", "<"),
        ("on or before", "<="), ("not", "!="), ("more", None), ("more than ever", None),
    ],
)  # fmt: skip
def test_a_phrase_means_one_thing(phrase: str, meaning: str | None) -> None:
    assert COMPARISONS.read(phrase) == meaning


def test_the_longest_phrase_is_read() -> None:
    words = words_of("is not more than 5")
    assert COMPARISONS.match(words, 1) == ("<=", 4)


def test_a_rule_takes_its_pattern_from_the_table() -> None:
    pattern = re.compile(rf"(?:{COMPARISONS.pattern('<=', '<')}) (\d+)")
    found = pattern.search("orders with at most 12 items")
    assert found is not None
    assert found.group(1) == "12"
    assert not pattern.search("orders with more than 12 items")


TABLES = {name: each for name, each in vars(phrasebook).items() if isinstance(each, Phrases)}


@pytest.mark.parametrize("name", TABLES)
def test_no_phrase_of_a_table_means_two_things(name: str) -> None:
    phrases = list(TABLES[name].phrases())
    assert len(phrases) == len(set(phrases))
