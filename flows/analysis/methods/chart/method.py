"""Charts of what a question gives: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.chart.arguments import Chart
from flows.analysis.methods.chart.cue import CUE
from flows.analysis.methods.findings import in_rows
from flows.analysis.methods.method import Call, FollowUp, Method, Row, words
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.plan import Measure, term_name


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
