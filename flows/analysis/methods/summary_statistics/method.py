"""Summary statistics: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import LISTED, about, more, over, place, text
from flows.analysis.methods.method import Call, FollowUp, Method, Row, words
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.methods.summary_statistics.arguments import SummaryStatistics
from flows.analysis.methods.summary_statistics.cue import CUE, USUAL
from flows.analysis.methods.summary_statistics.findings import read_spreads

_CALLED = {
    "std": "standard deviation", "q1": "first quartile", "q3": "third quartile",
    "iqr": "interquartile range", "cv": "coefficient of variation",
    "mad": "median absolute deviation", "standard_error": "standard error of the mean",
    "ci_low": "confidence interval (ninety-five percent) of the mean from", "ci_high": "to",
}  # fmt: skip


def _calls(study: Specification[SummaryStatistics], _title: str) -> list[Call]:
    percentiles = list(study.arguments.percentiles)
    asked = study.arguments.statistics
    doubts = "mean" in asked or not (asked or percentiles)
    return [Call("result", "summarize", (list(study.columns), study.group, percentiles, doubts))]


def _say(study: Specification[SummaryStatistics], rows: Sequence[Row], total: int) -> str:
    extra = [f"p{each:g}" for each in study.arguments.percentiles]
    asked = [*extra, *study.arguments.statistics] or list(USUAL)
    called = {**_CALLED, **{key: f"{_ordinal(key[1:])} percentile" for key in extra}}
    said = []
    for row in rows[:LISTED]:
        keys = [key for key in asked if key in row]
        stats = ", ".join(f"{called.get(key, key)} {text(row, key)}" for key in keys)
        said.append(f"{place(study, row)} ({over(row)}): {stats}")
    rest = more(rows, total, LISTED, "rows")
    return f"Statistics{about(study)}{rest}: {'; '.join(said)}."


def _ordinal(number: str) -> str:
    last = (
        "th"
        if number[-2:] in ("11", "12", "13")
        else {"1": "st", "2": "nd", "3": "rd"}.get(number[-1], "th")
    )
    return f"{number}{last}"


def _follow_ups(study: Specification[SummaryStatistics]) -> list[FollowUp]:
    return [FollowUp("distribution", {"fields": study.columns, "group": study.group})]


METHOD = Method(
    arguments=SummaryStatistics,
    cue=CUE,
    calls=_calls,
    say=_say,
    needs=("column", "mean", "std", "median", "rows"),
    steps=computing("Compute number, mean, median, spread and quantiles of each column."),
    picture="",
    cautions=words("missing_left_out skewed small_groups small_sample"),
    findings=read_spreads,
    answers=frozenset({"distribution", "overview"}),
    follow_ups=_follow_ups,
)
