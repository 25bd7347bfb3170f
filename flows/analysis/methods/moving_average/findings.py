"""What a moving average finds: the average of the last values at each time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from flows.analysis.methods.narration import InColumn
from flows.analysis.methods.time_series import Point
from flows.analysis.telling.told import Told


@dataclass(frozen=True, kw_only=True)
class SmoothedValue(Point):
    """The average of the values up to a time."""

    value: Annotated[Told, InColumn(lambda study: f"moving_average_{study.arguments.window}")]
