"""How the answer is to be written: `in hours`, `in millions`, `rounded to two decimals`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from flows.analysis.language.phrasebook import Phrases
from flows.analysis.questions.parts import FormPart, PlacedPart
from flows.analysis.questions.text import Text
from flows.analysis.questions.units import CENTS, CURRENCY_NAMES, UNIT_NAMES, factor_between

_SCALES: Final = {
    "thousand": 1e3, "thousands": 1e3, "k": 1e3, "million": 1e6, "millions": 1e6, "mio": 1e6,
    "billion": 1e9, "billions": 1e9,
}  # fmt: skip
_PERCENT: Phrases[str] = Phrases({
    "percent": "in percent|as percent|in %|as a percentage|as percentages|as percentage"
    "|in percentages|percentages|as %|percent|in percent terms|in percentage terms|%"
    "|by what percentage|by what percent|by how many percent|by what %|how many percent"
    "|percentage|in per cent|in percentage|as share|as shares|as proportion|percentage wise",
})  # fmt: skip
_DIGITS = frozenset(["decimal", "decimals", "digit", "digits", "places"])
_NEAREST: Final = {
    "whole": 0, "integer": 0, "cent": 2, "cents": 2, "full": 0, "dollar": 0, "euro": 0, "year": 0,
}  # fmt: skip
_WHOLES: Final = frozenset([*CURRENCY_NAMES, "hours", "minutes", "days", "years", "percent"])
_FIGURES: Final = {"one": 1, "no": 0, "zero": 0, "without": 0, "w/o": 0, "any": 0}


def read_form(text: Text, at: int) -> Iterator[PlacedPart]:
    """The unit, the scale or the decimals of the answer."""
    word = text.word(at)
    if (percent := text.phrase(_PERCENT, at)) is not None:
        # `percentage of the orders` is rather a share.
        part = 0.1 if text.word(percent[1]) == "of" else 0.0
        yield PlacedPart(FormPart(percent=True), at, percent[1], part)
    if (stated := _stated(text, at)) is not None:
        yield PlacedPart(FormPart(), at, stated[2])
    begin = at + (word in ("in", "as"))
    unit = text.word(begin)
    for place in range(at, len(text)) if unit in UNIT_NAMES else ():
        factor = _stated(text, place)
        # `in km (1 mile = 1.609 km)`: how to convert it is said.
        if factor is not None and factor_between(factor[0], unit) == 1.0:
            yield PlacedPart(FormPart(scale=1 / factor[1]), at, begin + 1)
        elif factor is not None and factor_between(text.word(place + 1), unit) == 1.0:
            yield PlacedPart(FormPart(scale=factor[1]), at, begin + 1)
    if word in ("whole", "full") and text.word(at + 1) in ("number", "numbers"):
        yield PlacedPart(FormPart(decimals=0), at, at + 2)
    # `k. A.` is no thousand
    if unit in _SCALES and (unit != "k" or begin > at):
        end = begin + 1
        if text.word(end) == "of":
            end += 1
        currency = CURRENCY_NAMES.get(text.word(end), "")
        yield PlacedPart(FormPart(scale=_SCALES[unit], currency=currency), at, end + bool(currency))
    elif unit in UNIT_NAMES and len(unit) > 1 and not _any_stated(text):
        yield PlacedPart(FormPart(unit=unit), at, begin + 1, 0.0 if begin > at else 0.05)
    elif unit in CENTS and begin > at:
        yield PlacedPart(FormPart(currency="cents"), at, begin + 1, 0.02)
    elif unit in CURRENCY_NAMES and begin > at:
        yield PlacedPart(FormPart(currency=CURRENCY_NAMES[unit]), at, begin + 1, 0.02)
    if word == "rounded" and text.word(at + 1) not in ("to", "on"):
        yield PlacedPart(FormPart(decimals=0), at, at + 1)
    if (found := _decimals(text, at)) is not None:
        yield PlacedPart(FormPart(decimals=found[0]), at, found[1])


def _stated(text: Text, at: int) -> tuple[str, float, int] | None:
    """`1 mile = 1.609 km`: the unit, how many of it one of the other is, and the place behind."""
    one, end = text.number(at), at + 2
    end += text.word(end) in ("=", "is", "are", "equals")
    if one != 1 or end == at + 2 or not text.word(at + 1).isalpha():
        return None
    factor, unit = text.number(end), text.word(end + 1)
    known = unit in UNIT_NAMES or text.word(at + 1) in UNIT_NAMES
    return (unit, float(factor), end + 2) if factor and known else None


def _any_stated(text: Text) -> bool:
    return any(_stated(text, place) is not None for place in range(len(text)))


def _decimals(text: Text, at: int) -> tuple[int, int] | None:
    """The number of decimals, and the place behind the words that say it."""
    begin = at
    if text.word(begin) in ("round", "rounded", "rounding"):
        begin += 1
    begin += text.word(begin) in ("to", "with", "on", "at")
    if text.word(begin) == "nearest" and text.word(begin + 1) in _NEAREST:
        end = begin + 2
        while text.word(end) in _NEAREST or text.word(end) in ("number", "numbers"):
            end += 1
        return _NEAREST[text.word(begin + 1)], end
    if text.word(begin) in ("full", "whole") and text.word(begin + 1) in _WHOLES and begin > at:
        return 0, begin + 2  # `rounded to full euros`
    value = text.number(begin)
    count = int(value) if value is not None else _FIGURES.get(text.word(begin))
    end = begin + 1
    end += text.word(end) in ("decimal",) and text.word(end + 1) in _DIGITS
    if count is None or not 0 <= count <= 12 or text.word(end) not in _DIGITS:
        return None
    end += 1
    if text.sees(end, "after", "point") or text.sees(end, "after", "comma"):
        end += 2
    return count, end
