"""Histograms and frequencies: what is called, what is found, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from flows.analysis.methods.distribution.arguments import Distribution
from flows.analysis.methods.distribution.cue import CUE
from flows.analysis.methods.method import Call, FollowUp, Method
from flows.analysis.methods.narration import InColumn, Narration, OfColumn, OfGroup, OfRows
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.methods.subject import GROUPS, LISTED, about, more, names
from flows.analysis.methods.summary_statistics.findings import read_spreads
from flows.analysis.telling.cells import CitedCell


@dataclass(frozen=True, kw_only=True)
class Histogram(OfColumn, OfRows):
    """Between which ends the numbers of a column lie, and where most of them do."""

    mean: CitedCell
    median: CitedCell
    minimum: CitedCell
    maximum: CitedCell
    fullest_from: CitedCell
    fullest_to: CitedCell
    fullest_rows: CitedCell


@dataclass(frozen=True, kw_only=True)
class Frequency(OfGroup):
    """How many rows have a value."""

    value: Annotated[CitedCell, InColumn(lambda study: study.columns[0])]
    rows: CitedCell
    percent: CitedCell


def _calls(study: Specification[Distribution], title: str) -> list[Call]:
    columns = list(study.columns)
    if study.arguments.variant == "frequencies":
        return [Call("result", "frequencies", (columns[0], study.group, title))]
    return [Call("result", "histogram", (columns, study.group, study.arguments.bins, title))]


def _say(study: Specification[Distribution], found: Sequence[Histogram], total: int) -> str:
    said = [
        f"{each.head}{each.column}{about(study)} lies between {each.minimum} and {each.maximum}, "
        f"with a mean of {each.mean} and a median of {each.median} ({each.over}); most values, "
        f"{each.fullest_rows}, are from {each.fullest_from} to {each.fullest_to}"
        for each in found[:LISTED]
    ]
    return f"{'. '.join(said)}{more(found, total, LISTED, 'histograms')}."


def _say_frequencies(
    study: Specification[Distribution], found: Sequence[Frequency], total: int
) -> str:
    said = []
    for each in found[:GROUPS]:
        group = f"{each.group}, " if each.group else ""
        said.append(f"{group}{each.value}: {each.rows} ({each.percent} %)")
    rest = more(found, total, GROUPS, "values")
    return f"The rows of each {names(study.columns[:1])}{about(study)}{rest}: {'; '.join(said)}."


def _follow_ups(study: Specification[Distribution]) -> list[FollowUp]:
    if study.arguments.variant == "frequencies":
        return []
    return [FollowUp("normality", {"fields": study.columns, "group": study.group})]


METHOD = Method(
    arguments=Distribution,
    cue=CUE,
    calls=_calls,
    narrations=(
        Narration(Histogram, _say),
        Narration(Frequency, _say_frequencies),
    ),
    steps=computing("Count the values in bins, with mean, median and skew."),
    picture="a histogram, or bars of the frequencies",
    reader=read_spreads,
    answers=frozenset({"distribution"}),
    follow_ups=_follow_ups,
)
