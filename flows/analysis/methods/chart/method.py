"""Charts of what a question gives: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.chart.arguments import Chart
from flows.analysis.methods.chart.cue import CUE
from flows.analysis.methods.findings import in_rows
from flows.analysis.methods.method import Call, FollowUp, Method, MethodError, Row, words
from flows.analysis.methods.picture import axes_of
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing


def _calls(study: Specification[Chart], title: str) -> list[Call]:
    """The call that draws a grouped result, which stands in `grouped`."""
    groups, figures = axes_of(study.rows, study.model)
    if not groups or not figures:
        raise MethodError("a chart needs a measure and what it is grouped by")
    series = groups[1] if len(groups) > 1 else ""
    return [Call("result", "chart", (groups[0], figures, series, study.style, title), "grouped")]


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
