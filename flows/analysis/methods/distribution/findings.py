"""What a distribution finds: where the values of a column lie, or how often each stands there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from flows.analysis.methods.narration import InColumn, OfColumn, OfGroup, OfRows
from flows.analysis.telling.told import Told


@dataclass(frozen=True, kw_only=True)
class Histogram(OfColumn, OfRows):
    """Between which ends the numbers of a column lie, and where most of them do."""

    mean: Told
    median: Told
    minimum: Told
    maximum: Told
    fullest_from: Told
    fullest_to: Told
    fullest_rows: Told


@dataclass(frozen=True, kw_only=True)
class Frequency(OfGroup):
    """How many rows have a value."""

    value: Annotated[Told, InColumn(lambda study: study.columns[0])]
    rows: Told
    percent: Told
