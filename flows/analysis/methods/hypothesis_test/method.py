"""Tests whether groups differ or columns depend on each other: their calls and their telling."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import GROUPS, about, capital, more, names, over, text
from flows.analysis.methods.columns import categories
from flows.analysis.methods.findings import Differences, in_columns
from flows.analysis.methods.hypothesis_test.arguments import DEPENDENCE, HypothesisTest
from flows.analysis.methods.hypothesis_test.cue import CUE
from flows.analysis.methods.method import Call, FollowUp, Method, Row, repeats, words
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing


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


def _say(study: Specification[HypothesisTest], rows: Sequence[Row], total: int) -> str:
    first, where = rows[0], about(study)
    p = first["p_value"]
    test = (
        f"{text(first, 'test')}: statistic {text(first, 'statistic')}, p = {p.text()}; "
        f"{text(first, 'effect')} {text(first, 'effect_size')}"
    )
    clear = bool(first["significant"].value)
    if study.arguments.variant == "level":
        return capital(f"the mean of {text(first, 'column')}{where} is {text(first, 'mean')}, "
                       f"{'significantly' if clear else 'not significantly'} different from "
                       f"{text(first, 'hypothesis')} at the five percent level ({test}; "
                       f"{over(first)}).")  # fmt: skip
    if study.arguments.variant in DEPENDENCE:
        verdict = "depend on each other" if clear else "show no significant dependence"
        return capital(f"{names([*study.columns, study.group])}{where} {verdict} at the five "
                       f"percent level "
                       f"({test}).")  # fmt: skip
    key = "column" if study.arguments.variant == "paired" else study.group
    means = [
        f"{text(row, key)}: mean {text(row, 'mean')}, median {text(row, 'median')} "
        f"({text(row, 'rows')} values)"
        for row in rows[:GROUPS]
    ]
    there = "There is a significant" if clear else "There is no significant"
    what = names(study.columns)
    by = "" if study.arguments.variant == "paired" else f" by {names([study.group])}"
    rest = more(rows, total, GROUPS, "groups")
    return (
        f"{there} difference in {what}{by}{where} at the five percent level ({test}).{rest} "
        f"{'; '.join(means)}."
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
    say=_say,
    needs=("test", "statistic", "p_value", "significant", "effect", "effect_size"),
    steps=computing(
        "Compare the groups: mean, median and spread of each, and a test of whether they differ."
    ),
    picture="a box for each group, or shares of bars",
    cautions=words("missing_left_out repeated simpson skewed small_groups unequal_spread"),
    findings=in_columns(Differences, mean="mean", p="p_value", effect="effect", size="effect_size"),
    answers=frozenset({"difference"}),
    follow_ups=_follow_ups,
)
