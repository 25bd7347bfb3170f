"""Where a document says the unit of a number that has none beside it: behind another number of the
same series, in the label before it, in the head of its column, in a column of units, or above."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from flows.analysis.extraction.units import converted, is_money, is_unit
from flows.data.documents.passages import DocumentPassage

_UNIT: Final = (
    r"(?:%|\u00b0\s?[CFK]?\b|[\"\u2033$\u20ac\u00a3]|per ?cent\b|(?:degrees|square|sq\.?|cubic) \w+"
    r"|[^\W\d_][^\s,;()|]*)"
)
# Further numbers of the same series: `60 x 40 x 30 cm`, `2 to 8 \u00b0C`.
_SERIES: Final = (
    r"(?:\s*(?:x|\u00d7|/|-|\u2013|\u2014|to|and|\.\.+|\u2026)\s*[-+\u2212]?\d+(?:[.,]\d+)?)"
)
_BRACKETS: Final = re.compile(r"[(\[]\s*(?:in\s+)?([^()\[\]]{1,16}?)\s*[)\]]")
_BEFORE: Final = re.compile(r"([^\s(:|]{1,5})\s*$")
_IN: Final = re.compile(rf"\bin\s+({_UNIT})", re.IGNORECASE)
_ABOUT_ALL: Final = re.compile(
    r"\b(?:all|measurements?|dimensions|values|sizes|weights|lengths|amounts|prices|figures|sums)\b",
    re.IGNORECASE,
)
# Behind a number these are words: `5 in total`.
_IN_A_PHRASE: Final = re.compile(r"(?:in|a)\s+(?!wide|long|high|deep|thick|x\b)[^\W\d_]")
_UNIT_COLUMNS: Final = frozenset({"unit", "units", "uom", "unit of measure"})
_LONGEST_LABEL: Final = 60


def written_unit(
    value: str,
    quote: str,
    passage: DocumentPassage,
    around: Sequence[DocumentPassage],
    wanted: str = "",
) -> str:
    """The unit of a number that a passage says, "" where nobody tells. `around` are the passages of
    its part of the document; what is said there of all numbers counts for those of its kind, if a
    unit is `wanted`."""
    start = _place(value, quote)
    if start < 0:
        return ""
    after, before = quote[start + len(value) :], quote[:start]
    unit = _behind(after) or _money_before(before)
    if not unit:
        in_row = bool(passage.cells)
        unit = _of_row(value, passage) if in_row else _of_label(before)
    if unit:
        return unit
    above = _above(passage, around)
    return above if not wanted or converted(1, above, wanted) is not None else ""


def unit_in(label: str) -> str:
    """The unit that a label tells: `Weight (kg)`, `Height, mm`, `Weight g/m2`, `Amount in EUR`."""
    for found in _BRACKETS.finditer(label):
        if is_unit(found[1]):
            return found[1]
    if (found_in := _IN.search(label)) and is_unit(found_in[1]):
        return found_in[1]
    words = label.rstrip(" :").rsplit(maxsplit=1)
    if len(words) == 2 and is_unit(words[1]) and _is_symbol(words[1], words[0]):
        return words[1]
    return ""


def without_unit(label: str) -> str:
    """A label without its unit."""
    unit = unit_in(label)
    if not unit:
        return label
    place = rf"\s*[(\[,]?\s*(?:\bin\s+)?{re.escape(unit)}\s*[)\]]?\s*"
    return re.sub(place, " ", label).strip()


def _is_symbol(unit: str, before: str) -> bool:
    """Whether the last word of a label is a unit and no word of its own: after a comma, or with a
    sign in it, or too short for a word."""
    if unit.strip(".").casefold() in ("min", "max"):
        return False  # the least, and not minutes
    return before.endswith(",") or not unit.isalpha() or len(unit) <= 2 or unit.isupper()


def _place(value: str, quote: str) -> int:
    found = re.search(rf"(?<!\w)(?<!\d[.,]){re.escape(value)}(?![\w])", quote, re.IGNORECASE)
    return found.start() if found else -1


def _behind(after: str) -> str:
    found = re.match(rf"{_SERIES}{{0,3}}[ \u00a0]*({_UNIT})", after, re.IGNORECASE)
    if found is None or _IN_A_PHRASE.match(after, found.start(1)):
        return ""
    for unit in (found[1], found[1].rstrip(".)"), re.split(r"[/.]", found[1])[0]):
        if is_unit(unit):
            return unit
    return ""


def _money_before(before: str) -> str:
    found = _BEFORE.search(before)
    return found[1] if found and is_money(found[1]) else ""


def _of_label(before: str) -> str:
    """The unit in the label before a value, which ends with the last colon."""
    label = before[-_LONGEST_LABEL:].rstrip(" :=|-\u2013")
    return unit_in(re.split(r"[;|.]\s", label)[-1]) if before.rstrip()[-1:] in ":=|-\u2013" else ""


def _of_row(value: str, passage: DocumentPassage) -> str:
    cells, head = passage.cells, passage.head
    places = [at for at, cell in enumerate(cells) if at and _place(value, cell) >= 0]
    titles = [each.casefold().strip(" .:") for each in head]
    for at, title in enumerate(titles):
        if title in _UNIT_COLUMNS and at < len(cells) and is_unit(cells[at]):
            return cells[at]
    if cells != head:
        for at in places:
            title = head[at] if at < len(head) else ""
            if _is_words(title) and (unit := unit_in(title)):
                return unit
    for at in places or [len(cells)]:
        before = next((each for each in reversed(cells[:at]) if _is_words(each)), "")
        if unit := unit_in(before):
            return unit
    return ""


def _is_words(cell: str) -> bool:
    return any(c.isalpha() for c in cell) and not cell[:1].isdigit()


def _above(passage: DocumentPassage, around: Sequence[DocumentPassage]) -> str:
    """The unit of all numbers of a section, as its heading or a sentence in it says."""
    title = passage.section.rpartition(" > ")[2]
    for found in _BRACKETS.finditer(title):
        if is_unit(found[1].casefold()):
            return found[1].casefold()
    for each in around:
        same = each.section == passage.section and not each.table
        found_in = _IN.search(each.text) if same and _ABOUT_ALL.search(each.text) else None
        if found_in is not None and is_unit(found_in[1].rstrip(".,")):
            return found_in[1].rstrip(".,")
    return ""
