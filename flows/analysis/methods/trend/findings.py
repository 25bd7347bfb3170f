"""What a trend finds: by how much something changes at each step, and whether that is chance."""

from __future__ import annotations

from dataclasses import dataclass

from flows.analysis.methods.narration import OfGroup, OfRows
from flows.analysis.telling.told import Told


@dataclass(frozen=True, kw_only=True)
class TrendSlope(OfGroup, OfRows):
    """The slope of a line through the values of a group."""

    per_step: Told
    step: Told
    p_value: Told
    r2: Told
    significant: Told
