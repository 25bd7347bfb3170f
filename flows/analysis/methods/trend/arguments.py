"""Straight lines over time: the arguments."""

from __future__ import annotations

from typing import ClassVar

from flows.analysis.methods.time_series import Series


class Trend(Series):
    """A series through which a straight line is laid."""

    method: ClassVar[str] = "trend"
