"""How much doubt a word leaves that no rule took: a verb little, a noun or adjective much."""

from __future__ import annotations

import re
from collections.abc import Sequence

from flows.analysis.language.lexicon import FUNCTION_WORDS, WEAK_NOUNS, WEAK_VERBS
from flows.analysis.language.verbs import is_verb
from flows.analysis.language.vocabulary import PEOPLE, UNITS
from flows.analysis.reading.generic_nouns import is_plural_noun

TAKEN = "_"
# The doubt of a plural noun that is taken for the rows.
THINGS = 0.4

# What follows a verb that only ties a thing to its place or time.
_LINKING = frozenset(
    ["by", "in", "from", "as", "at", "of", "to", "with", "for", "on", "the", "a", "it", "_"]
)
# What stands before the month of May, and never before the verb.
_BEFORE_MONTH = frozenset(
    (
        *("in", "of", "since", "until", "till", "during", "before", "after", "from", "through"),
        *("last", "next", "every", "by", "early", "late", "mid"),
    )
)
_BEFORE_VERB = frozenset(
    (
        *("who", "that", "which", "can", "could", "may", "might", "will", "would", "to"),
        *("not", "do", "does", "did", "they", "it", "he", "she", "we", "you"),
    )
)
_BEFORE_THING = frozenset(["of", "for", "all", "the", "many", "each", "every", "how"])
_AFTER_THING = frozenset(
    (
        *("who", "that", "which", "whose", "with", "in", "from", "at", "on", "by", "have"),
        *("has", "had", "is", "are", "was", "were", "do", "does", "did", "there", "for"),
        *("_", ".", "?", ","),
    )
)


def weight_of(words: Sequence[str], place: int, named: bool) -> float:
    """The doubt that the word at a place of a line leaves; 0.0 for one without content.

    `named` says that another word is known to stand for the rows.
    """
    word = words[place]
    before = words[place - 1] if place else ""
    if word == "may" and before in ("in", "of", "during", "since", "until"):
        return 1.0  # the month
    after = words[place + 1] if place + 1 < len(words) else "."
    if word == "may" and before in _BEFORE_MONTH:
        return 1.0  # the month, which no rule took
    if (
        word == TAKEN
        or re.fullmatch(r"F\d+", word)
        or word in FUNCTION_WORDS
        or not word[0].isalnum()
    ):
        return 0.0
    if word in ("everybody", "everyone", "anybody", "anyone", "somebody", "someone"):
        return 0.1
    if word in UNITS or before in ("this", "our"):
        return 0.15
    if _tells_when(word, before) or _is_predicate(words, place):
        return 1.0
    if word in WEAK_VERBS or word in WEAK_NOUNS:
        return 0.25
    if is_verb(word):
        return 0.3
    ends = after in _LINKING or not after[0].isalnum()
    if word.endswith(("ed", "ing")) and (ends or (_is_slot(after) and _is_slot(before))):
        return 0.35
    if before in _BEFORE_VERB and (ends or _is_slot(after)):
        return 0.35
    if not named and before in ("each", "every") and _is_slot(after):
        return 0.4
    if not named and before in _BEFORE_THING and after in _AFTER_THING and is_plural_noun(word):
        return 1.0 if word in PEOPLE else THINGS
    return 1.0


_BE = frozenset(["is", "are", "was", "were", "been", "being", "get", "got"])
_PERIODS = frozenset(["year", "month", "week", "quarter", "decade", "day"])


def _tells_when(word: str, before: str) -> bool:
    """`last year`, `yesterday`: a time that no rule can tell."""
    if word in ("yesterday", "today", "tomorrow", "ago", "lately"):
        return True
    return word in _PERIODS and before in ("last", "this", "next", "current", "previous", "past")


def _is_predicate(words: Sequence[str], place: int) -> bool:
    """`how many orders were cancelled`: a condition, where nothing behind it is tied to."""
    word, before = words[place], words[place - 1] if place else ""
    if before not in _BE or not (is_verb(word) or word.endswith("ed")) or word in _BE:
        return False
    behind = [each for each in words[place + 1 :] if each[0].isalnum() or each == TAKEN]
    return not behind and not any(_is_slot(each) and each[0] == "C" for each in words[:place])


def _is_slot(word: str) -> bool:
    return bool(re.fullmatch(r"[A-Z]\d+", word))
