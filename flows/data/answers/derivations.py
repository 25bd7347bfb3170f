"""Numbers of an answer that were worked out from two cells: differences, changes, ratios, sums."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from flows.data.answers.numbers import WrittenNumber


@dataclass(frozen=True, slots=True)
class CellNumber:
    """A number of the answer that is a cell: which result, row and column, and its exact value."""

    result: str
    row: int
    column: str
    value: float
    sql: str | None


@dataclass(frozen=True, slots=True)
class Derivation:
    """How a number follows from two cells. `formula` shows their exact values."""

    value: float
    formula: str
    cells: tuple[CellNumber, CellNumber]


def derive(written: WrittenNumber, cells: Sequence[CellNumber]) -> Derivation | None:
    """The simplest way to get the number from two cells of one column, or None.

    `cells` are the numbers of the same sentence that are cells; no others are tried, so that
    nothing is explained by chance.
    """
    for one, other in permutations(cells, 2):
        if (one.result, one.column) != (other.result, other.column) or one.row == other.row:
            continue
        for value, formula in _forms(one.value, other.value, percent=written.text.endswith("%")):
            if any(reading.fits(value) for reading in written.readings):
                return Derivation(value, formula, (one, other))
    return None


def _forms(one: float, other: float, *, percent: bool) -> Iterator[tuple[float, str]]:
    if percent:
        if other:
            yield (one - other) / abs(other) * 100, f"({one:g} - {other:g}) / {abs(other):g} * 100"
            yield one / other * 100, f"{one:g} / {other:g} * 100"
        return
    yield one - other, f"{one:g} - {other:g}"
    yield one + other, f"{one:g} + {other:g}"
    if other:
        yield one / other, f"{one:g} / {other:g}"
