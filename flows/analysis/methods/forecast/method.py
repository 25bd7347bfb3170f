"""Forecasts: what is called, what is found, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from flows.analysis.methods.findings import Expectations, in_columns
from flows.analysis.methods.forecast.arguments import Forecast
from flows.analysis.methods.forecast.cue import CUE
from flows.analysis.methods.method import Call, Method, then
from flows.analysis.methods.narration import InColumn, Narration, OfGroup
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.methods.subject import GROUPS, about, more, names
from flows.analysis.methods.time_series import series_of
from flows.analysis.telling.cells import CitedCell


@dataclass(frozen=True, kw_only=True)
class Expectation(OfGroup):
    """What is to be expected at a time, and between which bounds."""

    time: Annotated[CitedCell, InColumn(lambda study: study.time)]
    forecast: CitedCell
    lower: CitedCell
    upper: CitedCell
    method: CitedCell
    points: CitedCell


def _calls(study: Specification[Forecast], _title: str) -> list[Call]:
    given = study.arguments
    goal = [given.steps, given.unit, given.until]
    return [Call("result", "forecast", (*series_of(study), goal))]


def _say(study: Specification[Forecast], found: Sequence[Expectation], total: int) -> str:
    said = []
    for each in found[:GROUPS]:
        group = f"{each.group}, " if each.group else ""
        said.append(f"{group}{each.time}: {each.forecast} (interval {each.lower} to {each.upper})")
    first, rest = found[0], more(found, total, GROUPS, "steps")
    how = "total" if study.arguments.how == "sum" else "mean"
    return (
        f"The forecast of the {how} {names(study.columns)}{about(study)}, by {first.method} over "
        f"{first.points} points in time, with intervals that hold ninety-five percent{rest}: "
        f"{'; '.join(said)}."
    )


METHOD = Method(
    arguments=Forecast,
    cue=CUE,
    calls=_calls,
    narrations=(Narration(Expectation, _say),),
    steps=computing("Fit the course over time and continue it, with an interval around it."),
    picture="the course with its continuation and interval",
    reader=in_columns(
        Expectations, expected="forecast predicted yhat expected", lower="lower", upper="upper"
    ),
    answers=frozenset({"forecast"}),
    follow_ups=then("trend", "fields", "time", "group"),
)
