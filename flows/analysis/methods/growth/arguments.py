"""Growth and changes from step to step: the arguments."""

from __future__ import annotations

from typing import ClassVar, Literal

from flows.analysis.methods.time_series import Series


class Growth(Series):
    """A series from its first to its last time, or from step to step.

    Groups come in the order of their growth. `every` joins the times of steps to longer ones first.
    """

    method: ClassVar[str] = "growth"

    stepwise: bool = False
    every: Literal["", "daily", "weekly", "monthly", "quarterly", "yearly", "annual"] = ""
    order: Literal["most", "least"] = "most"
