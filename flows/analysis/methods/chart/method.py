"""Charts of what a question gives: what is called, what is found, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from flows.analysis.compiler import result_columns
from flows.analysis.methods.chart.arguments import Chart
from flows.analysis.methods.chart.cue import CUE
from flows.analysis.methods.method import Call, Method, MethodError
from flows.analysis.methods.narration import InColumn, Narration
from flows.analysis.methods.picture import axes_of
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.telling.answer import answer_of_cells
from flows.analysis.telling.cells import CitedCell


def drawn_columns(study: Specification[Chart]) -> Sequence[str]:
    """The columns of the query that a chart draws."""
    return result_columns(study.rows, study.model)


@dataclass(frozen=True, kw_only=True)
class ChartMark:
    """One mark of the drawing: what it is of, and its figures."""

    cells: Annotated[tuple[CitedCell, ...], InColumn(drawn_columns)]


def _calls(study: Specification[Chart], title: str) -> list[Call]:
    """The call that draws a grouped result, which stands in `grouped`."""
    groups, figures = axes_of(study.rows, study.model)
    if not groups or not figures:
        raise MethodError("a chart needs a measure and what it is grouped by")
    series = groups[1] if len(groups) > 1 else ""
    return [Call("result", "chart", (groups[0], figures, series, study.style, title), "grouped")]


def _say(study: Specification[Chart], marks: Sequence[ChartMark], total: int) -> str:
    """As the question of the same result is answered."""
    columns = result_columns(study.rows, study.model)
    return answer_of_cells(study.rows, study.model, columns, [each.cells for each in marks], total)


METHOD = Method(
    arguments=Chart,
    cue=CUE,
    calls=_calls,
    narrations=(Narration(ChartMark, _say),),
    steps=computing("Group the rows and compute the measure of each group."),
    picture="bars, lines, areas, parts of a whole or a heat map",
)
