"""Straight lines over time: what is called, what is found, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flows.analysis.methods.findings import Slopes, in_columns
from flows.analysis.methods.method import Call, Method, then
from flows.analysis.methods.narration import Narration, OfGroup, OfRows
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.methods.subject import GROUPS, about, more, names
from flows.analysis.methods.time_series import series_of
from flows.analysis.methods.trend.arguments import Trend
from flows.analysis.methods.trend.cue import CUE
from flows.analysis.telling.cells import CitedCell


@dataclass(frozen=True, kw_only=True)
class TrendSlope(OfGroup, OfRows):
    """The slope of a line through the values of a group."""

    per_step: CitedCell
    step: CitedCell
    p_value: CitedCell
    r2: CitedCell
    significant: CitedCell


def _calls(study: Specification[Trend], _title: str) -> list[Call]:
    return [Call("result", "slope", series_of(study))]


def _say(study: Specification[Trend], found: Sequence[TrendSlope], total: int) -> str:
    said = []
    for each in found[:GROUPS]:
        way = "rises" if each.per_step.number > 0 else "falls"
        clear = "significant" if each.significant.value else "not significant"
        said.append(
            f"{each.head}it {way} by {each.per_step} for each {each.step} ({clear} at the five "
            f"percent level, p = {each.p_value}, R² {each.r2}, {each.over})"
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
    reader=in_columns(Slopes, slope="per_step", step="step", p="p_value"),
    answers=frozenset({"trend"}),
    follow_ups=then("forecast", "fields", "time", "group"),
)
