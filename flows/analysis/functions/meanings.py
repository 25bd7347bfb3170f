"""Other words for a word of a question, in the text of a function or the keys of a result."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from flows.analysis.functions.hints import unit_words
from flows.analysis.functions.terms import related, term
from flows.analysis.language.verbs import is_verb
from flows.analysis.language.vocabulary import MEASURING, SYNONYMS
from flows.analysis.language.words import singular
from flows.analysis.questions.concepts import meanings_of, meanings_of_verb, scale_of

SAME: Final = 1.0
KIN: Final = 0.9
MEANT: Final = 0.6
_DEVICES: Final = ("meter",)  # a spelling of a unit that is a thing as well


@lru_cache(maxsize=16_384)
def meanings(word: str) -> frozenset[str]:
    """The terms of other words for a word of a question, without its own."""
    low = singular(word.casefold())
    others = [
        *meanings_of(low), *meanings_of_verb(low), *MEASURING.get(low, ()), *SYNONYMS.get(low, ()),
        *(name for name, _ in scale_of(word.casefold())),
        *(each for each in unit_words(low) if each not in _DEVICES),
    ]  # fmt: skip
    return frozenset(map(term, others)) - {term(low)}


def likeness(word: str, other: str) -> float:
    """From 0 to 1: how surely a word of a question means a term of a text."""
    mine = term(word)
    if mine == other:
        return SAME
    if related(mine, other) or (other in (f"{mine}er", f"{mine}r") and is_verb(mine)):
        return KIN  # the owner is who owns
    return MEANT if other in meanings(word) else 0.0
