"""Outliers: what is called, what is found, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.method import Call, Method, then
from flows.analysis.methods.narration import Narration
from flows.analysis.methods.outliers.arguments import Outliers
from flows.analysis.methods.outliers.cue import CUE
from flows.analysis.methods.outliers.findings import OutlierBounds, counted, read_outlying
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.methods.subject import GROUPS, about, capital, more


def _calls(study: Specification[Outliers], _title: str) -> list[Call]:
    given = study.arguments
    told: tuple[object, ...] = (list(study.columns), study.group, given.variant)
    if given.limit is not None:
        told = (*told, given.limit)
    return [Call("result", "outliers", told), Call("outlying", "outlying_rows", told)]


def _say(study: Specification[Outliers], found: Sequence[OutlierBounds], total: int) -> str:
    rule = "by the z-score rule" if study.arguments.variant == "zscore" else "by the IQR rule"
    if study.arguments.limit is not None:
        rule += f" with {study.arguments.limit:g} as its limit"
    said = [
        f"{each.place} has {counted(each.outliers, each.rows)} (below {each.lower_bound} or above "
        f"{each.upper_bound}; the values go from {each.smallest} to {each.largest})"
        for each in found[:GROUPS]
    ]
    rest = more(found, total, GROUPS, "columns")
    return capital(f"{rule}{about(study)}{rest}, {'; '.join(said)}.")


METHOD = Method(
    arguments=Outliers,
    cue=CUE,
    calls=_calls,
    narrations=(Narration(OutlierBounds, _say),),
    steps=computing("Mark values that lie far outside of the others, by the usual fences."),
    reader=read_outlying,
    answers=frozenset({"anomalies"}),
    follow_ups=then("box_plot", "fields", "group"),
)
