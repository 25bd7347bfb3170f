"""What a survival analysis finds: when half of a group are gone, and whether groups differ."""

from __future__ import annotations

from dataclasses import dataclass

from flows.analysis.methods.narration import OfGroup
from flows.analysis.telling.told import Told


@dataclass(frozen=True, kw_only=True)
class SurvivalCurve(OfGroup):
    """The median of a group's curve with its interval; empty where it is not reached."""

    rows: Told
    events: Told
    median: Told
    median_lower: Told
    median_upper: Told
    last_time: Told
    last_survival: Told


@dataclass(frozen=True, kw_only=True)
class ComparedCurve(SurvivalCurve):
    """A curve beside others; the test says whether these differ."""

    test: Told
    statistic: Told
    p_value: Told
    significant: Told
