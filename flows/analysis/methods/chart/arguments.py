"""Charts of what a question gives: the arguments."""

from __future__ import annotations

from typing import ClassVar

from flows.analysis.methods.arguments import AnyColumn, Arguments


class Chart(Arguments):
    """The columns that are measured, and the one that they are grouped by."""

    method: ClassVar[str] = "chart"

    fields: tuple[AnyColumn, ...] = ()
    group: AnyColumn = ""
