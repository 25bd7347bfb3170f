"""Units as questions write them: `km`, `square meters`."""

from __future__ import annotations

from flows.analysis.language.phrasebook import Phrases
from flows.analysis.questions.text import Text

_UNITS_TEXT = """
    minute minutes hour hours day days second seconds week weeks month months year years dollar
    dollars euro euros usd eur gbp percent kg g km miles mile meters metres pounds degrees points
    pieces min h hr sec tonne tonnes ton tons
    sqm m2 m² qm sqft ft2 ft²
"""
AREAS: Phrases[str] = Phrases({
    "sqm": "square meter|square meters|square metre|square metres|sq m|sqm|m2|m²|qm",
    "sqft": "square foot|square feet|sq ft|sqft|ft2",
})  # fmt: skip
UNIT_WORDS = frozenset(_UNITS_TEXT.split())


def unit_at(text: Text, at: int) -> tuple[int, str]:
    """The unit at a place and the place behind it; empty where none stands."""
    word = text.word(at)
    if word == "%":
        return at + 1, ""  # what a percentage is of has no other unit
    if (area := text.phrase(AREAS, at)) is not None:
        return area[1], area[0]
    return (at + 1, word) if word in UNIT_WORDS else (at, "")
