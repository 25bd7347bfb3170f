"""Rank and share within groups: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import GROUPS, about, more, names, text
from flows.analysis.methods.findings import in_rows
from flows.analysis.methods.method import Call, Method, Row, words
from flows.analysis.methods.ranking.arguments import Ranking
from flows.analysis.methods.ranking.cue import CUE
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing


def _calls(study: Specification[Ranking], _title: str) -> list[Call]:
    return [Call("result", "standing", (*study.columns, study.group))]


def _say(study: Specification[Ranking], rows: Sequence[Row], total: int) -> str:
    label, value = study.columns
    said = [
        f"{text(row, study.group)}, {text(row, label)}: rank {text(row, 'rank')} with "
        f"{text(row, value)} ({text(row, 'share')} %)"
        for row in rows[:GROUPS]
    ]
    rest = more(rows, total, GROUPS, "rows")
    return (
        f"{names([label])} by {names([value])} within {names([study.group])}{about(study)}, with "
        f"its share of the group's total{rest}: {'; '.join(said)}."
    )


METHOD = Method(
    arguments=Ranking,
    cue=CUE,
    calls=_calls,
    say=_say,
    needs=("rank", "share"),
    steps=computing("Order the groups by the value."),
    picture="",
    cautions=words("added_up missing_left_out"),
    findings=in_rows,
    answers=frozenset({"ranking"}),
)
