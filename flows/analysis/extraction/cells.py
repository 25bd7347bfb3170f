"""What a label with its value says: a value of one field, or values of several at once.

Several stand in dimensions (`Size (L x W): 60 x 40 cm`), in a range (`Temperature: 2 to 8 K`), and
where label and value are parted alike (`Gross / net weight: 9 kg / 7 kg`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from flows.analysis.extraction.amounts import amount_in, range_at
from flows.analysis.extraction.dates import date_in
from flows.analysis.extraction.fields import NamedField
from flows.analysis.extraction.labels import Labels, label_terms
from flows.analysis.extraction.values import is_value, items_of, without_footnote
from flows.analysis.functions.terms import term

_ANSWER: Final = re.compile(
    r"(?:yes|no|true|false|(?:not |no )?(?:required|needed|allowed|permitted|included|available))\b"
    r"|[\u2713\u2714\u2717\u2718\u2610\u2611]|\[[ xX]?\]",
    re.IGNORECASE,
)
_LETTERS: Final = {"l": "length", "w": "width", "b": "width", "h": "height", "d": "depth",
                   "t": "thickness", "\u00f8": "diameter"}  # fmt: skip
_AXIS: Final = (
    r"(?:length|width|breadth|height|depth|diameter|thickness|[lwbhdt\u00f8](?![^\W\d_]))"
)
_AXES: Final = re.compile(rf"\b{_AXIS}(?:\s*(?:x|\u00d7|\*|/|by)\s*{_AXIS}){{1,2}}", re.IGNORECASE)
_BY: Final = re.compile(r"\s*(?:[x\u00d7*/]|\bby\b)\s*", re.IGNORECASE)
_SIZE: Final = label_terms("size sizes dimension dimensions measurement measurements")
_END: Final = re.compile(
    r"\b(?P<low>min(?:imum|\.)?|at least|not (?:below|under|less than))\s*"
    r"|\b(?P<high>max(?:imum|\.)?|at most|up to|not (?:above|over|more than))\s*",
    re.IGNORECASE,
)
_SHARED: Final = re.compile(r"\s*(?:/|&|\+|,|\band\b)\s*", re.IGNORECASE)
_SEPARATORS: Final = (
    r"\s+/\s+",
    r"\s*/\s*",
    r"\s*&\s*",
    r";\s*",
    r"\s+and\s+",
    r",\s+",
    r"\s+\+\s+",
)
_LINK: Final = re.compile(r"(?:at|of|is|are|:)\s+", re.IGNORECASE)
# What is said of a value in brackets behind it.
_REMARK: Final = re.compile(r"(?<=\w)\s+\([^()]*\)$")
_MOST_MORE: Final = 4


class FieldReading(NamedTuple):
    """A field, and its value as it is written."""

    field: NamedField
    value: str


def read_pair(label: str, value: str, labels: Labels) -> list[FieldReading]:
    """The values of fields that a label with its value states."""
    plain = without_footnote(value)
    field = labels.field(label) or labels.at_end(label)
    found = values_of(field, plain) if field is not None else []
    for way in (_dimensions, _ends, _parted, _continued):
        found = found or list(way(label, plain, labels))
    return found


def values_of(field: NamedField, value: str) -> list[FieldReading]:
    """The values of a field in a text that stands for it; none where no value of its type is."""
    if field.type == "list":
        return [FieldReading(field, without_footnote(each)) for each in items_of(value)]
    if field.type == "text" and not field.values and (remark := _REMARK.search(value)):
        value = value[: remark.start()]
    if is_value(value, field):
        return [FieldReading(field, value)]
    said = ""
    if field.values:
        said = allowed_in(value, field)
    elif field.type == "date":
        said = date_in(value)
    elif field.type == "boolean":
        answer = _ANSWER.match(value)
        said = answer[0] if answer else ""
    elif field.type != "text":
        said = amount_in(value, field.unit)
    return [FieldReading(field, said)] if said and is_value(said, field) else []


def allowed_in(text: str, field: NamedField) -> str:
    """The one allowed value of a field that a text holds, as it is written; "" for none or two."""
    found = {
        each: match[0]
        for each in field.values
        if (match := re.search(rf"(?<!\w){re.escape(each)}(?!\w)", text, re.IGNORECASE))
    }
    longest = [one for one in found if not any(one in other and one != other for other in found)]
    return found[longest[0]] if len(longest) == 1 else ""


def axes_in(text: str) -> list[str]:
    """The names of the sides that a text such as `L x W x H` stands for."""
    found = _AXES.search(text)
    if found is None:
        return []
    names = [each.casefold() for each in _BY.split(found[0])]
    return [_LETTERS.get(each, "width" if each == "breadth" else each) for each in names]


def _dimensions(label: str, value: str, labels: Labels) -> Iterator[FieldReading]:
    axes = axes_in(label) or axes_in(value)
    numbers = _BY.split(_AXES.sub("", value).replace("()", "").strip())
    if not axes or len(numbers) != len(axes):
        return
    subject = label_terms(_AXES.sub(" ", label)) - _SIZE
    for axis, number in zip(axes, numbers, strict=True):
        field = labels.of_terms(subject | {term(axis)})
        said = amount_in(number)
        if field is not None and said and is_value(said, field):
            yield FieldReading(field, said)


def _ends(label: str, value: str, labels: Labels) -> Iterator[FieldReading]:
    """The lowest and the highest value of a range, for the fields that want these."""
    ends = {"low": labels.field(f"minimum {label}"), "high": labels.field(f"maximum {label}")}
    said: dict[str, str] = {}
    if found := range_at(value):
        low, high, _ = found
        said = {"low": amount_in(low.text) or low.number, "high": amount_in(high.text)}
    else:
        for each in _END.finditer(value):
            said.setdefault("low" if each["low"] else "high", amount_in(value[each.end() :]))
    for end, text in said.items():
        field = ends[end]
        if field is not None and text and is_value(text, field):
            yield FieldReading(field, text)


def _parted(label: str, value: str, labels: Labels) -> Iterator[FieldReading]:
    """Fields whose labels share a part: `Gross / net weight`, `Number of doors and windows`."""
    names = _SHARED.split(label)
    if not 1 < len(names) <= _MOST_MORE or not all(names):
        return
    parts = next(
        (found for each in _SEPARATORS if len(found := re.split(each, value)) == len(names)), None
    )
    if parts is None:
        return
    tail = " ".join(names[-1].split()[1:])
    head = " ".join(names[0].split()[:-1])
    for name, part in zip(names, parts, strict=True):
        field = (
            labels.field(name) or labels.field(f"{name} {tail}") or labels.field(f"{head} {name}")
        )
        if field is not None:
            yield from values_of(field, part.strip())


def _continued(label: str, value: str, labels: Labels) -> Iterator[FieldReading]:
    """A label that goes on behind its colon: `Late payment: interest at 5 %`."""
    words = list(re.finditer(r"[^\W\d_]+\s+", value))[:_MOST_MORE]
    for word in words:
        if value[: word.end()].count(" ") > _MOST_MORE:
            return
        field = labels.field(f"{label} {value[: word.end()]}")
        rest = value[word.end() :]
        if field is not None and (link := _LINK.match(rest)):
            yield from values_of(field, rest[link.end() :])
            return
