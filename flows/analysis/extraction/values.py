"""The values of fields: from how documents write them to numbers, dates, answers and items."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Final, NamedTuple

from flows.analysis.extraction.fields import DocumentField
from flows.core.observation import Cell

_SPACES: Final = "\u00a0\u2009\u202f "
_NUMBER: Final = (
    r"[-+\u2212]?(?:\d{1,3}(?:[,'.\u00a0\u2009\u202f ]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?)"
)
_FRACTION: Final = r"(?:[ -]?\d+/\d+)?"
_AMOUNT: Final = re.compile(
    rf"(?:approx(?:\.|imately)?|about|ca\.?|circa|~|\u2248)?\s*(?P<before>[$\u20ac\u00a3])?\s*"
    rf"(?P<number>\d+/\d+|{_NUMBER}{_FRACTION})\s*"
    r"(?P<unit>(?!(?:per|each|to|and|or|of|with)\b)(?:%|\u00b0\s?[CF]\b|[^\W\d_]+(?:[\u00b2\u00b3]|/[^\W\d_]+[\u00b2\u00b323]?)?|[\"\u2033]))?",
    re.IGNORECASE,
)
_RANGE: Final = re.compile(r"\s*(?:-|\u2013|\u2014|to\b|\u2026|\.\.)\s*\d")
_REST: Final = re.compile(r"\s*(?:$|[(\[;,.\u00b1+/]|per\b|each\b)", re.IGNORECASE)
_YES: Final = frozenset({"yes", "y", "true", "required", "\u2713", "\u2714"})
_NO: Final = frozenset({"no", "n", "false", "not required", "none", "\u2717", "\u2718"})
_MONTHS: Final[Mapping[str, int]] = {
    name: number
    for number, names in enumerate(
        ("jan january", "feb february", "mar march", "apr april", "may", "jun june", "jul july",
         "aug august", "sep sept september", "oct october", "nov november", "dec december"),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
_DATES: Final = (
    re.compile(r"(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})"),
    re.compile(r"(?P<d>\d{1,2})(?:st|nd|rd|th)?[\s.-]+(?P<word>[a-z]{3,9})\.?,?[\s-]+(?P<y>\d{4})"),
    re.compile(r"(?P<word>[a-z]{3,9})\.?\s+(?P<d>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<y>\d{4})"),
    re.compile(r"(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})"),
)
_SLASHED: Final = re.compile(r"(\d{1,2})[/-](\d{1,2})[/-](\d{4})")
_ITEMS: Final = re.compile(r"\s*[,;\u2022|]\s*|\s+and\s+|\s+/\s+")
_BULLET: Final = re.compile(r"\s*(?:[-*+\u2022\u2023\u25aa]|\d{1,3}[.)])\s+")
# Units in one of a kind, so that the one can be told in the other.
_UNITS: Final[Mapping[str, tuple[str, float]]] = {
    "mm": ("length", 0.001), "cm": ("length", 0.01), "m": ("length", 1.0), "km": ("length", 1e3),
    "in": ("length", 0.0254), "inch": ("length", 0.0254), "inches": ("length", 0.0254),
    '"': ("length", 0.0254), "\u2033": ("length", 0.0254), "ft": ("length", 0.3048),
    "mg": ("mass", 1e-6), "g": ("mass", 0.001), "kg": ("mass", 1.0), "t": ("mass", 1e3),
    "lb": ("mass", 0.45359237), "lbs": ("mass", 0.45359237), "oz": ("mass", 0.028349523125),
    "gsm": ("weight of cloth", 1.0), "g/m\u00b2": ("weight of cloth", 1.0),
    "g/m2": ("weight of cloth", 1.0), "ml": ("volume", 0.001), "l": ("volume", 1.0),
    "s": ("time", 1.0), "sec": ("time", 1.0), "min": ("time", 60.0), "h": ("time", 3600.0),
    "hours": ("time", 3600.0), "minutes": ("time", 60.0), "days": ("time", 86400.0),
    "day": ("time", 86400.0), "weeks": ("time", 604800.0), "week": ("time", 604800.0),
}  # fmt: skip


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


def items_of(text: str) -> tuple[str, ...]:
    """The items of a list in one text."""
    return tuple(filter(None, _ITEMS.split(_BULLET.sub("", text.strip(), count=1))))


def amount_in(text: str) -> str:
    """The number with its unit that a text begins with; "" if it begins with none, or a range."""
    found = _AMOUNT.match(text)
    return found[0].strip() if found and not _RANGE.match(text[found.end() :]) else ""


def with_unit(value: str, quote: str) -> str:
    """A number with the unit that follows it in a quote, if it is one of those known here."""
    for found in re.finditer(
        rf"(?<!\w){re.escape(value)}\s*(?P<unit>[^\W\d_]+[^\s,;.]*|[%\"])", quote
    ):
        if found["unit"].casefold() in _UNITS or found["unit"] == "%":
            return f"{value} {found['unit']}"
    return value


def date_in(text: str) -> str:
    """The date that a text begins with; "" if it begins with none."""
    low = text.casefold()
    found = next((match for each in (*_DATES, _SLASHED) if (match := each.match(low))), None)
    return text[: found.end()] if found else ""


def read_date(text: str) -> date:
    """A day. Errors: `ValueError`, also for one whose day and month may be changed about."""
    low = text.strip().rstrip(".").casefold()
    for form in _DATES:
        if (found := form.fullmatch(low)) is None:
            continue
        given = found.groupdict()
        month = _MONTHS.get(given["word"]) if "word" in given else int(given["m"])
        if month is not None:
            return date(int(given["y"]), month, int(given["d"]))
    if found := _SLASHED.fullmatch(low):
        first, second, year = (int(each) for each in found.groups())
        if first > 12 or first == second:
            return date(year, second, first)
        if second > 12:
            return date(year, first, second)
        raise ValueError(f"{text!r} may be two dates: the day or the month may stand first")
    raise ValueError(f"{text!r} is no date")


def _number(text: str, field: DocumentField) -> TypedValue:
    found = _AMOUNT.match(text)
    if found is None:
        raise ValueError(f"{text!r} is no number")
    rest, unit = text[found.end() :], (found["unit"] or found["before"] or "").strip()
    wanted = field.unit.strip()
    known = unit.casefold() in (wanted.casefold(), *_UNITS, "%", "$", "\u20ac", "\u00a3")
    if _RANGE.match(rest):
        raise ValueError(f"{text!r} is a range")
    if not (_REST.match(rest) or (known and wanted)):
        raise ValueError(f"{text!r} is more than a number")
    value = _figure(found["number"])
    if wanted and unit and unit.casefold() != wanted.casefold():
        value, unit = _converted(value, unit, wanted, text), wanted
    if field.type == "integer":
        if value != int(value):
            raise ValueError(f"{text!r} is no whole number")
        return TypedValue(int(value), wanted or unit)
    return TypedValue(value, wanted or unit)


def _figure(text: str) -> float:
    """A number as people write it: with parts of thousands, a comma for a point, or a fraction."""
    text = text.replace("\u2212", "-").strip()
    whole, fraction = text, 0.0
    if found := re.search(r"(?:^|[ -])(\d+)/(\d+)$", text):
        if int(found[2]) == 0:
            raise ValueError(f"{text!r} is no number")
        whole, fraction = text[: found.start()].strip(), int(found[1]) / int(found[2])
    for space in (*_SPACES, "'"):
        whole = whole.replace(space, "")
    if "," in whole and "." in whole:
        last = max(whole.rfind(","), whole.rfind("."))
        whole = re.sub(r"[.,]", "", whole[:last]) + "." + whole[last + 1 :]
    elif whole.count(",") > 1 or re.fullmatch(r"[-+]?[1-9]\d{0,2},\d{3}", whole):
        whole = whole.replace(",", "")
    elif whole.count(".") > 1:
        whole = whole.replace(".", "")
    value = float(whole.replace(",", ".") or 0)
    return value - fraction if whole.startswith("-") else value + fraction


def _converted(value: float, unit: str, wanted: str, text: str) -> float:
    one, other = _UNITS.get(unit.casefold()), _UNITS.get(wanted.casefold())
    if one is None or other is None or one[0] != other[0]:
        raise ValueError(f"{text!r} is not in {wanted}")
    return round(value * one[1] / other[1], 9)


def _answer(text: str) -> bool:
    low = text.casefold().rstrip(".! ")
    if low in _YES or low in _NO:
        return low in _YES
    raise ValueError(f"{text!r} is neither yes nor no")


def _allowed(text: str, field: DocumentField) -> str:
    """The text as the field's allowed values write it."""
    if not field.values:
        return text
    found = [each for each in field.values if each.casefold() == text.casefold().rstrip(".")]
    if not found:
        raise ValueError(f"{text!r} is none of: {', '.join(field.values)}")
    return found[0]
