"""What a box plot finds: where the values of each group lie."""

from __future__ import annotations

from dataclasses import dataclass

from flows.analysis.methods.narration import OfColumn
from flows.analysis.telling.told import Told


@dataclass(frozen=True, kw_only=True)
class Box(OfColumn):
    """The quartiles of a group, and how many of its values lie far outside."""

    median: Told
    q1: Told
    q3: Told
    outliers: Told
    rows: Told
