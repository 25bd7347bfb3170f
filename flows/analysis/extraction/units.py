"""Units of numbers in documents: what they measure, and a number of one in another.

Units of time, length, area, mass and money are those that questions know; here are the others that
data sheets and contracts use, and those made of two, such as `g/m2` and `m3/h`.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple

from flows.analysis.questions.units import CURRENCY_NAMES, ratio_between

# What a unit measures, how many of the kind's first unit it is, and its names.
_UNITS_TEXT: Final = """
    length 0.0254 in inch inches " \u2033
    length 0.9144 yd yard yards
    length 1 masl
    length 0.000001 \u00b5m \u03bcm micron microns micrometer micrometre
    area 0.0001 cm2 cm\u00b2
    area 0.000001 mm2 mm\u00b2
    area 10000 ha hectare hectares
    mass 0.001 mg milligram milligrams
    mass 28.349523125 oz ounce ounces
    volume 1 l litre litres liter liters ltr
    volume 0.001 ml millilitre millilitres milliliter milliliters cc cm3 cm\u00b3
    volume 0.01 cl
    volume 1000 m3 m\u00b3 cbm
    volume 3.785411784 gal gallon gallons
    calendar 1 month months
    calendar 12 year years yr yrs y annum
    power 1 w watt watts
    power 1000 kw kilowatt kilowatts
    power 1000000 mw megawatt megawatts
    energy 1/3600 j joule joules
    energy 1/3.6 kj
    energy 4.184/3.6 kcal
    tension 1 v volt volts
    tension 1000 kv
    current 1 amp amps ampere amperes
    frequency 1 hz
    frequency 1000 khz
    frequency 1000000 mhz
    pressure 1 pa
    pressure 100 hpa mbar
    pressure 1000 kpa
    pressure 100000 bar
    pressure 6894.757293168 psi
    sound 1 db decibel decibels
    temperature 1 \u00b0c degc celsius
    temperature 5/9 \u00b0f degf fahrenheit
    temperature 1 k kelvin
    torque 1 nm n\u00b7m
    force 1 n newton newtons
    angle 1 \u00b0 degree degrees deg
    share 1 % percent pct
    share 0.1 \u2030
    length/time 1852/3600 kn knot knots
    length/time 0.44704 mph
    mass/area 1 gsm
    1/time 1/60 rpm min-1
"""
_KINDS: Final = {"time": "s", "length": "m", "area": "m2", "mass": "g", "energy": "wh"}
_ABSOLUTE: Final = frozenset({"k", "kelvin"})
_FAHRENHEIT_ZERO: Final = Fraction(45_967, 180)  # in kelvin
_CELSIUS_ZERO: Final = Fraction(27_315, 100)
_DEGREES: Final = frozenset({"\u00b0", "degree", "degrees"})
_SIGNS: Final = {"$": "USD", "us$": "USD", "\u20ac": "EUR", "\u00a3": "GBP", "\u00a5": "JPY"}
CODES: Final = frozenset(
    {*CURRENCY_NAMES.values(), "CNY", "INR", "CAD", "AUD", "BRL", "SEK", "NOK", "DKK", "PLN", "CZK"}
)
_MONEY: Final = {
    **CURRENCY_NAMES, **_SIGNS, **{code.casefold(): code for code in CODES},
}  # fmt: skip
_SQUARE: Final = re.compile(r"^(?:sq\.?|square) ?(\w+?)s?$")
_CUBIC: Final = re.compile(r"^cubic ?(\w+?)s?$")
_LONG_LENGTHS: Final = {"meter": "m", "metre": "m", "foot": "ft", "feet": "ft", "centimetre": "cm",
                        "centimeter": "cm", "millimetre": "mm", "millimeter": "mm"}  # fmt: skip


def _table() -> dict[str, tuple[str, Fraction]]:
    found: dict[str, tuple[str, Fraction]] = {}
    for line in _UNITS_TEXT.strip().splitlines():
        kind, factor, *names = line.split()
        over, _, under = factor.partition("/")
        found.update(dict.fromkeys(names, (kind, Fraction(over) / Fraction(under or "1"))))
    return found


_UNITS: Final = _table()


class UnitMeasure(NamedTuple):
    """What a unit measures, and how many of the kind's own unit one is."""

    kind: str
    factor: Fraction


def plain_unit(unit: str) -> str:
    """A unit without what does not change it: capitals, dots, remarks in brackets."""
    low = re.sub(r"(?<=\w)\([^()]*\)$", "", unit.strip().casefold()).strip(" .")
    low = re.sub(r"\bper ?cent\b", "%", low)
    low = re.sub(r"\bdeg(?:ree)?s? ?(?=c|f)|\u00b0 +|\u00ba ?", "\u00b0", low)
    low = re.sub(r"\s*(?:/|\bper\b)\s*", "/", low).replace("\u00b0celsius", "\u00b0c")
    if found := _SQUARE.match(low):
        return f"{_LONG_LENGTHS.get(found[1], found[1])}2"
    if found := _CUBIC.match(low):
        return f"{_LONG_LENGTHS.get(found[1], found[1])}3"
    return low


@lru_cache(maxsize=2048)
def measures(unit: str) -> tuple[UnitMeasure, ...]:
    """What a unit may measure; none for a word that is no unit. A year is one of time and one of
    the calendar."""
    plain = plain_unit(unit)
    found = [*_simple(plain)]
    over, slash, under = plain.partition("/")
    if not found and slash and under:
        tops = [UnitMeasure("1", Fraction(1))] if over == "1" else _simple(over)
        found = [
            UnitMeasure(f"{top.kind}/{low.kind}", top.factor / low.factor)
            for top in tops
            for low in _simple(under)
        ]
    return tuple(found)


def _simple(plain: str) -> list[UnitMeasure]:
    found = [
        UnitMeasure(kind, ratio)
        for kind, base in _KINDS.items()
        if (ratio := ratio_between(plain, base)) is not None
    ]
    if plain in _UNITS:
        found.append(UnitMeasure(*_UNITS[plain]))
    if plain in _DEGREES:
        found.append(UnitMeasure("temperature", Fraction(1)))
    thousands = plain.removeprefix("k")
    if plain in _MONEY:
        found.append(UnitMeasure(_MONEY[plain], Fraction(1)))
    elif thousands != plain and thousands in _MONEY:
        found.append(UnitMeasure(_MONEY[thousands], Fraction(1000)))
    return found


def is_unit(text: str) -> bool:
    return bool(measures(text))


def is_money(text: str) -> bool:
    return any(each.kind in CODES for each in measures(text))


def converted(value: float, unit: str, wanted: str) -> float | None:
    """A number of one unit in another; None where they measure different things."""
    if plain_unit(unit) == plain_unit(wanted):
        return value
    for one in measures(unit):
        for other in measures(wanted):
            if one.kind != other.kind:
                continue
            zero = _zero(unit, one) - _zero(wanted, other)
            number = value * float(one.factor / other.factor) + float(zero / other.factor)
            return round(number, 9)
    return None


def _zero(unit: str, measure: UnitMeasure) -> Fraction:
    """Where a scale of temperature begins, in kelvin; 0 for everything else."""
    if measure.kind != "temperature":
        return Fraction(0)
    if plain_unit(unit) in _ABSOLUTE:
        return Fraction(0)
    return _CELSIUS_ZERO if measure.factor == 1 else _FAHRENHEIT_ZERO
