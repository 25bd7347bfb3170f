"""Straight lines over time: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import GROUPS, about, head, more, names, number, over, text
from flows.analysis.methods.findings import Slopes, in_columns
from flows.analysis.methods.method import Call, FollowUp, Method, Row, words
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.methods.time_series import series_of
from flows.analysis.methods.trend.arguments import Trend
from flows.analysis.methods.trend.cue import CUE


def _calls(study: Specification[Trend], _title: str) -> list[Call]:
    return [Call("result", "slope", series_of(study))]


def _say(study: Specification[Trend], rows: Sequence[Row], total: int) -> str:
    said = []
    for row in rows[:GROUPS]:
        way = "rises" if number(row["per_step"].value) > 0 else "falls"
        clear = "significant" if row["significant"].value else "not significant"
        said.append(
            f"{head(study, row)}it {way} by {text(row, 'per_step')} for each {text(row, 'step')} "
            f"({clear} at the five percent level, p = {text(row, 'p_value')}, R² "
            f"{text(row, 'r2')}, {over(row)})"
        )
    rest = more(rows, total, GROUPS, "groups")
    return f"The linear trend of {names(study.columns)}{about(study)}{rest}: {'; '.join(said)}."


def _follow_ups(study: Specification[Trend]) -> list[FollowUp]:
    return [FollowUp("forecast", study.arguments.series)]


METHOD = Method(
    arguments=Trend,
    cue=CUE,
    calls=_calls,
    say=_say,
    needs=("per_step", "p_value", "r2", "significant", "rows"),
    steps=computing("Fit the course over time: its slope, and whether it is more than chance."),
    picture="the course with its line",
    cautions=words("few_points missing_left_out"),
    findings=in_columns(Slopes, slope="per_step", step="step", p="p_value"),
    answers=frozenset({"trend"}),
    follow_ups=_follow_ups,
)
