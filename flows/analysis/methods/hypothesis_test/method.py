"""Tests whether groups differ or columns depend on each other: their calls and their telling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from flows.analysis.methods.columns import categories
from flows.analysis.methods.findings import Differences, in_columns
from flows.analysis.methods.hypothesis_test.arguments import DEPENDENCE, HypothesisTest
from flows.analysis.methods.hypothesis_test.cue import CUE
from flows.analysis.methods.method import Call, FollowUp, Method, repeats
from flows.analysis.methods.narration import InColumn, Narration, OfRows
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.methods.subject import GROUPS, about, capital, more, names
from flows.analysis.telling.cells import CitedCell


@dataclass(frozen=True, kw_only=True)
class Dependence:
    """What a test says of two columns, or of the groups of one."""

    test: CitedCell
    statistic: CitedCell
    p_value: CitedCell
    significant: CitedCell
    effect: CitedCell
    effect_size: CitedCell

    @property
    def words(self) -> str:
        return (
            f"{self.test}: statistic {self.statistic}, p = {self.p_value}; {self.effect} "
            f"{self.effect_size}"
        )


@dataclass(frozen=True, kw_only=True)
class TestedMean(Dependence, OfRows):
    """A mean beside the value that it is tested against."""

    column: CitedCell
    mean: CitedCell
    hypothesis: CitedCell


@dataclass(frozen=True, kw_only=True)
class GroupMean(Dependence):
    """The mean of a group, or of one of the columns that are compared."""

    name: Annotated[CitedCell, InColumn(lambda study: study.group or "column")]
    mean: CitedCell
    median: CitedCell
    rows: CitedCell


def _calls(study: Specification[HypothesisTest], title: str) -> list[Call]:
    columns, level = list(study.columns), study.arguments.level
    if study.arguments.variant == "level":
        told = (columns[0], level)
        return [Call("result", "compare_level", told)]
    if study.arguments.variant == "paired":
        return [
            Call(
                "result",
                "compare_pairs",
                (columns, "ranks" if study.arguments.ranked else "", title),
            )
        ]
    if study.arguments.variant in DEPENDENCE:
        plain = study.arguments.variant == "proportions"
        return [Call("result", "independence", (study.group, columns[0], plain))]
    others = categories(study.table, [*columns, study.group])
    made = Call(
        "result", "compare", (columns[0], study.group, study.arguments.variant, others, title)
    )
    return [made, *repeats(study)]


def _say(study: Specification[HypothesisTest], found: Sequence[GroupMean], total: int) -> str:
    first = found[0]
    means = [
        f"{each.name}: mean {each.mean}, median {each.median} ({each.rows} values)"
        for each in found[:GROUPS]
    ]
    there = "There is a significant" if first.significant.value else "There is no significant"
    by = "" if study.arguments.variant == "paired" else f" by {names([study.group])}"
    rest = more(found, total, GROUPS, "groups")
    return (
        f"{there} difference in {names(study.columns)}{by}{about(study)} at the five percent level "
        f"({first.words}).{rest} {'; '.join(means)}."
    )


def _say_level(
    study: Specification[HypothesisTest], found: Sequence[TestedMean], _total: int
) -> str:
    [level, *_] = found
    clear = "significantly" if level.significant.value else "not significantly"
    return capital(
        f"the mean of {level.column}{about(study)} is {level.mean}, {clear} different from "
        f"{level.hypothesis} at the five percent level ({level.words}; {level.over})."
    )


def _say_dependence(
    study: Specification[HypothesisTest], found: Sequence[Dependence], _total: int
) -> str:
    clear = bool(found[0].significant.value)
    verdict = "depend on each other" if clear else "show no significant dependence"
    return capital(
        f"{names([*study.columns, study.group])}{about(study)} {verdict} at the five percent level "
        f"({found[0].words})."
    )


def _follow_ups(study: Specification[HypothesisTest]) -> list[FollowUp]:
    if study.arguments.variant == "paired":
        return [FollowUp("correlation", {"fields": study.columns})]
    if study.arguments.variant in (*DEPENDENCE, "level"):
        return []
    return [FollowUp("box_plot", {"fields": study.columns, "group": study.group})]


METHOD = Method(
    arguments=HypothesisTest,
    cue=CUE,
    calls=_calls,
    narrations=(
        Narration(TestedMean, _say_level),
        Narration(GroupMean, _say),
        Narration(Dependence, _say_dependence),
    ),
    steps=computing(
        "Compare the groups: mean, median and spread of each, and a test of whether they differ."
    ),
    picture="a box for each group, or shares of bars",
    reader=in_columns(Differences, mean="mean", p="p_value", effect="effect", size="effect_size"),
    answers=frozenset({"difference"}),
    follow_ups=_follow_ups,
)
