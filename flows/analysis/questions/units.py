"""Units of time, length and mass, and the factors between them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from flows.analysis.language.words import split_identifier
from flows.analysis.questions.parts import Operand
from flows.analysis.questions.vocabulary import Vocabulary
from flows.semantics.query import Arithmetic, FieldRef

# Each kind of quantity: the names of its units, and how many of the smallest one are in it.
_UNITS_TEXT = """
    time 0.001 ms msec millisecond milliseconds
    time 1 s sec secs second seconds
    time 60 min mins minute minutes
    time 3600 h hr hrs hour hours
    time 86400 d day days
    time 604800 week weeks
    time 31557600 y yr yrs year years
    length 0.001 mm millimeter millimeters
    length 0.01 cm centimeter centimeters
    length 1 m meter meters metre metres
    length 1000 km kilometer kilometers kilometre kilometres
    length 1609.344 mi mile miles
    length 0.3048 ft foot feet
    area 1 m² sqm m2 qm
    area 0.09290304 ft² sqft ft2
    mass 1 g gram grams
    mass 1000 kg kilogram kilograms kilo kilos
    mass 453.59237 lb lbs pound pounds
    mass 1000000 t ton tons tonne tonnes
    energy 1 wh
    energy 1000 kwh
    energy 1000000 mwh
    size 1 byte bytes
    size 1000 kb
    size 1000000 mb megabyte megabytes
    size 1000000000 gb gigabyte gigabytes
"""
_UNITS: Final = {
    name: (kind, Fraction(factor))
    for kind, factor, *names in (line.split() for line in _UNITS_TEXT.strip().splitlines())
    for name in names
}
# Units that stand in names of columns as words of their own.
_SHORT: Final = frozenset(["m", "t", "g", "h", "d", "s", "y"])
UNIT_NAMES: Final = frozenset(_UNITS)
# What people call currencies, with the code of each.
CURRENCY_NAMES: Final = {
    "dollar": "USD", "dollars": "USD", "usd": "USD", "euro": "EUR", "euros": "EUR", "eur": "EUR",
    "gbp": "GBP", "sterling": "GBP", "francs": "CHF", "chf": "CHF", "yen": "JPY", "jpy": "JPY",
}  # fmt: skip
# The hundredth part of most of them.
CENTS: Final = frozenset(["ct", "cent", "cents", "pence", "penny"])
CURRENCIES: Final = frozenset(CURRENCY_NAMES.values())


def ratio_between(unit: str, other: str) -> Fraction | None:
    """How many of the other unit one is, exactly; None where they measure different things."""
    one, two = _UNITS.get(unit), _UNITS.get(other)
    if one is None or two is None or one[0] != two[0]:
        return None
    return one[1] / two[1]


def factor_between(unit: str, other: str) -> float | None:
    """How many of the other unit one is; None where they measure different things."""
    ratio = ratio_between(unit, other)
    return None if ratio is None else float(ratio)


def unit_of(operand: Operand, vocabulary: Vocabulary) -> str:
    """The unit of a measure: what its field says, or its name; empty where nothing says it."""
    if isinstance(operand, Arithmetic):
        left = operand.left
        time = isinstance(left, FieldRef) and vocabulary.role(left) == "time"
        return "d" if operand.operator == "-" and time else ""
    field = vocabulary.field(operand)
    if field is None:
        return ""
    unit = field.unit.casefold()
    if _is_minimum(field.name, operand, vocabulary):
        return unit if unit in _UNITS else ""
    said = [w for w in split_identifier(field.name) if w in _UNITS and w not in _SHORT]
    if len({_UNITS[each][0] for each in said}) > 1:
        return ""  # `kwh per sqm`
    if unit in _UNITS:
        return unit
    words = split_identifier(field.name)
    if len(words) > 1 and words[-1] in _UNITS:
        return words[-1]
    return next((each for each in words if each in _UNITS and each not in _SHORT), "")


def _is_minimum(name: str, operand: Operand, vocabulary: Vocabulary) -> bool:
    """Whether `min` in a name stands for the least and not for minutes: another field has `max`."""
    words = split_identifier(name)
    if "min" not in words or not isinstance(operand, FieldRef):
        return False
    dataset = vocabulary.model.dataset(operand.dataset)
    twin = tuple("max" if each == "min" else each for each in words)
    return dataset is not None and any(twin == split_identifier(e.name) for e in dataset.fields)


def is_of_time(unit: str) -> bool:
    """Whether a unit is one of time."""
    return unit in _UNITS and _UNITS[unit][0] == "time"


def measures_in(unit: str, vocabulary: Vocabulary) -> Iterator[tuple[FieldRef, float]]:
    """The measures that are told in a unit, each with what it costs to believe that it is meant:
    less where there is no other."""
    found = [
        each
        for dataset in vocabulary.model.datasets
        for each in vocabulary.operands(dataset.name)
        if unit
        and isinstance(each, FieldRef)
        and factor_between(unit, unit_of(each, vocabulary)) == 1.0
    ]
    for each in found:
        yield each, 0.05 + 0.15 * (len(found) - 1)
