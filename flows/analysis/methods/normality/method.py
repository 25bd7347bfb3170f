"""Tests of a normal distribution: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import GROUPS, about, more, over, place, text
from flows.analysis.methods.method import Call, Method, Row
from flows.analysis.methods.normality.cue import CUE
from flows.analysis.methods.specification import Study


def _normality_calls(study: Study, _title: str) -> list[Call]:
    told = (list(study.columns), study.group, study.method)
    return [Call("result", "normality", told)]


def _say_normality(study: Study, rows: Sequence[Row], total: int) -> str:
    said = []
    for row in rows[:GROUPS]:
        name = place(study, row)
        if row["normal"].value is None:
            said.append(f"{name} has too few different values for a test ({over(row)})")
            continue
        verdict = "can be" if row["normal"].value else "is not"
        said.append(
            f"{name} {verdict} normally distributed ({text(row, 'test')} test: p = "
            f"{text(row, 'p_value')}, statistic {text(row, 'statistic')}; skewness "
            f"{text(row, 'skewness')}; {over(row)})"
        )
    rest = more(rows, total, GROUPS, "tests")
    where = about(study).strip()
    return f"{f'Of the rows {where}: ' if where else ''}{'; '.join(said)}{rest}."


METHOD = Method(
    kind="normality",
    cue=CUE,
    calls=_normality_calls,
    say=_say_normality,
    needs=("column", "test", "p_value", "normal", "rows"),
)
