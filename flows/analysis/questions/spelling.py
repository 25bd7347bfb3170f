"""Words that are written wrong or short, and the words that are meant."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final

from flows.analysis.language.spelling import is_common
from flows.analysis.language.vocabulary import OTHER_NAMES, PEOPLE
from flows.analysis.language.words import Token, near, root, singular
from flows.analysis.questions.concepts import (
    KNOWN_WORDS,
    PHRASE_WORDS,
    SAID,
    meanings_of,
    meanings_of_verb,
    scale_of,
)
from flows.analysis.questions.vocabulary import Vocabulary

TYPO: Final = 0.12
_SHORTEST: Final = 5
# Words that questions are made of, which nobody means to misspell.
_ASKING = ("much", "many", "which", "what", "when", "where", "with", "from", "have", "most",
           "least", "total", "average", "between", "month", "year", "each")  # fmt: skip
_DENYING = frozenset(
    ["often", "frequently", "never", "nobody", "nothing", "without", "none", "twice"]
)


def correct(token: Token, vocabulary: Vocabulary) -> tuple[str, float] | None:
    """The word that is meant by one that nothing knows, with what it costs to believe it; None for
    a word that is known, or that is near to several."""
    word = token.lower
    if token.kind != "word" or len(word) < 3 or _is_known(word, vocabulary):
        return None
    if (asking := _only([each for each in _ASKING if _is_mistyped(word, each)])) is not None:
        return asking
    own = vocabulary.own_words
    if len(word) < _SHORTEST:
        short = [each for each in own if _shortens(word, each)]
        lacking = [each for each in own if len(each) >= _SHORTEST and _is_mistyped(word, each)]
        return _only(short or lacking)
    for alike in (near, _is_near):
        for words in (own, KNOWN_WORDS):
            close = [
                each
                for each in words
                if len(each) >= _SHORTEST
                and (alike(word, each) or alike(singular(word), each))
                and not _inflects(word, each)
            ]
            if any(_stem(word) == _stem(each) for each in close):
                return None  # `borrowed` is no `borrower` that was written wrong
            if close:
                return _only(close)
    return None


def _stem(word: str) -> str:
    return word[:-2] if word.endswith(("ed", "er")) else word


def _only(found: Sequence[str]) -> tuple[str, float] | None:
    return (found[0], TYPO) if len({root(each) for each in found}) == 1 else None


def _is_known(word: str, vocabulary: Vocabulary) -> bool:
    one = singular(word)
    language = (
        is_common(word) or word in _DENYING or {word, one} & (PHRASE_WORDS | SAID)
        or scale_of(word)
        or meanings_of_verb(word) or meanings_of(word) or word in PEOPLE or word in OTHER_NAMES
    )  # fmt: skip
    return bool(language or vocabulary.knows(word) or vocabulary.knows(one))


def _is_near(one: str, other: str) -> bool:
    """Whether two long words that begin alike differ in two letters at most."""
    if abs(len(one) - len(other)) > 2 or one[:2] != other[:2] or len(other) < 7:
        return False
    return SequenceMatcher(None, one, other, autojunk=False).ratio() > 0.82


def _inflects(word: str, other: str) -> bool:
    """Whether a word is rather another form of one: `borrowed`, which is no borrower."""
    stems = [word.removesuffix(end) for end in ("ed", "ing", "er", "ly") if word.endswith(end)]
    return any(len(stem) > 3 and other.startswith(stem) for stem in stems)


def _is_mistyped(word: str, meant: str) -> bool:
    """Whether a word has all letters of another one in a wrong order, or all but one."""
    if word[0] != meant[0]:
        return False
    if len(word) == len(meant):
        apart = [pair for pair in zip(word, meant, strict=True) if pair[0] != pair[1]]
        vowel = len(apart) == 1 and set(apart[0]) <= set("aeiou")
        return vowel or (len(apart) > 1 and sorted(word) == sorted(meant))
    missing = len(word) + 1 == len(meant)
    return missing and any(meant[:n] + meant[n + 1 :] == word for n in range(1, len(meant)))


def _shortens(word: str, whole: str) -> bool:
    """Whether a word is another one without most of its vowels: `mkt` for `marketing`."""
    if (
        word[0] != whole[0]
        or len(whole) < len(word) + 3
        or any(each in "aeiou" for each in word[1:])
    ):
        return False
    rest = iter(whole[1:])
    return all(letter in rest for letter in word[1:])
