"""Labels of documents: which field they name, and where a text has one before a value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from flows.analysis.extraction.fields import NamedField
from flows.analysis.functions.terms import term

_WORD: Final = re.compile(r"[^\W_]+|#")
_IN_BRACKETS: Final = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")
_LONGEST_LABEL: Final = 60
_MOST_WORDS: Final = 7
# Of a short form with a full stop, as `No.`
_LONGEST_SHORT: Final = 4
# Between pieces of a line that say different things.
_PIECES: Final = re.compile(r"\s+[|\u2022]\s+|;\s+")
_COLON: Final = re.compile(r"\s*[:=\uff1a]\s+|\s*\uff1a")
_SHORT: Final = {"#": "number", "no": "number", "nr": "number", "num": "number", "art": "article",
                 "colour": "color", "desc": "description", "min": "minimum", "max": "maximum",
                 "dim": "dimension", "dims": "dimension", "wt": "weight"}  # fmt: skip
_EMPTY: Final = frozenset({"the", "of", "a", "an", "in", "for", "to", "and", "its", "is"})


class Labelled(NamedTuple):
    """A label and the value behind it, in a piece of a text."""

    label: str
    value: str
    piece: str


class Labels:
    """The labels by which fields are known."""

    def __init__(self, fields: Sequence[NamedField]) -> None:
        self._fields: dict[frozenset[str], NamedField] = {}
        for field in fields:
            for said in (field.name.replace("_", " "), *field.words):
                self._fields.setdefault(label_terms(said), field)
        self._fields.pop(frozenset(), None)
        self.spoken = tuple(
            (said, field)
            for field in fields
            for said in sorted({field.name.replace("_", " "), *field.words}, key=len, reverse=True)
        )

    def field(self, label: str) -> NamedField | None:
        """The field that a label names, in any order of its words; None if it names none."""
        label = label.strip(" .:")
        if not label or len(label) > 2 * _LONGEST_LABEL:
            return None
        plain = _IN_BRACKETS.sub("", label)
        return self._fields.get(label_terms(label)) or self._fields.get(label_terms(plain))


def label_terms(label: str) -> frozenset[str]:
    """The roots of a label's words, short forms written out."""
    words = [each.casefold() for each in _WORD.findall(label.replace("_", " "))]
    full = (_SHORT.get(each, each) for each in words)
    return frozenset(term(each) for each in full if each not in _EMPTY)


def labelled(text: str, labels: Labels | None = None) -> Iterator[Labelled]:
    """The labels with values in a text such as `Style: KT-2011; Season: FW24`.

    A value ends where the next label that names a field begins.
    """
    for piece in _PIECES.split(text):
        found = _COLON.search(piece)
        if found is None:
            continue
        label, value = piece[: found.start()].strip(" -*\u2022"), piece[found.end() :].strip()
        inner = _next_label(value, labels) if labels is not None else None
        own = value if inner is None else value[:inner].strip(" ,")
        if own and is_label(label):
            yield Labelled(label, own, (piece[: found.end()] + own).strip())
        if inner is not None:
            yield from labelled(value[inner:], labels)


def is_label(text: str) -> bool:
    """Whether a text can be a label: a few words, and no sentence."""
    words = text.removesuffix(".").split()
    if text.endswith(".") and (not words or len(words[-1]) > _LONGEST_SHORT):
        return False
    return (
        0 < len(words) <= _MOST_WORDS
        and len(text) <= _LONGEST_LABEL
        and any(c.isalpha() for c in text)
        and text[-1] not in "!?,"
    )


def _next_label(value: str, labels: Labels) -> int | None:
    """Where the label of another field begins inside of a value."""
    for colon in _COLON.finditer(value):
        starts = [each.start() for each in re.finditer(r"\S+", value[: colon.start()])]
        for start in starts[-_MOST_WORDS:]:
            if start > 0 and labels.field(value[start : colon.start()]) is not None:
                return start
    return None
