"""Summary statistics: what is called, what is found, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.method import Call, Method, then
from flows.analysis.methods.narration import Narration
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.methods.subject import LISTED, about, more
from flows.analysis.methods.summary_statistics.arguments import SummaryStatistics
from flows.analysis.methods.summary_statistics.cue import CUE
from flows.analysis.methods.summary_statistics.findings import (
    Summary,
    read_spreads,
    told_statistics,
)
from flows.analysis.parser.tokens import ordinal

_CALLED = {
    "std": "standard deviation", "q1": "first quartile", "q3": "third quartile",
    "iqr": "interquartile range", "cv": "coefficient of variation",
    "mad": "median absolute deviation", "standard_error": "standard error of the mean",
    "population_std": "population standard deviation",
    "population_variance": "population variance",
    "ci_low": "confidence interval (ninety-five percent) of the mean from", "ci_high": "to",
}  # fmt: skip


def _calls(study: Specification[SummaryStatistics], _title: str) -> list[Call]:
    percentiles = list(study.arguments.percentiles)
    asked = study.arguments.statistics
    doubts = "mean" in asked or not (asked or percentiles)
    return [Call("result", "summarize", (list(study.columns), study.group, percentiles, doubts))]


def _say(study: Specification[SummaryStatistics], found: Sequence[Summary], total: int) -> str:
    labels = [_label(each) for each in told_statistics(study)]
    said = []
    for each in found[:LISTED]:
        pairs = zip(labels, each.statistics, strict=True)
        stats = ", ".join(f"{label} {cell}" for label, cell in pairs)
        said.append(f"{each.place} ({each.over}): {stats}")
    rest = more(found, total, LISTED, "rows")
    return f"Statistics{about(study)}{rest}: {'; '.join(said)}."


def _label(statistic: str) -> str:
    """A statistic as people call it: `p90` is the ninetieth percentile."""
    place = statistic.removeprefix("p")
    if place[:1].isdigit():
        return f"{ordinal(place)} percentile"
    return _CALLED.get(statistic, statistic)


METHOD = Method(
    arguments=SummaryStatistics,
    cue=CUE,
    calls=_calls,
    narrations=(Narration(Summary, _say),),
    steps=computing("Compute number, mean, median, spread and quantiles of each column."),
    reader=read_spreads,
    answers=frozenset({"distribution", "overview"}),
    follow_ups=then("distribution", "fields", "group"),
)
