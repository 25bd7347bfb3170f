"""What the pronouns of a question refer to."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flows.analysis.language.words import split_identifier
from flows.core.observation import Cell


@dataclass(frozen=True, slots=True)
class Referent:
    """What the first row of a result named: the column and value, and the values of all rows."""

    column: str
    value: str
    values: tuple[str, ...]
    is_time: bool = False


_POSSESSIVE = re.compile(r"\b(its|their|his|her|the latter's)\b(?=\s+\w)", re.IGNORECASE)
_OF_THEM = re.compile(r"\b(?:of|among|from) (?:them|these|those|the latter)\b", re.IGNORECASE)
_WHICH_OF = re.compile(r"\bwhich (?:one )?of (?:them|these|those)\b", re.IGNORECASE)
_OBJECT = re.compile(
    r"\b(it|they|them|he|she|that one|the latter|this one|the former)\b", re.IGNORECASE
)


def has_anaphora(text: str, nouns: Sequence[str] = ()) -> bool:
    """Whether a question refers to an earlier result; `nouns` are what may follow `that`."""
    return bool(
        _POSSESSIVE.search(text)
        or _OF_THEM.search(text)
        or _OBJECT.search(text)
        or _there(text)
        or _that_noun(nouns).search(text)
    )


def _there(text: str) -> re.Match[str] | None:
    """`there` as a place, and not as in `are there`."""
    for match in re.finditer(r"\bthere\b", text, re.IGNORECASE):
        before = text[: match.start()].rstrip().casefold()
        after = text[match.end() :].lstrip().casefold()
        if re.search(r"\b(?:is|are|was|were|be)$", before) or re.match(
            r"(?:is|are|was|were)\b", after
        ):
            continue
        return match
    return None


def _that_noun(nouns: Sequence[str]) -> re.Pattern[str]:
    words = sorted({re.escape(noun) for noun in nouns if noun}, key=len, reverse=True)
    choice = "|".join([*words, "year"])
    return re.compile(
        rf"\b(?:in |for |of )?(?:that|this|the same|those|these|the winning|the top)"
        rf"\s+(?P<noun>{choice})(?:s|es)?\b",
        re.IGNORECASE,
    )


def resolve(text: str, referent: Referent, nouns: Mapping[str, str]) -> str:
    """The question with its pronouns replaced by what they refer to.

    `nouns` maps words that may follow `that` (`that region`) to columns; the first of them that
    names another column than the referent's is left alone.
    """
    named = _that_noun(tuple(nouns)).search(text)
    if named:
        text = text[: named.start()] + _place(referent, named.group()) + text[named.end() :]
    noun = " ".join(split_identifier(referent.column))
    text = _WHICH_OF.sub(lambda _: f"Which {noun} of {' or '.join(referent.values)}", text)
    text = _OF_THEM.sub(lambda _: "of " + " or ".join(referent.values), text)
    text = _POSSESSIVE.sub(lambda _: f"{referent.value}'s", text)
    there = _there(text)
    if there:
        text = f"{text[: there.start()]}in {referent.value}{text[there.end() :]}"
    return _OBJECT.sub(lambda _: referent.value, text)


def _place(referent: Referent, phrase: str) -> str:
    preposition = phrase.split()[0].casefold()
    if preposition in ("in", "for", "of"):
        return f"{preposition} {referent.value}"
    return f"in {referent.value}" if referent.is_time else referent.value


def without_pronouns(text: str) -> str:
    """The question about all rows: `their average age` becomes `the average age`."""
    text = _POSSESSIVE.sub("the", text)
    text = _OF_THEM.sub("", text)
    return re.sub(r"\s+", " ", text).strip()


def referent_of(
    columns: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    asked: Sequence[str],
    times: Sequence[str],
) -> Referent | None:
    """What a result names: the first column of text that was asked for, else a time."""
    if not rows:
        return None
    for place, column in enumerate(columns):
        value = rows[0][place]
        if column in asked and isinstance(value, str):
            values = tuple(dict.fromkeys(str(row[place]) for row in rows if row[place] is not None))
            return Referent(column, value, values)
    for place, column in enumerate(columns):
        value = rows[0][place]
        if column in times and value is not None and len(rows) == 1:
            return Referent(column, str(value), (str(value),), is_time=True)
    return None
