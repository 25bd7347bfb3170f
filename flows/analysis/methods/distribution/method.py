"""Histograms and frequencies: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import GROUPS, LISTED, about, head, more, names, over, text
from flows.analysis.methods.distribution.arguments import Distribution
from flows.analysis.methods.distribution.cue import CUE
from flows.analysis.methods.method import Call, FollowUp, Method, Row, words
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.methods.summary_statistics.findings import read_spreads


def _calls(study: Specification[Distribution], title: str) -> list[Call]:
    columns = list(study.columns)
    if study.arguments.variant == "frequencies":
        return [Call("result", "frequencies", (columns[0], study.group, title))]
    return [Call("result", "histogram", (columns, study.group, study.arguments.bins, title))]


def _say(study: Specification[Distribution], rows: Sequence[Row], total: int) -> str:
    if study.arguments.variant == "frequencies":
        return _say_frequencies(study, rows, total)
    said = [
        f"{head(study, row)}{text(row, 'column')}{about(study)} lies between "
        f"{text(row, 'minimum')} and {text(row, 'maximum')}, with a mean of {text(row, 'mean')} "
        f"and a median of {text(row, 'median')} ({over(row)}); most values, "
        f"{text(row, 'fullest_rows')}, are from {text(row, 'fullest_from')} to "
        f"{text(row, 'fullest_to')}"
        for row in rows[:LISTED]
    ]
    return f"{'. '.join(said)}{more(rows, total, LISTED, 'histograms')}."


def _say_frequencies(study: Specification[Distribution], rows: Sequence[Row], total: int) -> str:
    column = study.columns[0]
    said = []
    for row in rows[:GROUPS]:
        name = ", ".join(text(row, key) for key in (study.group, column) if key)
        said.append(f"{name}: {text(row, 'rows')} ({text(row, 'percent')} %)")
    rest = more(rows, total, GROUPS, "values")
    return f"The rows of each {names([column])}{about(study)}{rest}: {'; '.join(said)}."


def _follow_ups(study: Specification[Distribution]) -> list[FollowUp]:
    if study.arguments.variant == "frequencies":
        return []
    return [FollowUp("normality", {"fields": study.columns, "group": study.group})]


METHOD = Method(
    arguments=Distribution,
    cue=CUE,
    calls=_calls,
    say=_say,
    needs=("rows",),
    steps=computing("Count the values in bins, with mean, median and skew."),
    picture="a histogram, or bars of the frequencies",
    cautions=words("missing_left_out small_groups small_sample"),
    findings=read_spreads,
    answers=frozenset({"distribution"}),
    follow_ups=_follow_ups,
)
