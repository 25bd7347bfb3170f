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

from flows.analysis.extraction.fields import DocumentField, FieldMention, FieldsReply, NamedField
from flows.analysis.extraction.labels import Labels, is_label, labelled
from flows.analysis.extraction.values import amount_in, date_in, items_of, typed_value
from flows.data.documents.passages import DocumentPassage
from flows.data.documents.sentences import sentences

_ITEM: Final = re.compile(r"\s*(?:[-*+\u2022\u2023\u25aa]|\d{1,3}[.)])\s+\S")
_LONGEST_VALUE: Final = 400
_LINK: Final = r"\s+(?:is|are|was|were|equals|amounts to)\s+(?:about\s+|approximately\s+|at\s+)?"
# Before a date: "approved on 12 March 2024".
_ON: Final = r"\s+(?:(?:is|are|was|were|due)\s+)?(?:on|by|from|for)?\s*"
_FIELDS: Final = TypeAdapter(tuple[NamedField, ...])
_PASSAGES: Final = TypeAdapter(tuple[DocumentPassage, ...])


def find_fields(inputs: Mapping[str, Any]) -> FieldsReply:
    """The reply of the role `document_fields`: `passages` are those of a part of a document,
    `fields` what is wanted; without fields, each label with its value is one."""
    passages = _PASSAGES.validate_python(inputs["passages"])
    fields = _FIELDS.validate_python(inputs.get("fields") or ())
    found = _all_labels(passages) if not fields else _wanted(passages, Labels(fields))
    return FieldsReply(fields=tuple(dict.fromkeys(found)))


def open_name(label: str) -> str:
    """A label as the name of a field: small letters, digits and `_`."""
    name = re.sub(r"[\W_]+", "_", label.replace("#", " number ")).strip("_").casefold()[:62]
    return name if name[:1].isalpha() else f"field_{name}"[:62]


def _all_labels(passages: Sequence[DocumentPassage]) -> Iterator[FieldMention]:
    for each in passages:
        for label, value, quote in _pairs(each, None):
            if len(value) <= _LONGEST_VALUE and is_label(label):
                yield _mention(open_name(label), value, each, quote)


def _wanted(passages: Sequence[DocumentPassage], labels: Labels) -> Iterator[FieldMention]:
    for each in passages:
        for label, value, quote in _pairs(each, labels):
            field = labels.field(label)
            if field is not None:
                yield from _taken(field, value, each, quote)
        yield from _row_values(each, labels)
        if not each.table:
            yield from _spoken(each, labels)
    for title, group in groupby(passages, key=lambda each: each.section):
        field = labels.field(re.sub(r"^[\d.\s]+", "", title.rpartition(" > ")[2]))
        if field is not None:
            yield from _of_section(field, list(group))


def _pairs(passage: DocumentPassage, labels: Labels | None) -> Iterator[tuple[str, str, str]]:
    """Labels with their values, and the text that they stand in."""
    cells = passage.cells
    if not cells:
        yield from labelled(passage.text, labels)
        return
    if len(cells) == 2 and cells[0] and cells[1]:
        if not (passage.head == cells and labels is None and _is_head(cells)):
            yield cells[0].rstrip(" :"), cells[1], passage.text
        return
    for label, value in pairwise(cells):
        if label.endswith(":") and value and not value.endswith(":"):
            yield label.rstrip(" :"), value, passage.text
    for cell in cells:
        yield from labelled(cell, labels)


def _is_head(cells: Sequence[str]) -> bool:
    """Whether the first row of two cells names its columns, as `Field | Value`."""
    return {each.casefold() for each in cells} <= {
        "field", "value", "name", "attribute", "property", "item", "description", "key", "detail",
        "details", "specification", "parameter",
    }  # fmt: skip


def _row_values(passage: DocumentPassage, labels: Labels) -> Iterator[FieldMention]:
    """Values of a row under the head of its table: for lists the field's column; else those of a
    row whose first cell names a field and that has one other value."""
    cells, head = passage.cells, passage.head
    if len(cells) < 2 or cells == head:
        return
    for title, cell in zip(head, cells, strict=False):
        field = labels.field(title)
        if field is not None and field.type == "list" and cell:
            yield from _taken(field, cell, passage, passage.text, whole=True)
    values = [each for each in cells[1:] if each]
    if len(cells) > 2 and len(values) == 1 and (field := labels.field(cells[0])) is not None:
        yield from _taken(field, values[0], passage, passage.text)


def _spoken(passage: DocumentPassage, labels: Labels) -> Iterator[FieldMention]:
    """Values in sentences such as `The weight is 210 gsm`, of types that end by themselves."""
    for sentence in sentences(passage.text):
        for said, field in labels.spoken:
            if field.type in ("text", "list") and not field.values:
                continue
            words = r"\s+".join(map(re.escape, said.split()))
            link = rf"(?:{_LINK}|{_ON})" if field.type == "date" else _LINK
            found = re.search(rf"\b{words}{link}", sentence, re.IGNORECASE)
            value = _begins(sentence[found.end() :], field) if found else ""
            if value:
                yield from _taken(field, value, passage, sentence)
                break


def _begins(text: str, field: NamedField) -> str:
    """The value of the field's type that a text begins with."""
    if field.values:
        low = text.casefold()
        known = [each for each in field.values if re.match(rf"{re.escape(each.casefold())}\b", low)]
        return text[: len(max(known, key=len))] if known else ""
    if field.type == "date":
        return date_in(text)
    if field.type == "boolean":
        found = re.match(r"(?:yes|no|true|false|not required|required)\b", text, re.IGNORECASE)
        return found[0] if found else ""
    return amount_in(text)


def _of_section(field: NamedField, passages: Sequence[DocumentPassage]) -> Iterator[FieldMention]:
    """What stands under a heading that names the field: the items of a list, or one passage."""
    plain = [each for each in passages if not each.table]
    if field.type == "list":
        for each in plain:
            if _ITEM.match(each.text):
                item = _ITEM.sub(lambda found: found[0][-1], each.text, count=1)
                yield from _taken(field, item, each, each.text, whole=True)
    elif len(passages) == 1 and plain:
        yield from _taken(field, plain[0].text, plain[0], plain[0].text)


def _taken(
    field: NamedField, value: str, passage: DocumentPassage, quote: str, *, whole: bool = False
) -> Iterator[FieldMention]:
    """The mentions of a value, if it fits the field: one for each item of a list, unless it is one
    item as a `whole`."""
    if len(value) > _LONGEST_VALUE:
        return
    if field.type == "list" and not whole:
        for item in items_of(value):
            yield from _taken(field, item, passage, quote, whole=True)
        return
    if _fits(value, field):
        yield _mention(field.name, value.strip(), passage, quote)


def _fits(value: str, field: DocumentField) -> bool:
    try:
        typed_value(value, field)
    except ValueError:
        return False
    return True


def _mention(name: str, value: str, passage: DocumentPassage, quote: str) -> FieldMention:
    return FieldMention(name=name, value=value, passage=passage.number, quote=quote)
