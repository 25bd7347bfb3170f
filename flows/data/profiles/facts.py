"""What is measured of one column: the same for every database."""

from __future__ import annotations

from dataclasses import dataclass

from flows.core.observation import Cell
from flows.data.tables import Frequent, Lengths, Quantiles

SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)
LONGEST_VALUE = 200


@dataclass(frozen=True, slots=True)
class Facts:
    """Numbers of one column. `common` are values with their counts, the most frequent first, of
    equal ones the smaller; `bytes` are those of texts, None when they are not known."""

    filled: int
    distinct: int
    minimum: Cell = None
    maximum: Cell = None
    mean: float | None = None
    std: float | None = None
    quantiles: Quantiles | None = None
    lengths: Lengths | None = None
    common: tuple[Frequent, ...] = ()
    bytes: int | None = None


def quantiles_of(values: object) -> Quantiles | None:
    """Five numbers in the order of `SHARES`; None unless all of them are there."""
    if not isinstance(values, (list, tuple)) or len(values) != len(SHARES) or None in values:
        return None
    numbers = [float(value) for value in values]
    return Quantiles(p5=numbers[0], p25=numbers[1], p50=numbers[2], p75=numbers[3], p95=numbers[4])


def shortened(value: Cell) -> Cell:
    return value[:LONGEST_VALUE] if isinstance(value, str) else value
