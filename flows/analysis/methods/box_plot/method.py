"""Box plots and violins: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import GROUPS, about, counted, group_of, more, names, text
from flows.analysis.methods.box_plot.cue import CUE
from flows.analysis.methods.method import Call, Method, Row
from flows.analysis.methods.specification import Study


def _box_calls(study: Study, title: str) -> list[Call]:
    told = (list(study.columns), study.group, study.method == "violin", title)
    return [Call("result", "box", told)]


def _say_box(study: Study, rows: Sequence[Row], total: int) -> str:
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
    drawn = "violin plot" if study.method == "violin" else "box plot"
    return f"The {drawn} of {what}{by}{about(study)}{rest} shows: {'; '.join(said)}."


METHOD = Method(
    kind="box",
    cue=CUE,
    calls=_box_calls,
    say=_say_box,
    needs=("column", "median", "q1", "q3", "outliers", "rows"),
)
