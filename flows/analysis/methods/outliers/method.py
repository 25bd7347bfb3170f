"""Outliers: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import GROUPS, about, capital, counted, more, place, text
from flows.analysis.methods.method import Call, FollowUp, Method, Row, words
from flows.analysis.methods.outliers.arguments import Outliers
from flows.analysis.methods.outliers.cue import CUE
from flows.analysis.methods.outliers.findings import read_outlying
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing


def _calls(study: Specification[Outliers], _title: str) -> list[Call]:
    told = (list(study.columns), study.group, study.arguments.variant)
    return [Call("result", "outliers", told), Call("outlying", "outlying_rows", told)]


def _say(study: Specification[Outliers], rows: Sequence[Row], total: int) -> str:
    rule = "by the z-score rule" if study.arguments.variant == "zscore" else "by the IQR rule"
    said = [
        f"{place(study, row)} has {counted(row)} of {text(row, 'rows')} values (below "
        f"{text(row, 'lower_bound')} or above {text(row, 'upper_bound')}; the values go from "
        f"{text(row, 'smallest')} to {text(row, 'largest')})"
        for row in rows[:GROUPS]
    ]
    rest = more(rows, total, GROUPS, "columns")
    return capital(f"{rule}{about(study)}{rest}, {'; '.join(said)}.")


def _follow_ups(study: Specification[Outliers]) -> list[FollowUp]:
    return [FollowUp("box_plot", {"fields": study.columns, "group": study.group})]


METHOD = Method(
    arguments=Outliers,
    cue=CUE,
    calls=_calls,
    say=_say,
    needs=("column", "outliers", "lower_bound", "upper_bound", "rows"),
    steps=computing("Mark values that lie far outside of the others, by the usual fences."),
    picture="",
    cautions=words("missing_left_out small_groups small_sample"),
    findings=read_outlying,
    answers=frozenset({"anomalies"}),
    follow_ups=_follow_ups,
)
