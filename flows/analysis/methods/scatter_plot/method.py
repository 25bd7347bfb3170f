"""Scatter plots: what is called, what is found, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flows.analysis.methods.columns import categories, used_columns
from flows.analysis.methods.correlation.findings import read_relationships
from flows.analysis.methods.method import Call, Method, then
from flows.analysis.methods.narration import Narration, OfGroup, OfRows
from flows.analysis.methods.scatter_plot.arguments import ScatterPlot
from flows.analysis.methods.scatter_plot.cue import CUE
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.methods.subject import GROUPS, about, more, names
from flows.analysis.telling.cells import CitedCell


@dataclass(frozen=True, kw_only=True)
class Points(OfGroup, OfRows):
    """The correlation of the points of a group."""

    correlation: CitedCell


def _calls(study: Specification[ScatterPlot], title: str) -> list[Call]:
    x, y = study.columns
    made = [Call("result", "scatter", (x, y, study.group, title))]
    if not study.group:
        made.append(Call("", "reversals", (x, y, categories(study.table, used_columns(study)))))
    return made


def _say(study: Specification[ScatterPlot], found: Sequence[Points], total: int) -> str:
    said = [f"{e.head}a correlation of {e.correlation} {e.over}" for e in found[:GROUPS]]
    x, y = (names([each]) for each in study.columns)
    rest = more(found, total, GROUPS, "groups")
    return f"The scatter plot of {y} over {x}{about(study)} shows{rest} {'; '.join(said)}."


METHOD = Method(
    arguments=ScatterPlot,
    cue=CUE,
    calls=_calls,
    narrations=(Narration(Points, _say),),
    steps=computing(
        "Set the two columns beside each other, with the straight line through the points."
    ),
    picture="points, with the line through them",
    reader=read_relationships,
    answers=frozenset({"effect"}),
    follow_ups=then("correlation", "fields", "group"),
)
