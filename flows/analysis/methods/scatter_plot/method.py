"""Scatter plots: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import GROUPS, about, group_of, more, names, over, text
from flows.analysis.methods.columns import categories, used_columns
from flows.analysis.methods.method import Call, Method, Row
from flows.analysis.methods.scatter_plot.cue import CUE
from flows.analysis.methods.specification import Study


def _scatter_calls(study: Study, title: str) -> list[Call]:
    x, y = study.columns
    made = [Call("result", "scatter", (x, y, study.group, title))]
    if not study.group:
        made.append(Call("", "reversals", (x, y, categories(study.table, used_columns(study)))))
    return made


def _say_scatter(study: Study, rows: Sequence[Row], total: int) -> str:
    said = []
    for row in rows[:GROUPS]:
        head = f"{group_of(study, row)}: " if study.group else ""
        said.append(f"{head}a correlation of {text(row, 'correlation')} {over(row)}")
    x, y = (names([each]) for each in study.columns)
    rest = more(rows, total, GROUPS, "groups")
    return f"The scatter plot of {y} over {x}{about(study)} shows{rest} {'; '.join(said)}."


METHOD = Method(
    kind="scatter",
    cue=CUE,
    calls=_scatter_calls,
    say=_say_scatter,
    needs=("correlation", "rows"),
)
