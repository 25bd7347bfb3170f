"""Numbers that are written as text: money, percentages, units, decimal commas, brackets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from flows.data.tables import Column
from flows.semantics.inference.affixes import affixed_numbers, is_money
from flows.semantics.inference.words import words_of
from flows.semantics.model import Number

# What a sign is as a unit. A dollar sign counts as that of the United States. These are the signs
# that are left out where a text is read as a number; with any other the text stays text.
_CURRENCIES = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY"}
_SIGN = "[$€£¥]"
_BLANK = "[ \u00a0\u202f]*"
_WRITTEN = re.compile(
    rf"{_BLANK}(?P<open>\()?{_BLANK}(?P<minus>[-+])?{_BLANK}(?P<before>{_SIGN})?{_BLANK}"
    rf"(?P<inner>[-+])?{_BLANK}(?P<digits>\d[\d.,' \u00a0\u202f]*?|[.,]\d+){_BLANK}"
    rf"(?P<behind>%|{_SIGN})?{_BLANK}(?P<close>\))?{_BLANK}"
)
# Names of texts in figures that nobody counts.
_CODES = frozenset(
    ("code", "number", "no", "nr", "num", "id", "login", "key", "yn", "mf", "flag", "ref",
     "version", "serial", "account", "card", "sku", "isbn", "ean", "password", "pin", "extension",
     "room", "section", "details")
)  # fmt: skip
_FIXED = 3
_GROUPS = re.compile(r"\d{1,4}(?:[\s.']\d{3,4})+")
_BLANKS = re.compile(r"[\s\u00a0\u202f]")
Decimal = Literal[".", ","]
Thousands = Literal["", ",", ".", " ", "'"]
# The mark before decimals and that between thousands; the simplest first.
_STYLES: tuple[tuple[Decimal, Thousands], ...] = (
    (".", ""), (",", ""), (".", ","), (",", "."), (".", " "), (",", " "), (".", "'"), (",", "'"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class WrittenNumbers:
    """How the numbers of a column are written, and of which unit the texts say they are."""

    cleaning: Number
    unit: str


def written_numbers(column: Column, values: Sequence[str]) -> WrittenNumbers | None:
    """How texts are read as numbers; None when one of them is none, when they could be read in two
    ways, or when they look like codes. `values` are those that are not missing."""
    around = affixed_numbers(values)
    plain = values if around is None else around.numbers
    found = [_WRITTEN.fullmatch(each) for each in plain]
    matches = [each for each in found if each is not None and _is_whole(each)]
    if len(matches) < max(len(found), 2):
        return None
    digits = [each["digits"].strip() for each in matches]
    unit = _common_unit({_unit(each) for each in matches})
    if around is not None:  # `€5m` is no length
        unit = around.unit if unit == "" else None
    if unit is None or _are_codes(column, values, digits, unit):
        return None
    style = _style(digits, money=is_money(unit))
    left_out = around.left_out if around else ()
    return style and WrittenNumbers(
        Number(decimal=style[0], thousands=style[1], left_out=left_out), unit
    )


def read_number(text: str, cleaning: Number) -> float | None:
    """The number that a text is by its cleaning; None for a text that is none."""
    for each in cleaning.left_out:
        text = text.replace(each, "")
    match = _WRITTEN.fullmatch(text)
    if match is None:
        return None
    plain = _BLANKS.sub("", match["digits"])
    plain = plain.replace(cleaning.thousands, "") if cleaning.thousands else plain
    try:
        number = float(plain.replace(cleaning.decimal, ".")) * cleaning.scale
    except ValueError:
        return None
    negative = match["open"] or "-" in _signs(match)
    return -number if negative else number


def _signs(match: re.Match[str]) -> str:
    return (match["minus"] or "") + (match["inner"] or "")


def _is_whole(match: re.Match[str]) -> bool:
    """Whether brackets close, and there is one minus and one currency at most."""
    minus = sum(bool(match[each]) for each in ("open", "minus", "inner"))
    once = minus < 2 and not (match["before"] and match["behind"])
    return once and bool(match["open"]) == bool(match["close"])


def _unit(match: re.Match[str]) -> str:
    sign = match["before"] or match["behind"] or ""
    return _CURRENCIES.get(sign, sign)


def _common_unit(units: set[str]) -> str | None:
    """The unit of all; money may lack its sign now and then. None for several units."""
    signed = units - {""}
    if len(signed) > 1 or (signed == {"%"} and units != signed):
        return None
    return next(iter(signed), "")


def _are_codes(column: Column, values: Sequence[str], digits: Sequence[str], unit: str) -> bool:
    """Whether the texts are rather identifiers: figures that begin with a nought, or plain ones
    in a column that is not one of numbers, and all marks that phones, dates and versions have."""
    if any(re.match(r"0\d", each) for each in digits):
        return True
    if unit or any("(" in each for each in values):
        return False
    if all(_GROUPS.fullmatch(each) for each in digits) and len({*map(len, digits)}) == 1:
        return True  # as phones are written
    if all(each.isdecimal() for each in digits):
        lengths = set(map(len, digits))
        fixed = len(lengths) == 1 and min(lengths) >= _FIXED
        named = _CODES.intersection(words_of(column.name))
        return column.role != "measure" or fixed or bool(named) or len(set(digits)) <= 2
    return column.role == "id" or any(len(re.findall(r"[.,]\d", each)) > 3 for each in digits)


def _style(digits: Sequence[str], *, money: bool) -> tuple[Decimal, Thousands] | None:
    """The one way to read all of them; of several the simplest, when they agree."""
    fitting = [each for each in _STYLES if all(_fits(text, *each) for text in digits)]
    if not fitting:
        return None
    readings = {tuple(_read(text, *each) for text in digits) for each in fitting}
    if len(readings) == 1:
        return fitting[0]
    if money:  # money has no three decimals
        fitting = [each for each in fitting if not any(_has_three(t, each[0]) for t in digits)]
        readings = {tuple(_read(text, *each) for text in digits) for each in fitting}
        return fitting[0] if len(readings) == 1 else None
    return None


def _has_three(text: str, decimal: Decimal) -> bool:
    return len(text.rpartition(decimal)[2].strip()) == 3 and decimal in text


def _fits(text: str, decimal: Decimal, thousands: Thousands) -> bool:
    mark = {" ": r"[ \u00a0\u202f]", "'": "'"}.get(thousands, re.escape(thousands))
    whole = rf"\d{{1,3}}(?:{mark}\d{{3}})+|\d+" if thousands else r"\d+"
    return (
        re.fullmatch(rf"(?:{whole})(?:{re.escape(decimal)}\d+)?|{re.escape(decimal)}\d+", text)
        is not None
    )


def _read(text: str, decimal: Decimal, thousands: Thousands) -> float:
    plain = _BLANKS.sub("", text)
    return float((plain.replace(thousands, "") if thousands else plain).replace(decimal, "."))
