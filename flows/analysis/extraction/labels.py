"""Labels of documents: which field they name, and where a text has one before a value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from flows.analysis.extraction.fields import NamedField
from flows.analysis.extraction.unit_places import without_unit
from flows.analysis.functions.terms import term
from flows.analysis.language.words import singular

_WORD: Final = re.compile(r"[^\W_]+|#")
_IN_BRACKETS: Final = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")
_INSIDE: Final = re.compile(r"[(\[]([^()\[\]]*)[)\]]")
_NUMBERING: Final = re.compile(r"^\(?(?:\u00a7\s*)?\d{1,2}(?:\.\d{1,2})*[.)]?\s+(?=[^\W\d_])")
_LONGEST_LABEL: Final = 60
_MOST_WORDS: Final = 7
# Of a short form with a full stop, as `No.`
_LONGEST_SHORT: Final = 4
# Between pieces of a line that say different things.
_PIECES: Final = re.compile(r"\s+[|\u2022]\s+|;\s+")
_COLON: Final = re.compile(r"\s*[:=\uff1a]\s+|\s*\uff1a|\?\s+")
_DASH: Final = re.compile(r"\s+[-\u2013\u2014]\s+")
_SHORT: Final = {"#": "number", "no": "number", "nr": "number", "num": "number", "art": "article",
                 "colour": "color", "desc": "description", "min": "minimum", "max": "maximum",
                 "dim": "dimension", "wt": "weight", "tol": "tolerance", "spec": "specification",
                 "ref": "reference", "approx": "approximate", "temp": "temperature",
                 "incl": "included", "ident": "id"}  # fmt: skip
_EMPTY: Final = frozenset(
    {"the", "of", "a", "an", "in", "for", "to", "and", "its", "is", "are", "on"}
)
# Words that a label may have besides what it names.
_BESIDE: Final = tuple(
    frozenset({term(word)}) for word in ("included", "value", "details", "information", "data")
)
# A field that counts is called by what it counts.
_COUNTING: Final = frozenset({term("number"), term("count"), term("quantity")})
# Behind one of these a label may begin inside of a sentence.
_BEGINNING: Final = frozenset({"is", "are", "was", "were", "has", "have", "with"})
_LOWEST: Final = frozenset({term("minimum")})
_HIGHEST: Final = frozenset({term("maximum")})


class Labelled(NamedTuple):
    """A label and the value behind it, in a piece of a text."""

    label: str
    value: str
    piece: str


class LabelSpan(NamedTuple):
    """Where a sentence names a field. By `counted` it names only what the field counts; a name with
    an `end_of` is that of a range, from the field to this one."""

    start: int
    end: int
    field: NamedField
    text: str
    counted: bool = False
    end_of: NamedField | None = None


class Labels:
    """The labels by which fields are known."""

    def __init__(self, fields: Sequence[NamedField]) -> None:
        self.fields = tuple(fields)
        self._exact: dict[frozenset[str], NamedField] = {}
        self._fields: dict[frozenset[str], NamedField] = {}
        self._counted: dict[frozenset[str], NamedField] = {}
        shared: set[frozenset[str]] = set()
        for field in fields:
            for said in names_of(field):
                self._exact.setdefault(_words(said), field)
                terms = label_terms(said)
                if self._fields.setdefault(terms, field) is not field:
                    shared.add(terms)  # insurer and insured: only the whole words tell them apart
        for terms in shared:
            self._fields.pop(terms)
        for field in fields:
            for said in names_of(field):
                counted = label_terms(said) - _COUNTING
                if counted != label_terms(said) and counted not in self._fields:
                    self._counted.setdefault(counted, field)
        for kept in (self._exact, self._fields, self._counted):
            kept.pop(frozenset(), None)
        self._ranges = dict(self._range_names())

    def field(self, label: str) -> NamedField | None:
        """The field that a label names, in any order of its words; None if it names none."""
        label = without_numbering(label.strip(" .:?*"))
        if not label or len(label) > 2 * _LONGEST_LABEL:
            return None
        plain = (_IN_BRACKETS.sub("", label), without_unit(label))
        inside = (each[1] for each in _INSIDE.finditer(label))
        for each in (label, *plain, *inside):
            if (found := self.named(each)) is not None:
                return found
        return None

    def crossed(self, row: str, column: str) -> NamedField | None:
        """The field that the label of a row and the head of a column name together."""
        plain = without_numbering(f"{row.strip(' .:*')} {without_unit(column)}")
        return self.named(plain) or self.named(_IN_BRACKETS.sub("", plain))

    def named(self, text: str) -> NamedField | None:
        """The field that words name, without what stands around a label."""
        return self._exact.get(_words(text)) or self.of_terms(label_terms(text))

    def _range_names(self) -> Iterator[tuple[frozenset[str], tuple[NamedField, NamedField]]]:
        """What has a lowest and a highest value, with the fields for these."""
        for terms, field in self._fields.items():
            base = terms - _LOWEST
            high = self._fields.get(base | _HIGHEST)
            if base and base != terms and high is not None and base not in self._fields:
                yield base, (field, high)

    def at_end(self, text: str) -> NamedField | None:
        """The field that a text ends with the name of, behind a word that begins a new phrase:
        `The lot is certified organic`."""
        words = list(re.finditer(r"\S+", text))
        for before, word in pairwise(words):
            if before[0].casefold() in _BEGINNING and (found := self.field(text[word.start() :])):
                return found
        return None

    def of_terms(self, terms: frozenset[str]) -> NamedField | None:
        """The field of some terms, or of them without a word that names nothing."""
        found = self._fields.get(terms)
        if found is None:
            more = (self._fields.get(terms - each) for each in _BESIDE if each < terms)
            found = next(filter(None, more), None)
        return found

    def spans(self, sentence: str) -> list[LabelSpan]:
        """Where a sentence names fields, the longest names first taken, in their order."""
        words = [
            each for each in _WORD.finditer(sentence) if not each[0].isdigit() or each[0] == "#"
        ]
        found: list[LabelSpan] = []
        for size in range(min(_MOST_WORDS + 1, len(words)), 0, -1):
            for at in range(len(words) - size + 1):
                first, last = words[at], words[at + size - 1]
                if first[0].casefold() in _EMPTY or last[0].casefold() in _EMPTY:
                    continue
                start, end = first.start(), last.end()
                if any(start < each.end and each.start < end for each in found):
                    continue
                if span := self._span(sentence, start, end):
                    found.append(span)
        return sorted(found, key=lambda each: each.start)

    def _span(self, sentence: str, start: int, end: int) -> LabelSpan | None:
        text = sentence[start:end]
        if re.search(r"[;:,!?()\[\]|\d]|\.\s", re.sub(r"(?<=\b[A-Za-z]{2})\.\s", " ", text)):
            return None
        terms = label_terms(text)
        if field := self._exact.get(_words(text)) or self._fields.get(terms):
            return LabelSpan(start, end, field, text)
        if found := self._ranges.get(terms):
            return LabelSpan(start, end, found[0], text, end_of=found[1])
        if field := self._counted.get(terms):
            return LabelSpan(start, end, field, text, counted=True)
        return None


def without_numbering(text: str) -> str:
    """A text without the number that it begins with, as a clause of a contract does."""
    return _NUMBERING.sub("", text)


def names_of(field: NamedField) -> list[str]:
    """How documents call a field: its name, and its words."""
    return [field.name.replace("_", " "), *field.words]


def label_terms(label: str) -> frozenset[str]:
    """The roots of a label's words, short forms written out."""
    words = (each.casefold() for each in _WORD.findall(label.replace("_", " ")))
    return frozenset(_root(each) for each in words if each not in _EMPTY)


def _words(label: str) -> frozenset[str]:
    """The words of a label, short forms written out."""
    words = (each.casefold() for each in _WORD.findall(label.replace("_", " ")))
    return frozenset(_full(each) for each in words if each not in _EMPTY)


@lru_cache(maxsize=16_384)
def _full(word: str) -> str:
    return _SHORT.get(word) or _SHORT.get(singular(word)) or singular(word)


@lru_cache(maxsize=16_384)
def _root(word: str) -> str:
    return term(_SHORT.get(word) or _SHORT.get(singular(word)) or word)


def labelled(text: str, labels: Labels | None = None) -> Iterator[Labelled]:
    """The labels with values in a text such as `Style: KT-2011; Season: FW24`.

    A value ends where the next label that names a field begins.
    """
    for piece in _PIECES.split(text):
        found = _COLON.search(piece)
        if labels is not None and (dash := _DASH.search(piece)) is not None:
            earlier = found is None or dash.start() < found.start()
            if earlier and labels.field(piece[: dash.start()].strip(" -*\u2022")) is not None:
                found = dash
        if found is None:
            continue
        label, value = piece[: found.start()].strip(" -*\u2013\u2022"), piece[found.end() :].strip()
        inner = _next_label(value, labels) if labels is not None else None
        own = value if inner is None else value[:inner].strip(" ,/;|\u2013-")
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
        0 < len(words) <= _MOST_WORDS + 1
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
