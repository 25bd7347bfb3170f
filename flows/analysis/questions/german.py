"""German questions: their words as the English ones that mean the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from flows.analysis.language.lexicon import FUNCTION_WORDS
from flows.analysis.language.words import Token
from flows.semantics.translation import is_german, phrase_at


def in_english(tokens: Sequence[Token]) -> Sequence[Token]:
    """The tokens of a German question, which keep their text and mean the English words; those of
    any other question as they are."""
    lowers = [each.lower for each in tokens]
    german = sum(_speaks_german(lowers, at) for at in range(len(lowers)))
    english = sum(each in FUNCTION_WORDS and each not in _BOTH for each in lowers)
    return tuple(_translated(tokens, lowers)) if german > english else tokens


# Words that stand in questions of both languages.
_BOTH = frozenset(["in", "an", "am", "was", "die", "war", "so", "also", "all", "hat", "her", "him"])


def _speaks_german(lowers: Sequence[str], at: int) -> bool:
    word = lowers[at]
    if not word.isalpha() or word in FUNCTION_WORDS:
        return False
    return is_german(word) or phrase_at(lowers[at : at + 1], 0) is not None


def _translated(tokens: Sequence[Token], lowers: Sequence[str]) -> Iterator[Token]:
    at = 0
    while at < len(tokens):
        found = phrase_at(lowers, at) if tokens[at].kind == "word" else None
        if found is None:
            yield tokens[at]
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
