"""The values of fields: from how documents write them to numbers, dates, answers and items."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from flows.analysis.extraction.amounts import amount_at, amount_in, is_range
from flows.analysis.extraction.dates import date_in, read_date
from flows.analysis.extraction.fields import DocumentField
from flows.analysis.extraction.units import converted, is_unit, plain_unit
from flows.core.observation import Cell

_REST: Final = re.compile(
    r"\s*(?:$|[(\[;,.:\u00b1+/|*]|(?:per|each|a|an|p\.a|at|for|from|in|incl|excl|plus|and up)\b)",
    re.IGNORECASE,
)
_YES: Final = frozenset({
    "yes", "y", "true", "required", "needed", "allowed", "permitted", "included", "available",
    "\u2713", "\u2714", "\u2611", "x", "[x]",
})  # fmt: skip
_NO: Final = frozenset({"no", "n", "false", "none", "\u2717", "\u2718", "\u2610", "[ ]", "[]"})
_NOT: Final = re.compile(r"(?:not|no|never)\s+(?=\w)")
_ITEMS: Final = re.compile(r"\s*[,;\u2022|]\s*(?:and\s+)?|\s+and\s+|\s+/\s+")
_BULLET: Final = re.compile(r"\s*(?:[-*+\u2013\u2022\u2023\u25aa]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+")
# A mark that leads to a footnote, behind a value: `54.5*`, `12 kg (a)`, `54.5\u00b9`.
_FOOTNOTE: Final = re.compile(
    r"(?<=[\w%\"])\s*(?:[*\u2020\u2021\u00a7]{1,3}|(?<=\d)[\u00b9\u00b2\u00b3\u2070-\u2079]+"
    r"|\s[\u00b9\u00b2\u00b3\u2070-\u2079]+|\s\(?(?:[a-z]|\d)\)|\[\^?\w{1,3}\])$"
)
_RAISED: Final = re.compile(r"([^\W\d_]+)([\u00b9\u00b2\u00b3\u2070-\u2079]+)$")


class TypedValue(NamedTuple):
    """A value of a field's type, and the unit of a number."""

    value: Cell
    unit: str = ""


def typed_value(text: str, field: DocumentField) -> TypedValue:
    """The value that a text gives. Errors: `ValueError` says why it gives none."""
    said = text.strip().strip("\"'\u201c\u201d").strip() if field.type == "text" else text.strip()
    if not said:
        raise ValueError("it is empty")
    if field.type in ("number", "integer"):
        return _number(said, field)
    if field.type == "date":
        return TypedValue(read_date(said).isoformat())
    if field.type == "boolean":
        return TypedValue(_answer(said))
    return TypedValue(_allowed(_BULLET.sub("", said, count=1), field))


def is_value(text: str, field: DocumentField) -> bool:
    """Whether a text is a value of the field."""
    try:
        typed_value(text, field)
    except ValueError:
        return False
    return True


def value_at(text: str, field: DocumentField) -> str:
    """The value of the field's type that a text begins with; "" for none. A number has a unit of
    the field's, or stands where the text breaks off."""
    if field.values:
        text = text.lstrip("\"'\u201c\u201e")
        low = text.casefold()
        known = [each for each in field.values if re.match(rf"{re.escape(each.casefold())}\b", low)]
        return text[: len(max(known, key=len))] if known else ""
    if field.type == "date":
        value = date_in(text)
        return value if value and is_value(value, field) else ""
    text = text.lstrip("\"'\u201c\u201e")
    value = "" if is_range(text) else amount_in(text, field.unit)
    return value if value and is_measured(value, field, text) and is_value(value, field) else ""


def is_measured(amount: str, field: DocumentField, text: str = "") -> bool:
    """Whether an amount has a unit of the field's, or the text breaks off where one would be."""
    try:
        found = amount_at(amount)
    except ValueError:
        return False
    if found is None:
        return False
    if not field.unit:
        return not is_unit(found.unit) or field.type == "number"
    if found.unit:
        return converted(found.value, found.unit, field.unit) is not None
    rest = text[text.find(amount) + len(amount) :] if text else ""
    return bool(text) and re.match(r"\s*(?:$|[.,;()])", rest) is not None


def without_footnote(text: str) -> str:
    """A value without the mark of a footnote. The one of `m\u00b2` is none."""
    plain = _FOOTNOTE.sub("", text.strip())
    raised = _RAISED.search(plain)
    return plain[: raised.start(2)] if raised and not is_unit(raised[0]) else plain


def items_of(text: str) -> tuple[str, ...]:
    """The items of a list in one text."""
    plain = _BULLET.sub("", text.strip(), count=1)
    return tuple(each.strip(" .") for each in _ITEMS.split(plain) if each.strip(" ."))


def _number(text: str, field: DocumentField) -> TypedValue:
    found = amount_at(text)
    if found is None:
        raise ValueError(f"{text!r} is no number")
    if is_range(text):
        raise ValueError(f"{text!r} is a range")
    value, unit, wanted = found.value, found.unit, field.unit.strip()
    rest = text[text.find(found.text) + len(found.text) :]
    known = is_unit(unit) or plain_unit(unit) == plain_unit(wanted)
    if not (_REST.match(rest) or (known and wanted)):
        raise ValueError(f"{text!r} is more than a number")
    if wanted and unit:
        told = converted(value, unit, wanted)
        if told is None:
            raise ValueError(f"{text!r} is not in {wanted}")
        value, unit = told, wanted
    if field.type == "integer":
        if value != int(value):
            raise ValueError(f"{text!r} is no whole number")
        return TypedValue(int(value), wanted or unit)
    return TypedValue(value, wanted or unit)


def _answer(text: str) -> bool:
    low = text.casefold().strip(".! ")
    if low in _YES or low in _NO:
        return low in _YES
    if (negative := _NOT.match(low)) and low[negative.end() :] in _YES:
        return False
    raise ValueError(f"{text!r} is neither yes nor no")


def _allowed(text: str, field: DocumentField) -> str:
    """The text as the field's allowed values write it."""
    if not field.values:
        return text
    found = [each for each in field.values if each.casefold() == text.casefold().rstrip(".")]
    if not found:
        raise ValueError(f"{text!r} is none of: {', '.join(field.values)}")
    return found[0]
