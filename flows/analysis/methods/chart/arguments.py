"""Charts of what a question gives: the arguments."""

from __future__ import annotations

from typing import ClassVar

from flows.analysis.methods.arguments import AnyColumn, Arguments
from flows.semantics.request import ChartType


class Chart(Arguments):
    """The columns that are measured, the one that they are grouped by, and the form."""

    method: ClassVar[str] = "chart"

    fields: tuple[AnyColumn, ...] = ()
    group: AnyColumn = ""
    style: ChartType = "bar"

    @property
    def form(self) -> ChartType:
        return self.style
