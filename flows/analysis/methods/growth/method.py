"""Growth and changes from step to step: what is called, what is found, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from flows.analysis.methods.findings import TimeChange, in_columns
from flows.analysis.methods.growth.arguments import Growth
from flows.analysis.methods.growth.cue import CUE
from flows.analysis.methods.method import Call, Method, then
from flows.analysis.methods.narration import InColumn, Narration, OfGroup
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.methods.subject import GROUPS, about, more, names
from flows.analysis.methods.time_series import Point, points_words, series_of
from flows.analysis.telling.cells import CitedCell


@dataclass(frozen=True, kw_only=True)
class WholeGrowth(OfGroup):
    """The first and the last value with their times."""

    since: Annotated[CitedCell, InColumn("from")]
    until: Annotated[CitedCell, InColumn("to")]
    first_value: CitedCell
    last_value: CitedCell
    percent: CitedCell
    cagr: CitedCell


@dataclass(frozen=True, kw_only=True)
class GrowthStep(Point):
    """The change from the time before, in percent."""

    value: Annotated[CitedCell, InColumn("percent")]
    mean_percent: CitedCell
    std_percent: CitedCell


def _calls(study: Specification[Growth], _title: str) -> list[Call]:
    if study.arguments.stepwise:
        return [Call("result", "changes", (*series_of(study), study.arguments.every))]
    return [Call("result", "growth", (*series_of(study), study.arguments.order))]


def _say(study: Specification[Growth], found: Sequence[WholeGrowth], total: int) -> str:
    said = []
    for each in found[:GROUPS]:
        yearly = f", {each.cagr} % a year" if each.cagr.value is not None else ""
        said.append(
            f"{each.head}from {each.first_value} ({each.since}) to {each.last_value} "
            f"({each.until}), by {each.percent} %{yearly}"
        )
    rest = more(found, total, GROUPS, "groups")
    return f"The growth of {names(study.columns)}{about(study)}{rest}: {'; '.join(said)}."


def _say_steps(study: Specification[Growth], found: Sequence[GrowthStep], total: int) -> str:
    first, shown = found[0], [each for each in found if each.value.value is not None][:GROUPS]
    rest = more(shown, total, GROUPS, "steps")
    return (
        f"The change of {names(study.columns)}{about(study)} from step to step is "
        f"{first.mean_percent} % on average, with a standard deviation of {first.std_percent} "
        f"%{rest}: {points_words(shown, ' %')}."
    )


def _steps(study: Specification[Growth]) -> list[str]:
    stepwise = "Compute the change from each time to the next, in percent."
    whole = "Compute the change from the first to the last time, and for each step."
    return computing(stepwise if study.arguments.stepwise else whole)(study)


METHOD = Method(
    arguments=Growth,
    cue=CUE,
    calls=_calls,
    narrations=(
        Narration(WholeGrowth, _say),
        Narration(GrowthStep, _say_steps),
    ),
    steps=_steps,
    picture="the course of the changes from step to step",
    reader=in_columns(
        TimeChange,
        first="first_value",
        last="last_value",
        since="from",
        until="to",
        percent="percent",
    ),
    answers=frozenset({"trend"}),
    follow_ups=then("trend", "fields", "time", "group"),
)
