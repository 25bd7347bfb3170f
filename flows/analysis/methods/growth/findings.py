"""What growth finds: the change over all of the time, or from each time to the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from flows.analysis.methods.narration import InColumn, OfGroup
from flows.analysis.methods.time_series import Point
from flows.analysis.telling.told import Told


@dataclass(frozen=True, kw_only=True)
class WholeGrowth(OfGroup):
    """The first and the last value with their times."""

    since: Annotated[Told, InColumn("from")]
    until: Annotated[Told, InColumn("to")]
    first_value: Told
    last_value: Told
    percent: Told
    cagr: Told


@dataclass(frozen=True, kw_only=True)
class GrowthStep(Point):
    """The change from the time before, in percent."""

    value: Annotated[Told, InColumn("percent")]
    mean_percent: Told
    std_percent: Told
