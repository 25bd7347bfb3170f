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
# One word and a number, or a range: `Q1`, `Tier 2`, `18-25`, `65+`, `< 18`.
_COUNTED = re.compile(
    r"([^\d]*?)\s*(\d+(?:\.\d+)?)\s*(?:(?:-|\u2013|to|bis)\s*\d+(?:\.\d+)?|\+)?\s*(\D*)"
)


def ordered(values: Sequence[str]) -> tuple[str, ...]:
    """All values in their order; none when they have no known one."""
    if len(values) < _LEAST:
        return ()
    by_word = {each.strip().casefold(): each for each in values}
    for scale in _SCALES:
        if len(by_word) == len(values) and set(by_word) <= set(scale):
            return tuple(by_word[each] for each in scale if each in by_word)
    return _numbered(values)


def _numbered(values: Sequence[str]) -> tuple[str, ...]:
    found = [_COUNTED.fullmatch(each.strip()) for each in values]
    matches = [each for each in found if each is not None]
    words = {(each[1].strip(" <>≤≥").casefold(), each[3].strip().casefold()) for each in matches}
    numbers = [float(each[2]) for each in matches]
    if len(matches) < len(values) or len(words) != 1 or len(set(numbers)) < len(values) > 24:
        return ()
    below = [0.0 if each[1].strip().startswith("<") else 1.0 for each in matches]
    order = sorted(range(len(values)), key=lambda at: (numbers[at], below[at]))
    return tuple(values[at] for at in order)
