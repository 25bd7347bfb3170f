"""Amounts: a number in figures or in words, with what stands around it and its unit."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from flows.analysis.extraction.units import CODES, is_money, is_unit, plain_unit
from flows.data.answers.number_words import find_spelled

_SPACES: Final = "\u00a0\u2009\u202f "
_GROUPED: Final = r"\d{1,3}(?:[,'.\u2019\u00a0\u2009\u202f ]\d{3})+(?!\d)"
_FIGURES: Final = rf"[-+\u2212\u2013]?(?:{_GROUPED}(?:[.,]\d+)?|\d+(?:[.,]\d+)?)"
_FRACTION: Final = r"(?:[ -]?\d+/\d+)?"
_HEDGE: Final = re.compile(
    r"(?:(?:approx(?:\.|imately)?|about|around|roughly|ca\.?|circa|some|up to|at (?:least|most)"
    r"|(?:no |not )?(?:more|less) than|max(?:imum|\.)?|min(?:imum|\.)?"
    r"|[~\u2248<>\u2264\u2265])\s*)*",
    re.IGNORECASE,
)
_MONEY: Final = re.compile(rf"(?:US\$|[$\u20ac\u00a3\u00a5]|(?:{'|'.join(sorted(CODES))})\b)\s*")
_NUMBER: Final = re.compile(rf"\d+/\d+(?![\d/])|{_FIGURES}{_FRACTION}")
_SCALE: Final = re.compile(r"\s?(thousand|million|mio\.?|billion|bn|k(?=\b))\b", re.IGNORECASE)
_SCALES: Final = {"thousand": 1e3, "k": 1e3, "million": 1e6, "mio": 1e6, "billion": 1e9, "bn": 1e9}
_LETTERS: Final = r"(?:\u00b0\s?)?[^\W\d_]+[\u00b2\u00b323]?(?![\w])"
# Words after a number that are no unit of it.
_NO_UNIT: Final = (
    r"(?!(?:per|each|to|and|or|of|with|x|by|for|from|in(?=\s+(?!wide|long|high|deep|thick|x\b)[^\W\d_])|is|are"
    r"|at|on|after|before)\b)"
)
_UNIT: Final = re.compile(
    rf"\s*(?P<unit>%|per ?cent\b|\u2030|1/min\b|(?:degrees?|sq\.?|square|cubic)\s+[^\W\d_]+"
    rf"|{_NO_UNIT}{_LETTERS}(?:/{_LETTERS})?(?:\([A-Z]\))?|[\"\u2033\u20ac$\u00a3](?!\w)|\u00b0)",
    re.IGNORECASE,
)
_RANGE: Final = re.compile(
    r"\s*(?:-|\u2013|\u2014|to\b|\u2026|\.\.+)\s*[+\u2212-]?\d", re.IGNORECASE
)


class Amount(NamedTuple):
    """A number that a text begins with: its value, its unit as it is written or "", and the part of
    the text that it takes. `number` ends before the unit."""

    value: float
    unit: str
    text: str
    number: str


def amount_at(text: str) -> Amount | None:
    """The amount that a text begins with, after words such as `about`. Errors: `ValueError` for a
    fraction of nothing."""
    start = _HEDGE.match(text)
    at = start.end() if start else 0
    money = _MONEY.match(text, at)
    at = money.end() if money else at
    said = _figures(text, at) or _spelled(text, at)
    if said is None:
        return None
    value, end = said
    number_end = end
    unit = money[0].strip() if money else ""
    if not unit and (after := _UNIT.match(text, end)):
        unit, end = after["unit"], after.end()
    thousands = re.search(r"(?:^|\D)\d{1,3}\.\d{3}$", text[at:number_end])
    if thousands and is_money(unit) and value == int(value * 1000) / 1000 and value < 1000:
        value *= 1000  # no money has three places
    return Amount(value, unit, text[:end].strip(), text[at:number_end])


def amount_in(text: str, wanted: str = "") -> str:
    """The number with its unit that a text begins with; "" if it begins with none, or a range. A
    unit that is `wanted` need not be a known one."""
    try:
        found = amount_at(text)
    except ValueError:
        return ""
    if found is None or is_range(text):
        return ""
    # A word behind a number that is no unit is not taken with it.
    known = is_unit(found.unit) or plain_unit(found.unit) == plain_unit(wanted)
    if found.unit and not known and found.text.endswith(found.unit):
        return found.text[: -len(found.unit)].strip()
    return found.text


def is_range(text: str) -> bool:
    """Whether a text begins with two numbers, from one to the other."""
    return range_at(text) is not None


def range_at(text: str) -> tuple[Amount, Amount, str] | None:
    """The ends of a range that a text begins with, and what parts them: `2 to 8 °C`, `2 °C - 8 °C`.
    The first has the unit of the second where it is written once."""
    between = re.match(r"(?:between|from)\s+", text, re.IGNORECASE)
    start = between.end() if between else 0
    low = _amount(text[start:])
    if low is None:
        return None
    for length in {len(low.text), _length_of_number(text[start:], low)}:
        rest = text[start + length :]
        mark = _RANGE.match(rest)
        if mark is None and between:
            mark = re.match(r"\s*and\s+[+\u2212-]?\d", rest)
        if mark is None:
            continue
        at = mark.end() - 1
        at -= rest[at - 1] in "+\u2212" or (
            rest[at - 1] == "-" and rest[at - 2 : at - 1] in (" ", ".")
        )
        high = _amount(rest[at:])
        if high is not None:
            unit = low.unit if is_unit(low.unit) else high.unit
            return low._replace(unit=unit), high, text
    return None


def _length_of_number(text: str, amount: Amount) -> int:
    return text.find(amount.number) + len(amount.number)


def _amount(text: str) -> Amount | None:
    try:
        return amount_at(text)
    except ValueError:
        return None


def _figures(text: str, at: int) -> tuple[float, int] | None:
    found = _NUMBER.match(text, at)
    if found is None:
        return None
    value, end = figure(found[0]), found.end()
    if scale := _SCALE.match(text, end):
        value, end = value * _SCALES[scale[1].casefold().rstrip(".")], scale.end()
    return value, end


def _spelled(text: str, at: int) -> tuple[float, int] | None:
    """A number in words, up to what it counts: `two hundred and ten`."""
    piece = text[at : at + 120]
    if re.match(r"one\b(?! (?:hundred|thousand|million|and a))", piece, re.IGNORECASE):
        return 1.0, at + 3
    found = next(find_spelled(piece), None)
    if found is None or found.start:
        return None
    return found.readings[0].value, at + found.end


def figure(text: str) -> float:
    """A number as people write it: with parts of thousands, a comma for a point, or a fraction."""
    text = text.replace("\u2212", "-").replace("\u2013", "-").strip()
    whole, fraction = text, 0.0
    if found := re.search(r"(?:^|[ -])(\d+)/(\d+)$", text):
        if int(found[2]) == 0:
            raise ValueError(f"{text!r} is no number")
        whole, fraction = text[: found.start()].strip(), int(found[1]) / int(found[2])
    for space in (*_SPACES, "'", "\u2019"):
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
