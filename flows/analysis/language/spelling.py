"""Words of questions, not of data, that were written with one letter wrong: mininum, oder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from flows.analysis.language.lexicon import FUNCTION_WORDS, OPERATION_WORDS
from flows.analysis.language.verbs import is_verb
from flows.analysis.language.words import Token, near, singular

# Words that say what is done with data; each is long enough to be known by most of its letters.
_KNOWN = (
    *("minimum", "maximum", "average", "number", "highest", "lowest", "smallest", "largest"),
    *("greatest", "different", "distinct", "between", "ascending", "descending", "increasing"),
    *("decreasing", "alphabetical", "sorted", "ordered", "order", "common", "popular", "contain"),
    *("contains", "starting", "total", "count", "oldest", "youngest", "longest"),
    *("shortest", "which", "where"),
)
_SWAPPED = {"teh": "the", "hte": "the", "waht": "what", "wich": "which",
            "whcih": "which", "fo": "of", "adn": "and", "nad": "and", "thier": "their"}  # fmt: skip
_SHORTEST = 5


def is_common(word: str) -> bool:
    """Whether a word has a use of its own in questions, however near it is to another."""
    one = singular(word)
    usual = FUNCTION_WORDS | OPERATION_WORDS
    return word in usual or one in usual or one in _KNOWN or is_verb(word)


def corrected(tokens: Sequence[Token], is_known: Callable[[str], bool]) -> tuple[Token, ...]:
    """The tokens, where a word that nothing knows is one letter from an operation's name."""
    return tuple(_corrected(token, is_known) for token in tokens)


def _corrected(token: Token, is_known: Callable[[str], bool]) -> Token:
    word = token.lower
    if token.kind != "word" or is_known(word):
        return token
    if word in _SWAPPED:
        return replace(token, lower=_SWAPPED[word])
    if len(word) < _SHORTEST - 1 or token.capitalised:
        return token
    meant = [each for each in _KNOWN if len(each) >= _SHORTEST and near(word, each)]
    return replace(token, lower=meant[0]) if len(meant) == 1 and word != meant[0] else token
