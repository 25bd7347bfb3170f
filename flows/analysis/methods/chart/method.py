"""Charts of what a question gives: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.compiler import result_columns
from flows.analysis.methods.about import query_of_rows
from flows.analysis.methods.chart.arguments import Chart
from flows.analysis.methods.chart.cue import CUE
from flows.analysis.methods.chart.findings import ChartMark
from flows.analysis.methods.findings import in_rows
from flows.analysis.methods.method import Call, Method, words
from flows.analysis.methods.narration import Narration
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.plan import Measure, term_name
from flows.analysis.telling.answer import answer_of_cells


def _calls(study: Specification[Chart], title: str) -> list[Call]:
    """The call that draws a grouped result, which stands in `grouped`."""
    plan = study.chart
    assert plan is not None
    named = [term_name(each) for each in plan.groups]
    values = [term_name(each) for each in plan.columns if isinstance(each, Measure)]
    series = named[1] if len(named) > 1 else ""
    return [
        Call("result", "chart", (named[0], values, series, study.arguments.style, title), "grouped")
    ]


def _say(study: Specification[Chart], marks: Sequence[ChartMark], total: int) -> str:
    """As the question of the same result is answered."""
    query, model = query_of_rows(study)
    columns = result_columns(query, model)
    return answer_of_cells(query, model, columns, [each.cells for each in marks], total)


METHOD = Method(
    arguments=Chart,
    cue=CUE,
    calls=_calls,
    narrations=(Narration(ChartMark, _say),),
    steps=computing("Group the rows and compute the measure of each group."),
    picture="bars, lines, areas, parts of a whole or a heat map",
    cautions=words(""),
    reader=in_rows,
    answers=frozenset(),
)
