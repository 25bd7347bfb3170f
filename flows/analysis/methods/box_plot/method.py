"""Box plots and violins: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import GROUPS, about, counted, group_of, more, names, text
from flows.analysis.methods.box_plot.arguments import BoxPlot
from flows.analysis.methods.box_plot.cue import CUE
from flows.analysis.methods.method import Call, FollowUp, Method, Row, words
from flows.analysis.methods.outliers.findings import read_outlying
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing


def _calls(study: Specification[BoxPlot], title: str) -> list[Call]:
    told = (list(study.columns), study.group, study.arguments.variant == "violin", title)
    return [Call("result", "box", told)]


def _say(study: Specification[BoxPlot], rows: Sequence[Row], total: int) -> str:
    said = []
    for row in rows[:GROUPS]:
        name = group_of(study, row) or text(row, "column")
        if study.group and len(study.columns) > 1:
            name = f"{name}, {text(row, 'column')}"
        said.append(
            f"{name}: median {text(row, 'median')}, the middle half from {text(row, 'q1')} to "
            f"{text(row, 'q3')}, {counted(row)} of {text(row, 'rows')} values"
        )
    what, rest = names(study.columns), more(rows, total, GROUPS, "boxes")
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
    say=_say,
    needs=("column", "median", "q1", "q3", "outliers", "rows"),
    steps=computing("Compute the quartiles and fences of each group."),
    picture="boxes or violins",
    cautions=words("missing_left_out small_groups small_sample"),
    findings=read_outlying,
    answers=frozenset({"distribution"}),
    follow_ups=_follow_ups,
)
