"""Scatter plots: the arguments."""

from __future__ import annotations

from typing import ClassVar

from flows.analysis.methods.arguments import Arguments, Groups, Numbers


class ScatterPlot(Arguments):
    """The column on the x axis and that on the y axis; points of a group have its colour."""

    method: ClassVar[str] = "scatter_plot"

    fields: tuple[Numbers, Numbers]
    group: Groups = ""
