"""Fields of a part of a document by rules: labels, rows of tables, lists and plain sentences.

What is not written in one of these ways is not found; no value is taken that does not fit its
field's type.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any, Final

from pydantic import TypeAdapter

from flows.analysis.extraction.cells import FieldReading, read_pair
from flows.analysis.extraction.fields import FieldMention, FieldsReply, NamedField
from flows.analysis.extraction.labels import Labels, is_label, labelled
from flows.analysis.extraction.rows import MOST_CELLS, TableRows
from flows.analysis.extraction.statements import FieldStatements
from flows.analysis.extraction.values import is_value, items_of, without_footnote
from flows.data.documents.passages import DocumentPassage
from flows.data.documents.sentences import sentences

_ITEM: Final = re.compile(
    r"\s*(?:[-*+\u2013\u2022\u2023\u25aa]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+(?=\S)"
)
# What is longer is no sentence that states a value.
_LONGEST_SENTENCE: Final = 2_000
_LONGEST_VALUE: Final = 400
# Of a short form, whose full stop belongs to it, as `Ltd.`
_LONGEST_SHORT: Final = 4
_FEW_WORDS: Final = 3
_LONGEST_ITEM: Final = 80
_NUMBERING: Final = re.compile(r"^(?:\u00a7\s*)?(?:[\d.\s)]+|[A-Z][.)]\s+)")
_FIELDS: Final = TypeAdapter(tuple[NamedField, ...])
_PASSAGES: Final = TypeAdapter(tuple[DocumentPassage, ...])


def find_fields(inputs: Mapping[str, Any]) -> FieldsReply:
    """The reply of the role `document_fields`: `passages` are those of a part of a document,
    `fields` what is wanted; without fields, each label with its value is one."""
    passages = _PASSAGES.validate_python(inputs["passages"])
    fields = _FIELDS.validate_python(inputs.get("fields") or ())
    found = _all_labels(passages) if not fields else _Wanted(passages, fields).mentions()
    return FieldsReply(fields=tuple(dict.fromkeys(found)))


def open_name(label: str) -> str:
    """A label as the name of a field: small letters, digits and `_`."""
    name = re.sub(r"[\W_]+", "_", label.replace("#", " number ")).strip("_").casefold()[:62]
    return name if name[:1].isalpha() else f"field_{name}"[:62]


def _all_labels(passages: Sequence[DocumentPassage]) -> Iterator[FieldMention]:
    for each in passages:
        for label, value, quote in _pairs(each):
            if len(value) <= _LONGEST_VALUE and is_label(label):
                yield _mention(open_name(label), value, each, quote)


def _pairs(passage: DocumentPassage) -> Iterator[tuple[str, str, str]]:
    """Labels with their values, and the text that they stand in."""
    cells = passage.cells
    if not cells:
        yield from labelled(passage.text)
        return
    if len(cells) == 2 and cells[0] and cells[1]:
        if not (passage.head == cells and _is_head(cells)):
            yield cells[0].rstrip(" :"), cells[1], passage.text
        return
    for label, value in pairwise(cells):
        if label.endswith(":") and value and not value.endswith(":"):
            yield label.rstrip(" :"), value, passage.text
    for cell in cells:
        yield from labelled(cell)


def _is_head(cells: Sequence[str]) -> bool:
    """Whether the first row of two cells names its columns, as `Field | Value`."""
    return {each.casefold() for each in cells} <= {
        "field", "value", "name", "attribute", "property", "item", "description", "key", "detail",
        "details", "specification", "parameter",
    }  # fmt: skip


class _Wanted:
    """Looks for fields in the passages of a part."""

    def __init__(self, passages: Sequence[DocumentPassage], fields: Sequence[NamedField]) -> None:
        self._passages = passages
        self._labels = Labels(fields)
        self._statements = FieldStatements(self._labels)
        self._tables = {
            number: TableRows(list(rows), self._labels)
            for number, rows in groupby(
                (each for each in passages if each.table), key=lambda each: each.table
            )
        }

    def mentions(self) -> Iterator[FieldMention]:
        for each in self._passages:
            found = self._of_row(each) if each.cells else self._of_text(each)
            for reading, quote in found:
                if len(reading.value) <= _LONGEST_VALUE:
                    yield _mention(reading.field.name, reading.value.strip(), each, quote)
        yield from self._listed()
        for title, group in groupby(self._passages, key=lambda each: each.section):
            field = self._labels.field(_NUMBERING.sub("", title.rpartition(" > ")[2]))
            if field is not None:
                yield from _of_section(field, list(group))

    def _of_row(self, passage: DocumentPassage) -> Iterator[tuple[FieldReading, str]]:
        text = passage.text
        table = self._tables.get(passage.table)
        found = table.readings(passage) if table is not None else []
        names = {each.field.name for each in found}
        yield from ((each, text) for each in found)
        if table is not None and table.has_head and passage.cells == passage.head:
            return
        for cell in passage.cells[:MOST_CELLS]:
            for reading, _ in self._of_sentence(cell):
                if reading.field.name not in names:
                    yield reading, text

    def _of_text(self, passage: DocumentPassage) -> Iterator[tuple[FieldReading, str]]:
        """The values of a paragraph: of a text that begins with a label, all of it is its value."""
        said = _with_answers(sentences(passage.text))
        found = [each for one in said for each in self._of_sentence(one)]
        if len(said) > 1:
            found = [(FieldReading(each.field, _ended(each)), quote) for each, quote in found]
        if len(said) > 1 and len({each.field.name for each, _ in found}) < 2:
            whole = [each for each in self._labelled(passage.text) if each[0].field.type == "text"]
            found = [e for e in found if e[0].field not in [w[0].field for w in whole]] + whole
        yield from found

    def _of_sentence(self, sentence: str) -> Iterator[tuple[FieldReading, str]]:
        if len(sentence) > _LONGEST_SENTENCE:
            return
        names: set[str] = set()
        for each in self._labelled(sentence):
            names.add(each[0].field.name)
            yield each
        for reading in self._statements.readings(sentence):
            if reading.field.name not in names:
                yield reading, sentence

    def _labelled(self, text: str) -> list[tuple[FieldReading, str]]:
        return [
            (reading, piece)
            for label, value, piece in labelled(text, self._labels)
            for reading in read_pair(label, value, self._labels)
        ]

    def _listed(self) -> Iterator[FieldMention]:
        """The items below a line that ends with the name of a list: `Spare parts:`."""
        field: NamedField | None = None
        for each in self._passages:
            item = _ITEM.match(each.text)
            if field is not None and item and not each.cells:
                yield from _item(field, each)
            elif each.text.endswith(":") and not each.cells:
                spans = self._labels.spans(each.text)
                last = spans[-1] if spans else None
                ends = last is not None and each.text[last.end :].strip(" :") == ""
                field = last.field if last and ends and last.field.type == "list" else None
            else:
                field = None


def _with_answers(said: Sequence[str]) -> list[str]:
    """Sentences, each question with the few words that answer it."""
    found: list[str] = []
    for each in said:
        if found and found[-1].endswith("?") and len(each.split()) <= _FEW_WORDS:
            found[-1] += f" {each}"
        else:
            found.append(each)
    return found


def _ended(reading: FieldReading) -> str:
    """A value without the full stop of its sentence."""
    value = reading.value
    last = value.rstrip(".").rpartition(" ")[2]
    is_short = len(last) <= _LONGEST_SHORT and last.isalpha()
    return value if reading.field.type != "text" or is_short else value.rstrip(".")


def _of_section(field: NamedField, passages: Sequence[DocumentPassage]) -> Iterator[FieldMention]:
    """What stands under a heading that names the field: the items of a list, or one passage."""
    plain = [each for each in passages if not each.table]
    if field.type == "list":
        items = [each for each in plain if _ITEM.match(each.text)]
        short = all(len(each.text) <= _LONGEST_ITEM and each.text[-1] not in ".:" for each in plain)
        if not items and len(plain) == 1 and short:
            said = items_of(plain[0].text)
            yield from (_mention(field.name, each, plain[0], plain[0].text) for each in said)
            return
        for each in items or (plain if short else ()):
            yield from _item(field, each)
        return
    text = plain[0].text if len(passages) == 1 and plain else ""
    if text and len(text) <= _LONGEST_VALUE and is_value(text, field):
        yield _mention(field.name, text, plain[0], text)


def _item(field: NamedField, passage: DocumentPassage) -> Iterator[FieldMention]:
    said = without_footnote(_ITEM.sub("", passage.text, count=1)).rstrip(" .;,")
    if said and len(said) <= _LONGEST_VALUE and is_value(said, field):
        yield _mention(field.name, said, passage, passage.text)


def _mention(name: str, value: str, passage: DocumentPassage, quote: str) -> FieldMention:
    return FieldMention(name=name, value=value, passage=passage.number, quote=quote)
