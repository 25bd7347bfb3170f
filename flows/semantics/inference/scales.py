"""Categories that have an order."""

from __future__ import annotations

import re
from collections.abc import Sequence

_SCALES_TEXT = """
    very low, low, medium, high, very high, urgent, critical
    lowest, low, normal, high, highest, urgent
    trivial, minor, moderate, major, severe, critical
    low, mid, high
    xxs, xs, s, m, l, xl, xxl, xxxl
    tiny, small, medium, large, extra large, huge
    very poor, poor, fair, average, good, very good, excellent
    ideal, premium, very good, good, fair
    bad, ok, good
    never, rarely, sometimes, often, always
    strongly disagree, disagree, neutral, agree, strongly agree
    very dissatisfied, dissatisfied, neutral, satisfied, very satisfied
    bronze, silver, gold, platinum, diamond
    free, basic, starter, standard, plus, pro, premium, business, enterprise
    monday, tuesday, wednesday, thursday, friday, saturday, sunday
    mon, tue, wed, thu, fri, sat, sun
    mon, tues, wed, thur, fri, sat, sun
    january, february, march, april, may, june, july, august, september, october, november, december
    jan, feb, mar, apr, may, jun, jul, aug, sep, oct, nov, dec
    montag, dienstag, mittwoch, donnerstag, freitag, samstag, sonntag
    niedrig, mittel, hoch, sehr hoch
    first, second, third, fourth, fifth
    early, middle, late
    child, teenager, adult, senior
    primary, secondary, tertiary
    new, open, in progress, resolved, closed
"""
_SCALES = tuple(
    tuple(each.strip() for each in line.split(",")) for line in _SCALES_TEXT.strip().splitlines()
)
_LEAST = 2
# Words before numbers that stand in an order: `Q1`, `Tier 2`.
_STEPS = frozenset(
    ("q", "qtr", "quarter", "tier", "level", "lvl", "grade", "class", "stage", "phase",
     "week", "day", "month", "year", "step", "priority", "prio",
     "round", "wave", "band", "star", "rank", "fy")
)  # fmt: skip
# A number or a range, with a word before it or some behind: `18-25`, `65+`, `< 18`, `1 - red`.
_COUNTED = re.compile(
    r"([^\d]*?)\s*(\d+(?:\.\d+)?)\s*(?:(?:-|\u2013|to|bis)\s*\d+(?:\.\d+)?|\+)?\s*(\D*)"
)
_MOST_NUMBERED = 31


def ordered(values: Sequence[str]) -> tuple[str, ...]:
    """All values in their order; none when they have no known one."""
    if len(values) < _LEAST:
        return ()
    by_word = {each.strip().casefold(): each for each in values}
    for scale in _SCALES:
        if len(by_word) == len(values) and set(by_word) <= set(scale):
            return tuple(by_word[each] for each in scale if each in by_word)
    return _numbered(values) if len(values) <= _MOST_NUMBERED else ()


def _numbered(values: Sequence[str]) -> tuple[str, ...]:
    found = [_COUNTED.fullmatch(each.strip()) for each in values]
    matches = [each for each in found if each is not None]
    before = {each[1].strip(" <>\u2264\u2265-_").casefold() for each in matches}
    numbers = [float(each[2]) for each in matches]
    steps = before <= {""} or (len(before) == 1 and before <= _STEPS)
    if len(matches) < len(values) or not steps:
        return ()
    below = [0.0 if each[1].strip().startswith("<") else 1.0 for each in matches]
    places = list(zip(numbers, below, strict=True))
    if len(set(places)) < len(values):
        return ()
    return tuple(values[at] for at in sorted(range(len(values)), key=places.__getitem__))
