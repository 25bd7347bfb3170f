"""Rank and share within groups: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import GROUPS, about, more, names
from flows.analysis.methods.findings import in_rows
from flows.analysis.methods.method import Call, Method, words
from flows.analysis.methods.narration import Narration
from flows.analysis.methods.ranking.arguments import Ranking
from flows.analysis.methods.ranking.cue import CUE
from flows.analysis.methods.ranking.findings import RankedRow
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing


def _calls(study: Specification[Ranking], _title: str) -> list[Call]:
    return [Call("result", "standing", (*study.columns, study.group))]


def _say(study: Specification[Ranking], found: Sequence[RankedRow], total: int) -> str:
    label, value = study.columns
    said = [
        f"{each.group.text()}, {each.label.text()}: rank {each.rank.text()} with "
        f"{each.value.text()} ({each.share.text()} %)"
        for each in found[:GROUPS]
    ]
    rest = more(found, total, GROUPS, "rows")
    return (
        f"{names([label])} by {names([value])} within {names([study.group])}{about(study)}, with "
        f"its share of the group's total{rest}: {'; '.join(said)}."
    )


METHOD = Method(
    arguments=Ranking,
    cue=CUE,
    calls=_calls,
    narrations=(Narration(RankedRow, _say),),
    steps=computing("Order the groups by the value."),
    picture="",
    cautions=words("added_up missing_left_out"),
    reader=in_rows,
    answers=frozenset({"ranking"}),
)
