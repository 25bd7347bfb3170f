"""What a scatter plot finds: how far the points of each group lie along a line."""

from __future__ import annotations

from dataclasses import dataclass

from flows.analysis.methods.narration import OfGroup, OfRows
from flows.analysis.telling.told import Told


@dataclass(frozen=True, kw_only=True)
class Points(OfGroup, OfRows):
    """The correlation of the points of a group."""

    correlation: Told
