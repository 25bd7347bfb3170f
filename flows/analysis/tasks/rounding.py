"""How many decimals a text wants."""

from __future__ import annotations

import re

_NUMBERS = {
    "zero": 0, "no": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6,
}  # fmt: skip
_PLACES = {"integer": 0, "whole number": 0, "tenth": 1, "hundredth": 2, "thousandth": 3}
_COUNT = rf"(?P<count>\d{{1,2}}|{'|'.join(_NUMBERS)})"
ROUNDING = re.compile(
    rf"(?:,? *\b(?:and )?(?:round(?:ed|ing)?|accurate|correct|precise|precision|shown?|given|keep|"
    rf"report(?:ed)?|formatted)\b(?: ?off)?(?: (?:the|your|all|each|every|final|\w+)){{0,4}}? *)?"
    rf"(?:\b(?:to|up to|at|with|of|within))? *(?:the )?"
    rf"(?:\b{_COUNT}[ -]decimals?\b(?: (?:places?|points?|digits?))?|"
    rf"\b(?:nearest )(?P<place>{'|'.join(_PLACES)})s?\b)"
    rf"(?: (?:places|precision))?",
    re.IGNORECASE,
)


def decimals_in(text: str) -> int | None:
    """The decimals that a text asks for; None where it asks for none."""
    found = ROUNDING.search(text)
    return decimals_of(found) if found is not None else None


def decimals_of(found: re.Match[str]) -> int:
    """The decimals that a place in a text asks for."""
    count, place = found.group("count"), found.group("place")
    if place is not None:
        return _PLACES[place.lower()]
    return int(count) if count.isdecimal() else _NUMBERS[count.lower()]
