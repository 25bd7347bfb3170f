"""Moving averages: the arguments."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from flows.analysis.methods.time_series import Series


class MovingAverage(Series):
    """A series, and how many steps of it are averaged."""

    method: ClassVar[str] = "moving_average"

    window: int = Field(default=3, ge=2)
