"""What a test of normality finds: whether values can be distributed normally."""

from __future__ import annotations

from dataclasses import dataclass

from flows.analysis.methods.narration import OfColumn, OfRows
from flows.analysis.telling.told import Told


@dataclass(frozen=True, kw_only=True)
class Verdict(OfColumn, OfRows):
    """What the test says of a column; `normal` is empty where it could not be made."""

    test: Told
    statistic: Told
    p_value: Told
    normal: Told
    skewness: Told
