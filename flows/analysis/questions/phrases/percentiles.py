"""Percentiles: `90th percentile`, `upper quartile`, what the top 10 % start at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from flows.analysis.language.phrasebook import Phrases
from flows.analysis.questions.parts import FigurePart, PlacedPart
from flows.analysis.questions.text import Text

_QUARTILES: Phrases[float] = Phrases({
    25.0: "first quartile|lower quartile|bottom quartile|1st quartile|q1 quartile|25 % quantile",
    50.0: "second quartile|2nd quartile|50 % quantile",
    75.0: "third quartile|upper quartile|top quartile|3rd quartile|75 % quantile",
    10.0: "first decile|bottom decile|lowest decile|1st decile",
    90.0: "ninth decile|top decile|highest decile|9th decile",
})  # fmt: skip
_SHORT: Final = re.compile(r"p(\d{1,2})")
_PLACE: Final = re.compile(r"(\d{1,2}(?:\.\d+)?)(?:st|nd|rd|th)?")
_ORDINAL = frozenset(["st", "nd", "rd", "th"])
_TENS_TEXT = """
    tenth=10 twentieth=20 thirtieth=30 fortieth=40 fiftieth=50 sixtieth=60 seventieth=70
    eightieth=80 ninetieth=90
"""
_TENS: Final = {word: float(n) for word, n in (each.split("=") for each in _TENS_TEXT.split())}
_TOPS: Final = {"top": True, "best": True, "highest": True, "upper": True, "bottom": False,
                "lowest": False, "worst": False}  # fmt: skip
# What speaks of the edge of such a part: `start at`, `cutoff`.
_EDGES = frozenset(
    [
        "start",
        "starts",
        "begin",
        "begins",
        "cutoff",
        "cut-off",
        "threshold",
        "boundary",
        "reach",
        "needed",
        "least",
        "minimum",
        "enter",
        "belong",
        "end",
        "ends",
        "qualify",
        "limit",
        "edge",
    ]
)


def percentile_at(text: Text, at: int) -> tuple[float, int] | None:
    """The percentile that is named at a place, with the place behind its words."""
    if (quartile := text.phrase(_QUARTILES, at)) is not None:
        return quartile[0], quartile[1]
    word, end = text.word(at), at + 1
    if (short := _SHORT.fullmatch(word)) is not None:
        return float(short[1]), end
    number = text.number(at)
    place = _PLACE.fullmatch(word)
    if word in _TENS:
        level = _TENS[word]
    elif number is not None and 0 < number < 100:
        level = float(number)
        end += text.word(end) in _ORDINAL
        end += text.word(end) == "-"
        end += text.word(end) in ("%", "percent")
    elif place is not None:
        level = float(place[1])
    else:
        return None
    if text.word(end) not in ("percentile", "centile", "quantile"):
        return None
    return level, end + 1 + (text.word(end + 1) == "of")


def read_edge(text: Text, at: int) -> Iterator[PlacedPart]:
    """`what revenue do the top 10 % of orders start at`: the percentile at which they begin."""
    top = _TOPS.get(text.word(at))
    share = text.number(at + 1)
    marked = text.word(at + 2) in ("%", "percent", "pct")
    if top is None or share is None or not marked or not 0 < share < 100:
        return
    edge = next((p for p in range(len(text)) if text.word(p) in _EDGES), None)
    if edge is None:
        return
    end = at + 3
    if text.word(end) == "of":
        # The rows of which it is a part: those that are asked about.
        end = max((last for last, _, _ in text.nouns(end + 1)), default=end + 2)
    level = float(100 - share if top else share)
    if edge < end:
        yield PlacedPart(FigurePart("percentile", None, level), at, end, 0.1)
        return
    last = edge + 1 + (text.word(edge + 1) in ("at", "with", "from", "for", "in", "to"))
    between = all(text.word(p) in ("do", "does", "is", "to", "we") for p in range(end, edge))
    if between:
        yield PlacedPart(FigurePart("percentile", None, level), at, last, 0.02)
