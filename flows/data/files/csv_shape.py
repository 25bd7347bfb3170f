"""What stands between the values of a CSV file, where DuckDB does not find it."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

_USUAL = (",", ";", "\t", "|")
LONG = ("||", "::", "|~|", "^|^")
_RARE = ("^", "~", "\x01", "\x1f", ":")
_STAND_IN = "\ue000"
_SHARE = 0.8


@dataclass(frozen=True, slots=True)
class CsvShape:
    """The delimiter, and how many values the first line and the other ones have."""

    delimiter: str
    first: int
    others: tuple[int, ...]

    @property
    def longest(self) -> int:
        return max(self.others, default=self.first)

    @property
    def is_ragged(self) -> bool:
        return any(each != self.first for each in self.others)


def shape_of(head: str) -> CsvShape | None:
    """The likeliest delimiter of the first lines of a file; None for a single column.

    A rare delimiter has to be in all lines as often, a usual one in most of them.
    """
    long = next((shape for each in LONG if (shape := _shape(head, each))), None)
    if long is not None and long.delimiter[0] not in head.replace(long.delimiter, ""):
        return long
    found = [shape for each in (*_USUAL, *_RARE) if (shape := _shape(head, each))]
    whole = [each for each in found if not each.is_ragged]
    if whole:
        return max(whole, key=lambda each: each.first if each.delimiter in _USUAL else 1.5)
    most = [each for each in found if each.delimiter in _USUAL]
    return max(most, key=lambda each: each.first, default=None)


def _shape(head: str, delimiter: str) -> CsvShape | None:
    counts = _counts(head, delimiter)
    if len(counts) < 2 or counts[0] < 2:
        return None
    first, *others = counts
    same = Counter(others)[first] / len(others)
    mostly = same >= _SHARE or (len(others) < 5 and same > 0)
    enough = same == 1 if delimiter not in _USUAL else mostly
    return CsvShape(delimiter, first, tuple(others)) if enough else None


def _counts(head: str, delimiter: str) -> Sequence[int]:
    """How many values each line has; quoted line ends count for nothing."""
    text = head if len(delimiter) == 1 else head.replace(delimiter, _STAND_IN)
    mark = delimiter if len(delimiter) == 1 else _STAND_IN
    try:
        rows = csv.reader(text.splitlines(keepends=True), delimiter=mark, strict=False)
        return [len(row) for row in rows if row]
    except csv.Error:
        return ()
