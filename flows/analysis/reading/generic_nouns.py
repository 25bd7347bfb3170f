"""Nouns that name nothing in the data and yet may stand for its rows: `the most people`."""

from __future__ import annotations

from flows.analysis.language.lexicon import FUNCTION_WORDS, OPERATION_WORDS, WEAK_VERBS
from flows.analysis.language.vocabulary import UNITS
from flows.analysis.language.words import singular

# What such a noun looks like in a line.
THING = r"[a-z]{3,}s|people|children|men|women|person"


def is_plural_noun(word: str) -> bool:
    """Whether a word is a noun in the plural, as far as its form tells."""
    if word in FUNCTION_WORDS or word in OPERATION_WORDS or word in WEAK_VERBS:
        return False
    one = singular(word)
    return one != word and one not in UNITS and one not in _SPANS


_SPANS = frozenset(
    ["year", "month", "day", "week", "hour", "time", "kind", "type", "group", "category", "way"]
)
