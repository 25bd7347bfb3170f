"""Columns that say the same: copies, and copies on another scale."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from flows.analysis.language.words import split_identifier
from flows.analysis.methods.method import words

# What people add to a name for the same values on another scale.
_SCALES: Final = words(
    """
    norm normed normalized normalised normalization scaled scale rescaled std standardized
    standardised zscore z minmax pct percent percentage percentile rank ranked index idx
    log copy score
    """
)
SAME: Final = 0.98
_CLOSE: Final = 0.02


def rescaled_of(one: str, other: str) -> tuple[str, str] | None:
    """The pair as (copy, original) when one name is the other's with the word of a scale."""
    a, b = split_identifier(one), split_identifier(other)
    if len(a) == len(b):
        return None
    longer, shorter = (one, other) if len(a) > len(b) else (other, one)
    more, less = (a, b) if len(a) > len(b) else (b, a)
    left = list(more)
    for word in less:
        if word not in left:
            return None
        left.remove(word)
    return (longer, shorter) if set(left) <= _SCALES else None


def twins_by_name(values: Mapping[str, float | None]) -> dict[str, str]:
    """The copies among columns, each with its original: the name says so, and the size by which
    both go with a third column is the same or nearly so."""
    found: dict[str, str] = {}
    names = list(values)
    for place, one in enumerate(names):
        for other in names[place + 1 :]:
            pair, r, s = rescaled_of(one, other), values[one], values[other]
            if pair is None or r is None or s is None:
                continue
            if abs(abs(r) - abs(s)) <= _CLOSE:
                found[pair[0]] = pair[1]
    return found


def copy_and_original(one: str, other: str) -> tuple[str, str]:
    """Which of two columns that say the same is the copy: the name of a scale, else the longer."""
    pair = rescaled_of(one, other)
    if pair is not None:
        return pair
    return (one, other) if (len(one), one) > (len(other), other) else (other, one)
