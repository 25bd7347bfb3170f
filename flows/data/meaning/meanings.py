"""What a word stands for in the data, said inside a question: where 'OMEGA' is a brand."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_ENTITY = r"(?P<entity>[^\W\d_](?:[\w \-]{0,60}?\w)?)"
_CLAUSE = re.compile(
    rf"(?<!\w)'(?P<value>(?:[^'\n]|(?<=\w)'(?=\w)){{1,200}})' is an? {_ENTITY}"
    r"(?=\s+and\s+'|\s*(?:[.?!,;:)\]\uff1f\u3002\uff01]|\n|$))"
)
_JOINT = re.compile(r"(?:,?\s+(?:where|and)\s+)$", re.IGNORECASE)
_QUOTES = {'"': '"', "'": "'", "\u201c": "\u201d", "\u2018": "\u2019", "«": "»"}
_TAUGHT = re.compile(
    r"^\W{0,3}(?:by|with)\s+(?P<keyword>\S(?:.{0,118}?\S)?)\s*,?\s+(?:i|we)\s+(?:mean|meant)\s+"
    r"(?P<value>\S(?:.{0,198}?\S)?)"
    r"\s*(?:\(\s*(?:an?\s+|the\s+)?(?P<entity>[^()]{1,60}?)\s*\)|,\s*(?:an?|the)\s+"
    r"(?P<other>[^(),.]{1,60}?))?\s*[.!]*\s*$",
    re.IGNORECASE,
)
# What they stand for is another thing in each sentence.
_POINTING_WORDS = """
    it its that this these those they them he she his her him we us our you your i me my which what
    who one ones there here a an the and or of in
"""
_POINTING = frozenset(_POINTING_WORDS.split())
_SILENT = ("hour", "honest", "heir")
_LIKE_YOU = ("uni", "use", "usu", "eu", "one")


@dataclass(frozen=True, slots=True)
class Meaning:
    """A keyword, the value that the data has for it, and what kind of thing that is, or ""."""

    keyword: str
    value: str
    entity: str = ""


@dataclass(frozen=True, slots=True)
class Clause:
    """A meaning that a text says from `start` to `end`, with the word that joins it."""

    start: int
    end: int
    value: str
    entity: str


def clause_of(value: str, entity: str) -> str:
    """A meaning in words, as `'OMEGA' is a brand`."""
    return f"'{value}' is {article(entity)} {entity}"


def article(noun: str) -> str:
    """`a` or `an`, by how most words are spoken that begin so."""
    word = noun.strip().casefold()
    if word.startswith(_SILENT):
        return "an"
    return "an" if word[:1] in "aeiou" and word and not word.startswith(_LIKE_YOU) else "a"


def find_clauses(text: str) -> list[Clause]:
    """The meanings that a text says, in its order."""
    found = []
    for match in _CLAUSE.finditer(text):
        joint = _JOINT.search(text, 0, match.start())
        start = joint.start() if joint else match.start()
        found.append(Clause(start, match.end(), match["value"], match["entity"]))
    return found


def without_clauses(text: str, clauses: Iterable[Clause]) -> str:
    """The text without these clauses of it."""
    kept = text
    for each in sorted(clauses, key=lambda clause: -clause.start):
        kept = kept[: each.start] + kept[each.end :]
    return kept.strip()


def read_teaching(text: str) -> Meaning | None:
    """The meaning that a sentence teaches, such as `by Omega I mean OMEGA (brand)`.

    None for any other sentence: it has to say what kind of thing the value is, or to quote it.
    """
    match = _TAUGHT.match(text.strip())
    if match is None:
        return None
    keyword, value = unquoted(match["keyword"]), unquoted(match["value"])
    entity = " ".join((match["entity"] or match["other"] or "").split())
    if keyword.casefold() in _POINTING or not (entity or value != match["value"].strip()):
        return None
    return Meaning(keyword, value, entity)


def unquoted(text: str) -> str:
    """The text without a pair of quotes around it."""
    kept = text.strip()
    if len(kept) > 2 and _QUOTES.get(kept[0]) == kept[-1]:
        return kept[1:-1].strip()
    return kept
