"""Scatter plots: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import GROUPS, about, head, more, names, over, text
from flows.analysis.methods.columns import categories, used_columns
from flows.analysis.methods.correlation.findings import read_relationships
from flows.analysis.methods.method import Call, FollowUp, Method, Row, words
from flows.analysis.methods.scatter_plot.arguments import ScatterPlot
from flows.analysis.methods.scatter_plot.cue import CUE
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing


def _calls(study: Specification[ScatterPlot], title: str) -> list[Call]:
    x, y = study.columns
    made = [Call("result", "scatter", (x, y, study.group, title))]
    if not study.group:
        made.append(Call("", "reversals", (x, y, categories(study.table, used_columns(study)))))
    return made


def _say(study: Specification[ScatterPlot], rows: Sequence[Row], total: int) -> str:
    said = [
        f"{head(study, row)}a correlation of {text(row, 'correlation')} {over(row)}"
        for row in rows[:GROUPS]
    ]
    x, y = (names([each]) for each in study.columns)
    rest = more(rows, total, GROUPS, "groups")
    return f"The scatter plot of {y} over {x}{about(study)} shows{rest} {'; '.join(said)}."


def _follow_ups(study: Specification[ScatterPlot]) -> list[FollowUp]:
    return [FollowUp("correlation", {"fields": study.columns, "group": study.group})]


METHOD = Method(
    arguments=ScatterPlot,
    cue=CUE,
    calls=_calls,
    say=_say,
    needs=("correlation", "rows"),
    steps=computing(
        "Set the two columns beside each other, with the straight line through the points."
    ),
    picture="points, with the line through them",
    cautions=words("missing_left_out simpson small_groups small_sample"),
    findings=read_relationships,
    answers=frozenset({"effect"}),
    follow_ups=_follow_ups,
)
