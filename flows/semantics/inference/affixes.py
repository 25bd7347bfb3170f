"""What stands before or behind the numbers of a column: a currency, a unit, what is counted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_BLANKS = " \t\u00a0\u202f"
_SIGNS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY"}
_CODES_TEXT = """
    USD EUR GBP JPY CHF CAD AUD NZD SEK NOK DKK PLN CZK HUF RON BGN INR CNY HKD SGD KRW THB IDR
    MYR PHP VND TRY ZAR BRL MXN ARS CLP COP PEN ILS AED SAR EGP NGN KES RUB UAH ISK
"""
_CODES = frozenset(_CODES_TEXT.split())
_CURRENCIES = {
    **dict.fromkeys(("euro", "euros"), "EUR"), **dict.fromkeys(("dollar", "dollars"), "USD"),
    **dict.fromkeys(("us$", "us $"), "USD"), "r$": "BRL", "a$": "AUD", "c$": "CAD", "hk$": "HKD",
    **dict.fromkeys(("kr", "kr."), "kr"), "zł": "PLN", "kč": "CZK", "₹": "INR", "rs": "INR",
    "rs.": "INR", "₽": "RUB", "₩": "KRW", "₺": "TRY", "fr.": "CHF", "sfr": "CHF", "sfr.": "CHF",
    **{each.casefold(): each for each in _CODES},
}  # fmt: skip
# Units that are written right behind a number, without a blank.
_UNITS_TEXT = """
    ms s sec secs second seconds min mins minute minutes h hr hrs hour hours d day days week weeks
    month months year years yr yrs mm cm m km mi mile miles ft feet in inch inches yd nm µm
    m² m2 qm sqm km² km2 ft² ft2 sqft ha acre acres m³ m3 l v w ml cl dl litre litres liter liters
    gal mg µg g kg t ton tons tonne tonnes lb lbs oz pound pounds kw mw gw wh kwh mwh gwh kj kcal
    cal kv mv ma ah mah hz khz mhz ghz db kb mb gb tb byte bytes bit bits mbit mbps gbps
    °c °f pa hpa kpa mpa bar mbar psi rpm km/h kmh kph mph m/s ppm ppb px pt pcs pc stk st
    tage tag stunden stunde minuten minute jahre jahr monate monat wochen woche stück std
"""
_UNITS = frozenset(_UNITS_TEXT.split())
# A single letter in capitals is rather a class or millions; these are none.
_CAPITALS = frozenset("WVL")
_FRONT = re.compile(r"[^\d]*")
_BACK = re.compile(r"[^\d]*$")
_EDGES = _BLANKS + "-+("
_SPLIT = re.compile(
    r"(?P<what>.*?)(?P<per>\s*/\s*[^\W\d_]+|(?:^|\s+)(?:per|pro|je|a)\s+[^\W\d_]+)?"
)
_WORDS = re.compile(r"[^\W\d_]{2,20}(?: [^\W\d_]{2,20})?")
_YEARS = range(1800, 2101)
_MANY = 3


@dataclass(frozen=True, slots=True)
class Affixed:
    """The numbers of texts without what stands around them: `left_out` is that in all its
    spellings, the longest first, and `unit` what it says of the numbers."""

    numbers: tuple[str, ...]
    left_out: tuple[str, ...]
    unit: str


def affixed_numbers(values: Sequence[str]) -> Affixed | None:
    """Texts that are numbers with one common text before or behind them, such as `3.5 kg`,
    `CHF 20` or `9.90 EUR/month`; None for others, and for those that are no amounts (`3rd`, `A4`).
    """
    parts = [_parts(each) for each in values]
    numbers = tuple(number for _, number, _ in parts)
    affixes = {(front, back) for front, _, back in parts if front or back}
    if not all(numbers) or not affixes or any(front and back for front, back in affixes):
        return None
    units = {_unit(front or back, is_front=bool(front)) for front, back in affixes}
    spellings = {each and (each.singular, each.known) for each in units}
    if None in spellings or len(spellings) != 1:
        return None
    named = [each for each in units if each is not None]
    unit = max(named, key=lambda each: (len(each.name), each.name))
    bare = sum(not (front or back) for front, _, back in parts)
    if 2 * bare >= len(parts) or not (unit.known or (not bare and _are_counted(values, numbers))):
        return None
    left_out = {front or back for front, back in affixes}
    ordered = tuple(sorted(left_out, key=lambda each: (-len(each), each)))
    return Affixed(numbers, ordered, unit.name)


def is_money(unit: str) -> bool:
    """Whether a unit is a currency, by what time or amount it may be."""
    return unit.partition("/")[0] in (*_CODES, "kr")


@dataclass(frozen=True, slots=True)
class _Unit:
    """What a text around numbers says, and whether it is known to be a unit."""

    name: str
    known: bool

    @property
    def singular(self) -> str:
        plain = self.name.casefold()
        one = plain.removesuffix("s")
        return one if one in _UNITS or not self.known else plain


def _parts(text: str) -> tuple[str, str, str]:
    """What stands before a number, the number with its sign and brackets, and what is behind."""
    front, back = _FRONT.match(text), _BACK.search(text)
    before, behind = front[0] if front else "", back[0] if back else ""
    if before == text:
        return "", "", ""
    word = before.rstrip(_EDGES + ".,") if _has_letters(before) else ""
    word += "." if word and before[len(word) :].startswith(".") else ""
    ending = behind.strip(_BLANKS) if _has_letters(behind) else ""
    inner = text.strip(_BLANKS).removesuffix(ending).strip(_BLANKS)
    return word.strip(_BLANKS), inner.removeprefix(word.strip(_BLANKS)).strip(_BLANKS), ending


def _has_letters(text: str) -> bool:
    return any(each.isalpha() or each in "₹₽₩₺°" for each in text)


def _unit(text: str, *, is_front: bool) -> _Unit | None:
    """What a text around a number says; None for one that is part of a name or a code."""
    found = _SPLIT.fullmatch(text)
    what, per = (found["what"].strip(), found["per"] or "") if found else (text, "")
    words = per.replace("/", " ").split()
    over = f"/{words[-1].casefold()}" if words else ""
    plain = what.casefold()
    money = _CURRENCIES.get(plain) or _SIGNS.get(plain)
    if money or is_front:
        return _Unit(f"{money}{over}", known=True) if money else None
    if text.casefold() in _UNITS and _is_unit(text):
        return _Unit(text, known=True)
    if (plain in _UNITS and _is_unit(what)) or (plain in ("", "%") and over):
        return _Unit(f"{what}{over}", known=True)
    return _Unit(what + over, known=False) if what.islower() and _WORDS.fullmatch(what) else None


def _is_unit(text: str) -> bool:
    return len(text) > 1 or text.islower() or text in _CAPITALS


def _are_counted(values: Sequence[str], numbers: Sequence[str]) -> bool:
    """Whether numbers before an ordinary word are how many there are: several, and no years."""
    apart = all(re.search(r"\d\)?\s+[^\W\d_]", each) for each in values)
    years = all(each.isdecimal() and int(each) in _YEARS for each in numbers)
    return apart and len(set(numbers)) >= _MANY and not years
