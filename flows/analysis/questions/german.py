"""German questions: their words as the English ones that mean the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from flows.analysis.language.lexicon import FUNCTION_WORDS
from flows.analysis.language.words import Token, tokenize
from flows.semantics.translation import is_german, means_both, phrase_at

# A number with points between thousands, and with a comma before decimals.
_WRITTEN = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d+,\d{1,2}")


def in_english(tokens: Sequence[Token], is_own: Callable[[str], bool]) -> Sequence[Token]:
    """The tokens of a German question, which keep their text and mean the English words; those of
    any other question as they are. `is_own` tells words that the data themselves use."""
    lowers = [each.lower for each in tokens]
    german = sum(_speaks_german(lowers, at) for at in range(len(lowers)))
    english = sum(each in FUNCTION_WORDS and each not in _BOTH for each in lowers)
    return tuple(_translated(tokens, lowers, is_own)) if german > english else tokens


# Words that stand in questions of both languages.
_BOTH = frozenset(["in", "an", "am", "was", "die", "war", "so", "also", "all", "hat", "her", "him"])


def english_text(question: str, is_own: Callable[[str], bool]) -> str:
    """A German question in English words; empty for any other."""
    tokens = tokenize(question)
    made = in_english(tokens, is_own)
    if made is tokens:
        return ""
    return " ".join(each.lower if each.lower != old else each.text
                    for each in made for old in [each.text.lower()])  # fmt: skip


# What stands before the ends of a range of numbers or years.
_ENDS = {"von": "from", "auf": "to", "bis": "to"}


def _number(token: Token) -> Token:
    """A number as Germans write it: 1.000 is a thousand."""
    if not _WRITTEN.fullmatch(token.text):
        return token
    value = float(token.text.replace(".", "").replace(",", "."))
    value = int(value) if value.is_integer() else value
    return replace(token, kind="number", lower=f"{value:g}", value=value)


def _speaks_german(lowers: Sequence[str], at: int) -> bool:
    word = lowers[at]
    if not word.isalpha() or word in FUNCTION_WORDS:
        return False
    return is_german(word) or phrase_at(lowers[at : at + 1], 0) is not None


def _translated(
    tokens: Sequence[Token], lowers: Sequence[str], is_own: Callable[[str], bool]
) -> Iterator[Token]:
    at = 0
    while at < len(tokens):
        token = tokens[at]
        found = phrase_at(lowers, at) if token.kind == "word" else None
        behind = tokens[at + 1].kind if at + 1 < len(tokens) else ""
        if token.lower in _ENDS and behind == "number":
            found = (_ENDS[token.lower],), at + 1
        if found is None or (means_both(token.lower) and is_own(token.lower)):
            yield _number(token)
            at += 1
            continue
        words, end = found
        whole = replace(tokens[at], end=tokens[end - 1].end)
        for each in words:
            if each.isdigit():
                yield replace(whole, kind="number", lower=each, value=int(each))
            else:
                yield replace(whole, lower=each)
        at = end
