"""Tests of a normal distribution: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import GROUPS, about, more, over, place, text
from flows.analysis.methods.findings import in_rows
from flows.analysis.methods.method import Call, FollowUp, Method, Row, words
from flows.analysis.methods.normality.arguments import Normality
from flows.analysis.methods.normality.cue import CUE
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing


def _calls(study: Specification[Normality], _title: str) -> list[Call]:
    told = (list(study.columns), study.group, study.arguments.variant)
    return [Call("result", "normality", told)]


def _say(study: Specification[Normality], rows: Sequence[Row], total: int) -> str:
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


def _follow_ups(study: Specification[Normality]) -> list[FollowUp]:
    return [FollowUp("outliers", {"fields": study.columns, "group": study.group})]


METHOD = Method(
    arguments=Normality,
    cue=CUE,
    calls=_calls,
    say=_say,
    needs=("column", "test", "p_value", "normal", "rows"),
    steps=computing("Test whether the values are distributed normally."),
    picture="quantiles over those of a normal distribution",
    cautions=words("large_sample missing_left_out small_groups small_sample"),
    findings=in_rows,
    answers=frozenset({"distribution"}),
    follow_ups=_follow_ups,
)
