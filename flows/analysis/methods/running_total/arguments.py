"""Running totals: the arguments."""

from __future__ import annotations

from typing import ClassVar, Literal

from flows.analysis.methods.time_series import Series


class RunningTotal(Series):
    """A series that is summed up."""

    method: ClassVar[str] = "running_total"

    how: Literal["sum"] = "sum"
