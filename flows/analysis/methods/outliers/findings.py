"""What outliers are found: how many values of a column lie far outside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from flows.analysis.methods.findings import Outlying, in_columns
from flows.analysis.methods.narration import OfColumn
from flows.analysis.telling.cells import CitedCell

read_outlying: Final = in_columns(
    Outlying, count="outliers", rows="rows", lower="lower_bound", upper="upper_bound"
)


@dataclass(frozen=True, kw_only=True)
class OutlierBounds(OfColumn):
    """How many values of a column lie beyond which bounds; all lie between the other two."""

    outliers: CitedCell
    rows: CitedCell
    lower_bound: CitedCell
    upper_bound: CitedCell
    smallest: CitedCell
    largest: CitedCell


def counted(outliers: CitedCell, rows: CitedCell) -> str:
    """So many outliers of so many values."""
    return f"{outliers} outlier{'' if outliers.value == 1 else 's'} of {rows} values"
