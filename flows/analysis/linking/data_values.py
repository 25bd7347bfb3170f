"""Words that are values of the data: as they stand there, but for a plural or a letter."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from flows.analysis.language.lexicon import (
    FUNCTION_WORDS,
    OPERATION_WORDS,
)
from flows.analysis.language.vocabulary import (
    OTHER_NAMES,
    PEOPLE,
)
from flows.analysis.language.words import Token, near, singular
from flows.analysis.linking.links import Link
from flows.analysis.linking.schema import Schema, first_run

_NEVER_VALUES = frozenset(
    [
        "a",
        "i",
        "an",
        "the",
        "in",
        "on",
        "at",
        "to",
        "or",
        "and",
        "no",
        "yes",
        "all",
        "of",
        "by",
        "is",
        "are",
        "be",
        "do",
    ]
)


# More than an exact name and a number have by themselves.
_NUMBERED = 1.1


def value_link(start: int, end: int, span: Sequence[Token], schema: Schema) -> Link | None:
    if end - start == 1:
        token = span[0]
        if token.kind != "word":
            return None
        letter = len(token.text) == 1 and token.capitalised and start > 0
        if (token.lower in _NEVER_VALUES and not letter) or (
            len(token.lower) < 2 and not token.capitalised
        ):
            return None
        capitals = token.text.isupper() and len(token.text) > 1
        known = token.lower in FUNCTION_WORDS or token.lower in OPERATION_WORDS
        if known and not letter and not capitals:
            return None
    if end - start > 1 and first_run(span[0].lower) not in schema.starts:
        return None
    text = " ".join(token.lower for token in span)
    found = schema.values.get(text) or _glued(span, schema)
    reason, score = "a value of the data", 0.95
    if not found and span[-1].kind == "word":
        one = singular(span[-1].lower)
        found = schema.values.get(" ".join([*(t.lower for t in span[:-1]), one]), ())
        found = found or schema.values.get(text + "s", ())
        reason, score = "a value of the data, but for its plural", 0.85
    if not found and end - start == 1:
        found, told = _other_name(span[0], schema)
        reason, score = (told, 0.85) if found else (reason, score)
    if not found and end - start == 1 and span[0].lower in PEOPLE:
        found = _sex(span[0].lower, schema)
        reason, score = "a noun for a value of a column about sex", 0.9
    if not found:
        return None
    if not any(token.capitalised for token in span):
        score -= 0.1
    if end - start > 1 and span[-1].kind == "number":
        # `Area 7` is the value, and no column `area` with a number behind it.
        score = _NUMBERED
    return Link("value", start, end, text, score, reason, values=found)


def _other_name(token: Token, schema: Schema) -> tuple[tuple[tuple[str, str], ...], str]:
    """A value by its usual other name, or by its initials in capitals."""
    for name in OTHER_NAMES.get(token.lower, ()) if token.capitalised else ():
        if name in schema.values:
            return schema.values[name], f"another name of {name!r}"
    if not token.text.isupper() or not 2 <= len(token.text) <= 4:
        return (), ""
    same = [
        key
        for key in schema.values
        if " " in key and "".join(word[0] for word in key.split()) == token.lower
    ]
    return (schema.values[same[0]], f"the initials of {same[0]!r}") if len(same) == 1 else ((), "")


def _glued(span: Sequence[Token], schema: Schema) -> tuple[tuple[str, str], ...]:
    """The value as it was written, with its marks close to its words (`St. Louis`, `A-1`)."""
    if len(span) == 1:
        return ()
    text = span[0].lower
    for before, token in pairwise(span):
        text += " " * (token.start - before.end) + token.lower
    return schema.values.get(text, ())


def _sex(word: str, schema: Schema) -> tuple[tuple[str, str], ...]:
    found = []
    for column, parts in zip(schema.table.columns, schema.column_words, strict=True):
        if {"sex", "gender"} & set(parts):
            found += [(column.name, v) for v in column.values if v.casefold() in PEOPLE[word]]
    return tuple(found)


def misspelled(start: int, token: Token, schema: Schema) -> Link | None:
    """A value one letter away from a word that nothing else explains."""
    word = token.lower
    if len(word) < 6 or word in FUNCTION_WORDS or word in OPERATION_WORDS or word in schema.values:
        return None
    if not token.capitalised:
        return None
    close = [
        key
        for size in (len(word) - 1, len(word), len(word) + 1)
        for key in schema.words_of_values.get(size, ())
        if key[0] == word[0] and near(word, key)
    ]
    if len(close) != 1:
        return None
    reason = f"probably the value {schema.values[close[0]][0][1]!r}, spelled another way"
    return Link("value", start, start + 1, word, 0.6, reason, values=schema.values[close[0]])
