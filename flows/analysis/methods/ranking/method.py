"""Rank and share within groups: what is called, what is found, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from flows.analysis.methods.method import Call, Method
from flows.analysis.methods.narration import InColumn, Narration
from flows.analysis.methods.ranking.arguments import Ranking
from flows.analysis.methods.ranking.cue import CUE
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.methods.subject import GROUPS, about, more, names
from flows.analysis.telling.cells import CitedCell


@dataclass(frozen=True, kw_only=True)
class RankedRow:
    """The rank of a row in its group, and its share of the group's total."""

    group: Annotated[CitedCell, InColumn(lambda study: study.group)]
    label: Annotated[CitedCell, InColumn(lambda study: study.columns[0])]
    value: Annotated[CitedCell, InColumn(lambda study: study.columns[1])]
    rank: CitedCell
    share: CitedCell


def _calls(study: Specification[Ranking], _title: str) -> list[Call]:
    return [Call("result", "standing", (*study.columns, study.group))]


def _say(study: Specification[Ranking], found: Sequence[RankedRow], total: int) -> str:
    label, value = study.columns
    said = [
        f"{each.group}, {each.label}: rank {each.rank} with {each.value} ({each.share} %)"
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
    answers=frozenset({"ranking"}),
)
