"""What outliers are found: how many values of a column lie far outside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from flows.analysis.methods.findings import Outlying, in_columns
from flows.analysis.methods.narration import OfColumn
from flows.analysis.telling.told import Told

read_outlying: Final = in_columns(
    Outlying, count="outliers", rows="rows", lower="lower_bound", upper="upper_bound"
)


@dataclass(frozen=True, kw_only=True)
class OutlierBounds(OfColumn):
    """How many values of a column lie beyond which bounds; all lie between the other two."""

    outliers: Told
    rows: Told
    lower_bound: Told
    upper_bound: Told
    smallest: Told
    largest: Told


def counted(outliers: Told, rows: Told) -> str:
    """So many outliers of so many values."""
    return f"{outliers} outlier{'' if outliers.value == 1 else 's'} of {rows} values"
