"""Running totals: what is called, what is found, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from flows.analysis.methods.method import Call, Method, then
from flows.analysis.methods.narration import InColumn, Narration
from flows.analysis.methods.running_total.arguments import RunningTotal
from flows.analysis.methods.running_total.cue import CUE
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.methods.subject import GROUPS, about, more, names
from flows.analysis.methods.time_series import Point, points_words, series_of
from flows.analysis.telling.cells import CitedCell


@dataclass(frozen=True, kw_only=True)
class TotalToDate(Point):
    """The sum of the values up to a time."""

    value: Annotated[CitedCell, InColumn("cumulative")]


def _calls(study: Specification[RunningTotal], _title: str) -> list[Call]:
    return [Call("result", "smoothed", (*series_of(study), 0))]


def _say(study: Specification[RunningTotal], found: Sequence[TotalToDate], total: int) -> str:
    shown = [each for each in found if each.value.value is not None]
    rest = more(shown, total, GROUPS, "steps")
    return (
        f"The running total of {names(study.columns)}{about(study)}{rest}: "
        f"{points_words(shown[:GROUPS])}."
    )


METHOD = Method(
    arguments=RunningTotal,
    cue=CUE,
    calls=_calls,
    narrations=(Narration(TotalToDate, _say),),
    steps=computing("Add the values up in the order of time."),
    picture="the course of the sums",
    answers=frozenset({"trend"}),
    follow_ups=then("forecast", "fields", "time", "group"),
)
