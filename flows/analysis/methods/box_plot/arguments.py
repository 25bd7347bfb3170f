"""Box plots and violins: the arguments."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from flows.analysis.methods.arguments import MOST_COLUMNS, Arguments, Groups, Numbers


class BoxPlot(Arguments):
    """The columns whose spread is drawn, each apart for the values of `group`."""

    method: ClassVar[str] = "box_plot"

    fields: tuple[Numbers, ...] = Field(min_length=1, max_length=MOST_COLUMNS)
    group: Groups = ""
    variant: Literal["box", "violin"] = "box"
