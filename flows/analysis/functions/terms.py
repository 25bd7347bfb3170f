"""Text to the roots of the words that carry its meaning."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from flows.analysis.language.lexicon import FUNCTION_WORDS
from flows.analysis.language.verbs import PRESENT
from flows.analysis.language.vocabulary import SHORT_FORMS
from flows.analysis.language.words import root, singular, split_identifier

_SHORT: Final = re.compile(r"([a-z]*[aeiou][a-z]*[^e])(?:ed|ing|es?)")
_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019][a-z]+)?")
# Words of a question that ask and say nothing of what is asked for, beside the function words.


def word_set(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


_ASKING: Final = word_set("""
    please could would need look lookup check know tell want wondering curious help right whats
    got i'm i'd i'll let's there's it's don't doesn't didn't isn't that's what's who's ask
    asking question answer quick quickly today now
""")
# Words that are of another family than their root: a customer is not custom.
_WHOLE: Final = word_set("customer number letter matter paper weather computer counter")
_FAMILY: Final = 8  # letters
_KEPT: Final = word_set("record report include including under over value")


@lru_cache(maxsize=16_384)
def term(word: str) -> str:
    """The root of a word, its short form written out: `qty` and `quantities` give one term."""
    word = singular(word.casefold().replace("\u2019", "'").removesuffix("'s"))
    word = SHORT_FORMS.get(word, word)
    word = PRESENT.get(word, word)
    if word in _WHOLE:
        return word
    if match := _SHORT.fullmatch(word):  # hired and hiring: the roots of short verbs
        return match[1]
    return root(word)


def term_set(text: str) -> frozenset[str]:
    """The terms of the words of a text as a set."""
    return frozenset(term(each) for each in text.split())


@lru_cache(maxsize=16_384)
def identifier_terms(name: str) -> tuple[str, ...]:
    """The terms of a name such as `getOrder_status`, in order."""
    return tuple(term(each) for each in split_identifier(name))


@lru_cache(maxsize=4096)
def terms(text: str) -> tuple[str, ...]:
    """The terms of a text in order, without the words that carry no content of their own."""
    found: list[str] = []
    for word in _WORD.findall(text):
        low = word.casefold().replace("\u2019", "'")
        if is_content(low):
            found.extend(identifier_terms(word) if not word.islower() else (term(low),))
    return tuple(found)


def is_content(low: str) -> bool:
    """Whether a folded word means something by itself."""
    return low in _KEPT or (
        low not in FUNCTION_WORDS and low not in _ASKING and (len(low) > 1 or low.isdigit())
    )


def related(one: str, other: str) -> bool:
    """Whether two terms are of one family: the same root, one the beginning of the other, or a long
    beginning that both share, as of `anaesthesia` and `anaesthetic`."""
    if one == other:
        return True
    if one[:_FAMILY] == other[:_FAMILY] and min(len(one), len(other)) > _FAMILY:
        return True
    short, long = sorted((one, other), key=len)
    if long in _WHOLE:
        return False
    return len(short) >= 4 and len(long) - len(short) <= 3 and long.startswith(short)
