"""Charts of what a question gives: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.compiler import result_columns
from flows.analysis.methods.chart.arguments import Chart
from flows.analysis.methods.chart.cue import CUE
from flows.analysis.methods.findings import in_rows
from flows.analysis.methods.method import Call, FollowUp, Method, MethodError, Row, words
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.semantics.inference.model import infer_model
from flows.semantics.kinds import columns_of


def _calls(study: Specification[Chart], title: str) -> list[Call]:
    """The call that draws a grouped result, which stands in `grouped`."""
    query, model = study.rows, infer_model((study.table,))
    shown = columns_of(query, model)
    names = dict(zip(shown, result_columns(query, model), strict=False))
    named = [names[each] for each in query.by]
    values = [names[each] for each in shown if each not in query.by]
    if not named or not values:
        raise MethodError("a chart needs a measure and what it is grouped by")
    series = named[1] if len(named) > 1 else ""
    return [
        Call("result", "chart", (named[0], values, series, study.arguments.style, title), "grouped")
    ]


def _say(_study: Specification[Chart], _rows: Sequence[Row], _total: int) -> str:
    return ""


def _follow_ups(_study: Specification[Chart]) -> list[FollowUp]:
    return []


METHOD = Method(
    arguments=Chart,
    cue=CUE,
    calls=_calls,
    say=_say,
    needs=(),
    steps=computing("Group the rows and compute the measure of each group."),
    picture="bars, lines, areas, parts of a whole or a heat map",
    cautions=words(""),
    findings=in_rows,
    answers=frozenset(),
    follow_ups=_follow_ups,
)
