"""Values that stand for a missing one: words such as `n/a`, and numbers such as -99."""

from __future__ import annotations

import re
from collections.abc import Sequence

from flows.data.tables import Column, Table
from flows.semantics.inference.evidence import Evidence, numbers_of
from flows.semantics.inference.words import words_of

# Where all other values are numbers or dates, these are none of them.
_AMONG_NUMBERS_TEXT = """
    n/a na n.a. n.a #n/a #na <na> nan null none nil - -- --- \u2013 \u2014 ? ?? . .. unknown
    missing tbd tba unavailable k.a. k.a keine n.v. n.d. n.d s/o #value! #ref! #div/0!
    #null! not_available undefined unbekannt inconnu desconocido (null) \\n
"""
_AMONG_NUMBERS = frozenset(
    {*_AMONG_NUMBERS_TEXT.split(), "not available", "keine angabe", "k. a.", ""}
)
# Among categories only what is never one: `None`, `NA` (Namibia) and `unknown` may be meant.
_AMONG_WORDS = re.compile(r"\s*|#?[nN]/[aA]|#N/A|NULL|null|\(null\)|<NA>|NaN|nan|\\N|n\.a\.|N\.A\.")
_TOTAL = re.compile(
    r"(?:grand|sub|over)?[ -]?totals?|total.{0,30}|.{0,30} totals?|all|sum|overall|summe|gesamt|"
    r"gesamtsumme|insgesamt|alle|zusammen|suma|totale|totaal|celkem|razem|somme|ensemble|итого|"
    r"всего|合計|总计|toplam",
    re.IGNORECASE,
)
_SIGNS = re.compile(r"\s*(?:-{1,3}|\u2013|\u2014|\?{1,3}|\.{1,2})\s*")
_PLUS = ("+", "++", "+/-", "±")
# What people write for a number that is not known.
_BELOW = (-1.0, -9.0, -99.0, -999.0, -9999.0, -99999.0, -999999.0, -99.9, -999.9, -9999.9)
_ABOVE = (999.0, 9999.0, 99999.0, 999999.0, 999.9, 9999.9, 999.99, 9999.99)
_ISOLATED = 5
_DIFFERENT = 4
_OFTEN = 3
# Names of numbers for which -1 or -99 is an ordinary value.
_SIGNED_TEXT = """
    temperature temp balance profit loss net change delta diff difference growth return score
    offset level elevation altitude latitude longitude lat lon lng x y z variance gain margin
    correlation sentiment polarity amount total error residual deviation shift step direction
    trend charge cash flow delay lag tz timezone utc
"""
_SIGNED = frozenset(_SIGNED_TEXT.split())


def is_marker(text: str) -> bool:
    """Whether a text among numbers or dates says that there is none."""
    return text.strip().casefold() in _AMONG_NUMBERS


def is_total(text: str) -> bool:
    """Whether a text is what people call the row that sums up the others."""
    return _TOTAL.fullmatch(text.strip()) is not None


def word_markers(values: Sequence[str]) -> tuple[str, ...]:
    """Those of a column's categories that stand for a missing one."""
    marked = [each for each in values if _AMONG_WORDS.fullmatch(each)]
    wordy = [each for each in values if len(each.strip()) > 1 and re.search(r"\w\w", each)]
    if len(wordy) > 1 and not any(each.strip() in _PLUS for each in values):
        marked += [each for each in values if _SIGNS.fullmatch(each) and each not in marked]
    return tuple(marked) if len(marked) < len(values) else ()


def number_markers(table: Table, column: Column, evidence: Evidence) -> tuple[int | float, ...]:
    """The number of a column that stands for a missing one, if there is one.

    It is the only one below nought, or it stands far away from all others, and several rows have
    it. -1 and -9 only where nought is no value, or they are far more frequent than it.
    """
    low, high = column.minimum, column.maximum
    if not isinstance(low, (int, float)) or not isinstance(high, (int, float)):
        return ()
    if low not in _BELOW and high not in _ABOVE:
        return ()
    numbers = numbers_of(table, column, evidence)
    counts = {float(each.value): each.count for each in column.top}
    below, above = numbers[1:], numbers[:-1]
    if len(below) < _DIFFERENT:
        return ()
    if counts.get(float(low), 0) > 1 and _stands_below(float(low), below, column.name, counts):
        return (low,)
    return (high,) if counts.get(float(high), 0) > 2 and _stands_above(float(high), above) else ()


def _stands_below(
    marker: float, others: Sequence[float], name: str, counts: dict[float, int]
) -> bool:
    if marker not in _BELOW:
        return False
    if others[0] - marker > _ISOLATED * (others[-1] - others[0]):
        return True
    if others[0] < 0 or _SIGNED.intersection(words_of(name)):
        return False
    frequent = max(counts.get(others[0], 0), counts.get(others[1], 0))
    return marker < -10 or others[0] > 0 or counts.get(marker, 0) > _OFTEN * frequent


def _stands_above(marker: float, others: Sequence[float]) -> bool:
    far = marker - others[-1] > _ISOLATED * max(others[-1] - others[0], 1.0)
    return marker in _ABOVE and far and others[0] >= 0
