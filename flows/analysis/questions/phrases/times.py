"""Periods of time: `in 2024`, `last month`, `in May`, `Q3`."""

from __future__ import annotations

from collections.abc import Iterator

from flows.analysis.language.lexicon import FUNCTION_WORDS
from flows.analysis.language.phrasebook import (
    MONTHS,
    QUARTERS,
)
from flows.analysis.parser.periods import read_period
from flows.analysis.questions.parts import (
    TIME,
    PlacedPart,
    WhenPart,
)
from flows.analysis.questions.text import Text
from flows.semantics.query import (
    Comparison,
    Constant,
    During,
    Period,
)

_NEWEST = 40  # of two digits: below it a year of this century


def read_short_year(text: Text, at: int) -> Iterator[PlacedPart]:
    """`in 97`, `in '08`: a year of two digits."""
    year = text.number(at + 1)
    if text.word(at) not in ("in", "for", "of", "since", "during") or not isinstance(year, int):
        return
    written = text.tokens[at + 1].text
    behind = text.word(at + 2)
    if len(written) != 2 or not written.isdigit() or (behind and behind not in FUNCTION_WORDS):
        return
    whole = Constant(value=year + (1900 if year > _NEWEST else 2000))
    test = Comparison(left=Period(of=TIME, grain="year"), operator="=", right=whole)
    yield PlacedPart(WhenPart(test), at, at + 2, 0.08)


def read_time(text: Text, at: int) -> Iterator[PlacedPart]:
    """`in 2024`, `last month`, `in May`, `Q3`."""
    start = at
    skip = text.word(at) in ("in", "during", "for", "of", "on", "at", "within", "throughout")
    begin = at + 1 if skip else at
    text.words.place = begin
    try:
        test = read_period(text.words, TIME)
    except ValueError:
        test = None
    if isinstance(test, During) and text.word(text.words.place) == "of":
        return  # `the last day of the season` is an end of it
    if test is not None and text.words.place <= len(text):
        bare = (
            isinstance(test, Comparison)
            and isinstance(test.left, Period)
            and test.left.grain == "year"
        )
        yield PlacedPart(
            WhenPart(test), start, text.words.place, 0.02 if skip or not bare else 0.05
        )
        return
    for table, grain in ((MONTHS, "month of year"), (QUARTERS, "quarter of year")):
        found = table.match(text.lowers, begin)
        if found is None or not text.names_month(begin):
            continue
        side = Period(of=TIME, grain=grain)
        yield PlacedPart(
            WhenPart(Comparison(left=side, operator="=", right=Constant(value=found[0]))),
            start,
            found[1],
            0.05,
        )
