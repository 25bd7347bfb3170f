"""What missing values are found: how many of each column."""

from __future__ import annotations

from dataclasses import dataclass

from flows.analysis.methods.narration import OfColumn
from flows.analysis.telling.told import Told


@dataclass(frozen=True, kw_only=True)
class MissingCount(OfColumn):
    """How many values of a column are missing; `complete_rows` lack none of any column."""

    missing: Told
    percent: Told
    rows: Told
    complete_rows: Told
    complete_percent: Told
