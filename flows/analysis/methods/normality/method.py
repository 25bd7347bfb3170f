"""Tests of a normal distribution: what is called, what is found, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flows.analysis.methods.method import Call, Method, then
from flows.analysis.methods.narration import Narration, OfColumn, OfRows
from flows.analysis.methods.normality.arguments import Normality
from flows.analysis.methods.normality.cue import CUE
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.methods.subject import GROUPS, about, more
from flows.analysis.telling.cells import CitedCell


@dataclass(frozen=True, kw_only=True)
class Verdict(OfColumn, OfRows):
    """What the test says of a column; `normal` is empty where it could not be made."""

    test: CitedCell
    statistic: CitedCell
    p_value: CitedCell
    normal: CitedCell
    skewness: CitedCell


def _calls(study: Specification[Normality], _title: str) -> list[Call]:
    told = (list(study.columns), study.group, study.arguments.variant)
    return [Call("result", "normality", told)]


def _say(study: Specification[Normality], found: Sequence[Verdict], total: int) -> str:
    said = []
    for each in found[:GROUPS]:
        if each.normal.value is None:
            said.append(f"{each.place} has too few different values for a test ({each.over})")
            continue
        verdict = "can be" if each.normal.value else "is not"
        said.append(
            f"{each.place} {verdict} normally distributed ({each.test} test: p = {each.p_value}, "
            f"statistic {each.statistic}; skewness {each.skewness}; {each.over})"
        )
    rest = more(found, total, GROUPS, "tests")
    where = about(study).strip()
    return f"{f'Of the rows {where}: ' if where else ''}{'; '.join(said)}{rest}."


METHOD = Method(
    arguments=Normality,
    cue=CUE,
    calls=_calls,
    narrations=(Narration(Verdict, _say),),
    steps=computing("Test whether the values are distributed normally."),
    picture="quantiles over those of a normal distribution",
    answers=frozenset({"distribution"}),
    follow_ups=then("outliers", "fields", "group"),
)
