"""Summary statistics: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import LISTED, about, more, over, place, text
from flows.analysis.methods.method import Call, Method, Row, numbers_in
from flows.analysis.methods.specification import Study
from flows.analysis.methods.summary_statistics.cue import _USUAL, CUE

_CALLED = {
    "std": "standard deviation", "q1": "first quartile", "q3": "third quartile",
    "iqr": "interquartile range", "cv": "coefficient of variation",
    "mad": "median absolute deviation", "standard_error": "standard error of the mean",
    "ci_low": "confidence interval (ninety-five percent) of the mean from", "ci_high": "to",
}  # fmt: skip


def _summary_calls(study: Study, _title: str) -> list[Call]:
    percentiles = numbers_in(study.setting("percentiles"))
    asked = study.setting("asked").split()
    doubts = "mean" in asked or not (asked or percentiles)
    return [Call("result", "summarize", (list(study.columns), study.group, percentiles, doubts))]


def _say_summary(study: Study, rows: Sequence[Row], total: int) -> str:
    extra = [f"p{each:g}" for each in numbers_in(study.setting("percentiles"))]
    asked = [*extra, *study.setting("asked").split()] or list(_USUAL)
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


METHOD = Method(
    kind="summary",
    cue=CUE,
    calls=_summary_calls,
    say=_say_summary,
    needs=("column", "mean", "std", "median", "rows"),
)
