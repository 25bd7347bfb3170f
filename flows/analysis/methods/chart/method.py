"""Charts of what a question gives: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.compile import term_name
from flows.analysis.methods.chart.cue import CUE
from flows.analysis.methods.method import Call, Method, Row
from flows.analysis.methods.specification import Study
from flows.analysis.plan import Measure


def _calls(study: Study, title: str) -> list[Call]:
    """The call that draws a grouped result, which stands in `grouped`."""
    plan = study.chart
    assert plan is not None
    named = [term_name(each) for each in plan.groups]
    values = [term_name(each) for each in plan.columns if isinstance(each, Measure)]
    series = named[1] if len(named) > 1 else ""
    return [Call("result", "chart", (named[0], values, series, study.method, title), "grouped")]


def _say(_study: Study, _rows: Sequence[Row], _total: int) -> str:
    return ""


METHOD = Method(
    kind="chart",
    cue=CUE,
    calls=_calls,
    say=_say,
    needs=(),
)
