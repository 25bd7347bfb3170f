"""Measures of one kind, of which one may be a part of the other: money beside money."""

from __future__ import annotations

from typing import Final

from flows.analysis.language.words import split_identifier
from flows.analysis.methods.method import words

# Words for money: what is earned, paid and left, of which one is a part of the other.
_MONEY: Final = words(
    "revenue sales turnover income amount total subtotal price cost costs profit "
    "margin fee fees bill charge charges tax vat net gross spend payment value "
    "salary wage bonus expense expenses earnings tip discount"
)
_SMALL: Final = words("of the a in per and for to by number id no total average")


def are_kin(one: str, other: str) -> bool:
    """Whether two measures are of one kind by their names: both money, or called the same."""
    first, second = (set(split_identifier(each)) for each in (one, other))
    return bool(first & _MONEY and second & _MONEY) or bool(first & second - _SMALL)
