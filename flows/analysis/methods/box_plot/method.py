"""Box plots and violins: what is called, what is found, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flows.analysis.methods.box_plot.arguments import BoxPlot
from flows.analysis.methods.box_plot.cue import CUE
from flows.analysis.methods.method import Call, FollowUp, Method
from flows.analysis.methods.narration import Narration, OfColumn
from flows.analysis.methods.outliers.findings import counted, read_outlying
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.methods.subject import GROUPS, about, more, names
from flows.analysis.telling.cells import CitedCell


@dataclass(frozen=True, kw_only=True)
class Box(OfColumn):
    """The quartiles of a group, and how many of its values lie far outside."""

    median: CitedCell
    q1: CitedCell
    q3: CitedCell
    outliers: CitedCell
    rows: CitedCell


def _calls(study: Specification[BoxPlot], title: str) -> list[Call]:
    told = (list(study.columns), study.group, study.arguments.variant == "violin", title)
    return [Call("result", "box", told)]


def _say(study: Specification[BoxPlot], boxes: Sequence[Box], total: int) -> str:
    said = [
        f"{box.place if len(study.columns) > 1 or not box.group else box.group}: median "
        f"{box.median}, the middle half from {box.q1} to {box.q3}, "
        f"{counted(box.outliers, box.rows)}"
        for box in boxes[:GROUPS]
    ]
    what, rest = names(study.columns), more(boxes, total, GROUPS, "boxes")
    by = f" by {names([study.group])}" if study.group else ""
    drawn = "violin plot" if study.arguments.variant == "violin" else "box plot"
    return f"The {drawn} of {what}{by}{about(study)}{rest} shows: {'; '.join(said)}."


def _follow_ups(study: Specification[BoxPlot]) -> list[FollowUp]:
    if not study.group:
        return [FollowUp("outliers", {"fields": study.columns})]
    return [FollowUp("hypothesis_test", {"fields": study.columns[:1], "group": study.group})]


METHOD = Method(
    arguments=BoxPlot,
    cue=CUE,
    calls=_calls,
    narrations=(Narration(Box, _say),),
    steps=computing("Compute the quartiles and fences of each group."),
    picture="boxes or violins",
    reader=read_outlying,
    answers=frozenset({"distribution"}),
    follow_ups=_follow_ups,
)
