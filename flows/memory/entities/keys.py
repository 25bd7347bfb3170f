"""Keys that are spelt almost alike: which one was probably meant."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from typing import Final

from flows.core.entity_store import EntityKey

# Of a longer key, or of more letters, too many spellings differ by one edit.
LONGEST_EDITED: Final = 40
MOST_LETTERS: Final = 60
SHORTEST_BEGINNING: Final = 3
MOST_MEANT: Final = 3


def fold(key: str) -> str:
    """The key without case and without blanks around it: two keys with the same are one."""
    return unicodedata.normalize("NFKC", key).casefold().strip()


def normal_form(key: str) -> str:
    """The letters and digits of a key, folded: `KT-2011` and `kt 2011` have the same."""
    folded = fold(key)
    return "".join(each for each in folded if each.isalnum()) or folded


def edits(form: str, letters: str) -> Iterator[str]:
    """Every text that differs from a normal form by one letter: left out, wrong, in excess, or
    swapped with the next. `letters` are those that keys are made of."""
    if len(form) > LONGEST_EDITED:
        return
    letters = letters[:MOST_LETTERS]
    for at in range(len(form) + 1):
        before, after = form[:at], form[at:]
        for letter in letters:
            yield before + letter + after
            if after:
                yield before + letter + after[1:]
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]
        if after and len(form) > 1:
            yield before + after[1:]


def beginnings(form: str) -> list[str]:
    """The beginnings of a normal form, without it, the longest first."""
    return [form[:end] for end in range(len(form) - 1, SHORTEST_BEGINNING - 1, -1)]


def nearest_keys(asked: str, candidates: Iterable[EntityKey]) -> tuple[EntityKey, ...]:
    """The candidates that are spelt most like the key that was asked for, the nearest first."""
    wanted, form = fold(asked), normal_form(asked)

    def likeness(each: EntityKey) -> tuple[bool, float, float, str, str]:
        same_form = normal_form(each.key) == form
        ratio = SequenceMatcher(None, wanted, fold(each.key)).ratio()
        return (not same_form, -ratio, abs(len(each.key) - len(asked)), each.key, each.type)

    return tuple(sorted(set(candidates), key=likeness)[:MOST_MEANT])
