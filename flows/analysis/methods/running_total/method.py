"""Running totals: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import GROUPS, about, head, more, names, text
from flows.analysis.methods.findings import in_rows
from flows.analysis.methods.method import Call, FollowUp, Method, Row, words
from flows.analysis.methods.running_total.arguments import RunningTotal
from flows.analysis.methods.running_total.cue import CUE
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.methods.time_series import series_of


def _calls(study: Specification[RunningTotal], _title: str) -> list[Call]:
    return [Call("result", "smoothed", (*series_of(study), 0))]


def _say(study: Specification[RunningTotal], rows: Sequence[Row], total: int) -> str:
    shown = [row for row in rows if row["cumulative"].value is not None]
    said = [f"{head(study, row, time=True)}{text(row, 'cumulative')}" for row in shown[:GROUPS]]
    rest = more(shown, total, GROUPS, "steps")
    return f"The running total of {names(study.columns)}{about(study)}{rest}: {'; '.join(said)}."


def _follow_ups(study: Specification[RunningTotal]) -> list[FollowUp]:
    return [FollowUp("forecast", study.arguments.series)]


METHOD = Method(
    arguments=RunningTotal,
    cue=CUE,
    calls=_calls,
    say=_say,
    needs=("cumulative",),
    steps=computing("Add the values up in the order of time."),
    picture="the course of the sums",
    cautions=words("missing_left_out"),
    findings=in_rows,
    answers=frozenset({"trend"}),
    follow_ups=_follow_ups,
)
