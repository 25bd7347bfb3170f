"""Straight lines over time: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import GROUPS, about, group_of, more, names, number, over, text
from flows.analysis.methods.method import Call, Method, Row
from flows.analysis.methods.specification import Study
from flows.analysis.methods.time_series import series_of
from flows.analysis.methods.trend.cue import CUE


def _trend_calls(study: Study, _title: str) -> list[Call]:
    return [Call("result", "slope", series_of(study))]


def _say_trend(study: Study, rows: Sequence[Row], total: int) -> str:
    said = []
    for row in rows[:GROUPS]:
        head = f"{group_of(study, row)}: " if study.group else ""
        way = "rises" if number(row["per_step"].value) > 0 else "falls"
        clear = "significant" if row["significant"].value else "not significant"
        said.append(
            f"{head}it {way} by {text(row, 'per_step')} for each {text(row, 'step')} ({clear} at "
            f"the "
            f"five percent level, p = {text(row, 'p_value')}, R² {text(row, 'r2')}, {over(row)})"
        )
    rest = more(rows, total, GROUPS, "groups")
    return f"The linear trend of {names(study.columns)}{about(study)}{rest}: {'; '.join(said)}."


METHOD = Method(
    kind="trend",
    cue=CUE,
    calls=_trend_calls,
    say=_say_trend,
    needs=("per_step", "p_value", "r2", "significant", "rows"),
)
