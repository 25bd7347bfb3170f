"""Forecasts: the arguments."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from flows.analysis.methods.time_series import Series


class Forecast(Series):
    """A series, and how far it is continued: `steps` of a `unit` (empty: of the data), or `until`
    a year."""

    method: ClassVar[str] = "forecast"

    steps: int = Field(default=3, ge=1, le=500)
    unit: Literal["", "day", "week", "month", "quarter", "year"] = ""
    until: int = Field(default=0, ge=0)
