"""Moving averages: what is called, what is found, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from flows.analysis.methods.method import Call, Method, then
from flows.analysis.methods.moving_average.arguments import MovingAverage
from flows.analysis.methods.moving_average.cue import CUE
from flows.analysis.methods.narration import InColumn, Narration
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.methods.subject import GROUPS, about, more, names
from flows.analysis.methods.time_series import Point, points_words, series_of
from flows.analysis.telling.cells import CitedCell
from flows.analysis.telling.query_words import in_words


@dataclass(frozen=True, kw_only=True)
class SmoothedValue(Point):
    """The average of the values up to a time."""

    value: Annotated[CitedCell, InColumn(lambda study: f"moving_average_{study.arguments.window}")]


def _calls(study: Specification[MovingAverage], _title: str) -> list[Call]:
    return [Call("result", "smoothed", (*series_of(study), study.arguments.window))]


def _say(study: Specification[MovingAverage], found: Sequence[SmoothedValue], total: int) -> str:
    shown = [each for each in found if each.value.value is not None]
    return (
        f"The moving average over {in_words(study.arguments.window)} steps of "
        f"{names(study.columns)}{about(study)}{more(shown, total, GROUPS, 'steps')}: "
        f"{points_words(shown[:GROUPS])}."
    )


METHOD = Method(
    arguments=MovingAverage,
    cue=CUE,
    calls=_calls,
    narrations=(Narration(SmoothedValue, _say),),
    steps=computing("Average each value with those before it."),
    picture="the course and its average",
    answers=frozenset({"trend"}),
    follow_ups=then("trend", "fields", "time", "group"),
)
