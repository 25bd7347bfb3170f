"""The English words of German names, values and questions, by a lexicon and its compounds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from flows.semantics.german import ENGLISH_TOO, WORDS
from flows.semantics.german_phrases import PHRASES

_PLAIN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
# Words, and the years that stand in names.
_RUN = re.compile(r"[^\W\d_]+|(?<!\d)\d{4}(?!\d)")
_UNIT = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")
_BORDER = re.compile(r"(?<=[a-zà-ÿ])(?=[A-ZÀ-Þ])")
# What may stand between the parts of a compound, and behind its last.
_LINKS = ("", "s", "n", "en", "es", "e", "nen", "er")
_ENDINGS = ("", "e", "n", "en", "s", "es", "er", "em", "nen", "ten", "te")
_SHORTEST = 3


def _plain(word: str) -> str:
    return word.casefold().translate(_PLAIN)


def _lexicon() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for line in WORDS.strip().splitlines():
        before, _, english = line.partition(":")
        for word in before.split():
            found.setdefault(_plain(word), tuple(english.strip().split("-")))
    return found


def _phrases() -> dict[tuple[str, ...], tuple[str, ...]]:
    found: dict[tuple[str, ...], tuple[str, ...]] = {}
    for line in PHRASES.strip().splitlines():
        before, _, english = line.partition("=")
        for phrase in before.split("|"):
            found[tuple(_plain(each) for each in phrase.split())] = tuple(english.split())
    return found


_WORDS, _PHRASES = _lexicon(), _phrases()
_LONGEST = max(len(each) for each in _PHRASES)
_ENGLISH_TOO = frozenset(ENGLISH_TOO.split())
_ENGLISH = frozenset(word for words in _WORDS.values() for word in words)


@lru_cache(maxsize=8192)
def english_of(word: str) -> tuple[str, ...]:
    """The English words of a German word, one for each part of a compound; none for a word that is
    not known, or that is the same in English."""
    found = _split(_plain(word), _ENDINGS) or ()
    return () if found == (word.casefold(),) else found


def _split(word: str, endings: tuple[str, ...]) -> tuple[str, ...] | None:
    """The parts of a word; the fewest and longest are taken."""
    for ending in endings:
        stem = word[: len(word) - len(ending)]
        if word.endswith(ending) and stem in _WORDS and (not ending or len(stem) > _SHORTEST):
            return _WORDS[stem]
    for size in range(len(word) - _SHORTEST, _SHORTEST, -1):
        if word[:size] not in _WORDS:
            continue
        for link in _LINKS:
            if word.startswith(link, size):
                rest = _split(word[size + len(link) :], endings)
                if rest is not None:
                    return (*_WORDS[word[:size]], *rest)
    return None


@lru_cache(maxsize=8192)
def english_name(name: str) -> tuple[str, ...]:
    """The English words of a name or a value: `Fällig am`, `Gesamtbetrag`; none where one of its
    words is not known, or where all of them are English words as well."""
    if not is_german(name):
        return ()
    plain = _UNIT.sub("", name) or name
    words = _RUN.findall(_BORDER.sub(" ", plain))
    made: list[str] = []
    changed = False
    for each in words:
        if each.isdecimal():
            made.append(each)
            continue
        if len(each) == 1:
            continue  # of a unit: `Verbrauch 2024 (m³)`
        phrase = _PHRASES.get((_plain(each),))
        english = english_of(each)
        if not english and phrase is not None and len(words) > 1:
            made += () if phrase == ("the",) else phrase
        elif english or _plain(each) in _WORDS:
            made += english or (each.casefold(),)
            changed = changed or bool(english)
        else:
            return ()
    return tuple(made) if changed else ()


def is_german(name: str) -> bool:
    """Whether a name has a word that is German and not English as well."""
    return any(
        english_of(each) and not _is_english(each.casefold())
        for each in _RUN.findall(_BORDER.sub(" ", name))
    )


def means_both(word: str) -> bool:
    """Whether a German word is an English one as well, which names and values may use."""
    return word in _ENGLISH_TOO or word.removesuffix("s") in _ENGLISH_TOO


def _is_english(word: str) -> bool:
    return means_both(word) or word in _ENGLISH


def phrase_at(words: Sequence[str], at: int) -> tuple[tuple[str, ...], int] | None:
    """The English words of the longest German phrase or word at a place, and the place behind it;
    None where no German word stands."""
    for end in range(min(at + _LONGEST, len(words)), at, -1):
        key = tuple(_plain(each) for each in words[at:end])
        for ending in _ENDINGS if len(key[-1]) > _SHORTEST + 1 else ("",):
            if key[-1].endswith(ending):
                last = key[-1][: len(key[-1]) - len(ending)]
                if (*key[:-1], last) in _PHRASES:
                    return _PHRASES[(*key[:-1], last)], end
    english = english_of(words[at])
    return (english, at + 1) if english else None
