"""A target broken down by columns: what is called, what is found, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.breakdown.arguments import Breakdown
from flows.analysis.methods.breakdown.cue import CUE
from flows.analysis.methods.breakdown.findings import BreakdownRow, read_breakdown, statements
from flows.analysis.methods.findings import sentences
from flows.analysis.methods.method import Call, Method, repeats
from flows.analysis.methods.narration import Narration
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing

_TOLD = 4


def _calls(study: Specification[Breakdown], _title: str) -> list[Call]:
    given = study.arguments
    told = (given.target, list(given.fields), given.how, given.yes, list(given.parts),
            list(given.kin), measure_of(given))  # fmt: skip
    return [Call("result", "breakdown", told), *repeats(study)]


def measure_of(given: Breakdown) -> str:
    """What is measured, in words: `average salary`, `share of rows with left = yes`."""
    what = given.words or " ".join(given.target.replace("_", " ").split())
    if given.how == "share" and not given.words and given.yes:
        what = f"rows with {what} = {given.yes}"
    return f"{given.how if given.how != 'sum' else 'total'} {what}"


def _say(_study: Specification[Breakdown], rows: Sequence[BreakdownRow], _total: int) -> str:
    return sentences(statements(rows), _TOLD)


METHOD = Method(
    arguments=Breakdown,
    cue=CUE,
    calls=_calls,
    narrations=(Narration(BreakdownRow, _say),),
    steps=computing(
        "Compute the figure of all rows, and of the groups of each column; how much of the "
        "differences each column explains, and how likely that is by chance. Leave out what is a "
        "part of the target or another measure of it."
    ),
    reader=read_breakdown,
    answers=frozenset({"drivers", "ranking"}),
)
