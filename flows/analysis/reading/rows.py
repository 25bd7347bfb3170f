"""Rows that a question calls by a name that the table does not have: `students` of a class list."""

from __future__ import annotations

import re
from collections.abc import Mapping

from flows.analysis.language.lexicon import FUNCTION_WORDS, OPERATION_WORDS, WEAK_VERBS
from flows.analysis.language.words import singular
from flows.analysis.linking.links import Link

# What stands before the name of things that are counted, listed or ranked.
_BEFORE = re.compile(
    r"(?:how many|(?:number|count|amount)s? of|(?:most|fewest|least|any|than N\d+|N\d+ or more|"
    r"N\d+|list of|names? of))"
    r"(?: (?:different|distinct|unique|all|the|other|corresponding))*$"
)
# The doubt that stays when rows are called by a word that nothing in the data explains.
DOUBT = 0.3
_UNLIKE = frozenset(["times", "ones", "others", "numbers", "kinds", "types", "ways", "as", "this"])
_AFTER = re.compile(r"(?!of(?!\S)|C\d)")


def called_rows(line: str, slots: Mapping[str, Link]) -> str | None:
    """The plural noun of a line that names its rows; None where something does already."""
    if any(slot[0] == "T" for slot in slots):
        return None
    words = line.split()
    for place, word in enumerate(words):
        if not _is_noun(word):
            continue
        before = " ".join(words[max(0, place - 5) : place])
        after = " ".join(words[place + 1 : place + 2])
        if _BEFORE.search(before) and _AFTER.match(after):
            return word
    return None


def _is_noun(word: str) -> bool:
    if not word.isalpha() or not word.islower() or len(word) < 4 or word in _UNLIKE:
        return False
    plural = singular(word) != word
    return plural and word not in FUNCTION_WORDS | OPERATION_WORDS | WEAK_VERBS
