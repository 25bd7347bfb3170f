"""Correlations: what is called, what is found, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.columns import categories, used_columns
from flows.analysis.methods.correlation.arguments import Correlation
from flows.analysis.methods.correlation.cue import CUE
from flows.analysis.methods.correlation.findings import Correlated, read_relationships
from flows.analysis.methods.method import Call, FollowUp, Method, repeats
from flows.analysis.methods.narration import Narration
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.methods.subject import LISTED, about, more, names

_METHODS = {"spearman": "Spearman", "kendall": "Kendall", "pearson": "Pearson"}


def _calls(study: Specification[Correlation], title: str) -> list[Call]:
    columns, method = list(study.columns), study.arguments.variant
    told = (columns, study.target, study.group, method, study.arguments.order)
    made = [Call("result", "correlate", told)]
    if len(columns) > 2:
        made.append(Call("matrix", "correlation_matrix", (columns, method)))
        return [*made, Call("", "say_twins_among", (columns, study.target))]
    made.append(Call("points", "scatter", (columns[0], columns[1], study.group, title)))
    if not study.group:
        made.append(Call("", "doubts_of_pair", (columns[0], columns[1], method)))
        turning = categories(study.table, used_columns(study))
        made.append(Call("", "reversals", (columns[0], columns[1], turning)))
    return [*made, *repeats(study)]


def _say(study: Specification[Correlation], found: Sequence[Correlated], total: int) -> str:
    method, where = _METHODS[study.arguments.variant], about(study)
    if len(found) == 1 and total == 1:
        return _say_pair(found[0], method, where)
    by_group = bool(study.group) and len(study.columns) == 2
    said = []
    for each in found[:LISTED]:
        name = each.pair
        if each.group and (by_group or total > LISTED):
            name = each.group.text() if by_group else f"{each.group}, {each.pair}"
        said.append(f"{name}: {each.correlation}")
    of = f" of {names([study.target])} with the others" if study.target else ""
    if by_group:
        of = f" of {names(study.columns)} for each {names([study.group])}"
    same = len({each.rows.value for each in found}) == 1
    rest = f", {found[0].over}" if same and not study.group else ""
    return (
        f"The {study.arguments.order} correlations{of}{where} "
        f"({method}{rest}){more(found, total, LISTED, 'pairs')}: {'; '.join(said)}."
    )


def _say_pair(found: Correlated, method: str, where: str) -> str:
    if found.correlation.value is None:
        return f"The correlation of {found.pair}{where} cannot be computed."
    value = f"{found.correlation}, {_strength(found.correlation.number)}"
    p = found.p_value
    chance = ""
    if p.value is not None:
        verdict = "significant" if p.number < 0.05 else "not significant"
        chance = f" It is {verdict} at the five percent level (p = {p})."
    return f"The correlation of {found.pair}{where} is {value} ({method}, {found.over}).{chance}"


def _strength(value: float) -> str:
    size = abs(value)
    if size < 0.1:
        return "so next to none"
    way = "positive" if value > 0 else "negative"
    return f"{'weak' if size < 0.3 else 'moderate' if size < 0.5 else 'strong'} and {way}"


def _follow_ups(study: Specification[Correlation]) -> list[FollowUp]:
    x, y = study.columns[:2]
    if study.target:
        others = tuple(name for name in study.columns if name != study.target)
        return [FollowUp("feature_importance", {"target": study.target, "fields": others})]
    if len(study.columns) > 2:
        return []
    return [
        FollowUp("scatter_plot", {"fields": (x, y), "group": study.group}),
        FollowUp("regression", {"target": y, "fields": (x,)}),
    ]


METHOD = Method(
    arguments=Correlation,
    cue=CUE,
    calls=_calls,
    narrations=(Narration(Correlated, _say),),
    steps=computing(
        "Compute the correlation coefficient of each pair with its p-value, and adjust the "
        "p-values where many pairs are tested."
    ),
    picture="the points of a pair, or a heat map of the pairs",
    reader=read_relationships,
    answers=frozenset({"effect"}),
    follow_ups=_follow_ups,
)
