"""Straight lines over time: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import GROUPS, about, more, names
from flows.analysis.methods.findings import Slopes, in_columns
from flows.analysis.methods.method import Call, Method, then, words
from flows.analysis.methods.narration import Narration
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.methods.time_series import series_of
from flows.analysis.methods.trend.arguments import Trend
from flows.analysis.methods.trend.cue import CUE
from flows.analysis.methods.trend.findings import TrendSlope


def _calls(study: Specification[Trend], _title: str) -> list[Call]:
    return [Call("result", "slope", series_of(study))]


def _say(study: Specification[Trend], found: Sequence[TrendSlope], total: int) -> str:
    said = []
    for each in found[:GROUPS]:
        way = "rises" if each.per_step.number > 0 else "falls"
        clear = "significant" if each.significant.value else "not significant"
        said.append(
            f"{each.head}it {way} by {each.per_step.text()} for each {each.step.text()} ({clear} "
            f"at the five percent level, p = {each.p_value.text()}, R² {each.r2.text()}, "
            f"{each.over})"
        )
    rest = more(found, total, GROUPS, "groups")
    return f"The linear trend of {names(study.columns)}{about(study)}{rest}: {'; '.join(said)}."


METHOD = Method(
    arguments=Trend,
    cue=CUE,
    calls=_calls,
    narrations=(Narration(TrendSlope, _say),),
    steps=computing("Fit the course over time: its slope, and whether it is more than chance."),
    picture="the course with its line",
    cautions=words("few_points missing_left_out"),
    reader=in_columns(Slopes, slope="per_step", step="step", p="p_value"),
    answers=frozenset({"trend"}),
    follow_ups=then("forecast", "fields", "time", "group"),
)
