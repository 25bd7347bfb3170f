"""Histograms and frequencies: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import GROUPS, LISTED, about, group_of, more, names, over, text
from flows.analysis.methods.distribution.cue import CUE
from flows.analysis.methods.method import Call, Method, Row
from flows.analysis.methods.specification import Study


def _histogram_calls(study: Study, title: str) -> list[Call]:
    columns = list(study.columns)
    if study.method == "frequencies":
        return [Call("result", "frequencies", (columns[0], study.group, title))]
    return [Call("result", "histogram", (columns, study.group, study.number, title))]


def _say_histogram(study: Study, rows: Sequence[Row], total: int) -> str:
    if study.method == "frequencies":
        return _say_frequencies(study, rows, total)
    said = []
    for row in rows[:LISTED]:
        head = f"{text(row, 'column')}{about(study)}"
        head = f"{group_of(study, row)}: {head}" if study.group else head
        said.append(
            f"{head} lies between {text(row, 'minimum')} and {text(row, 'maximum')}, with a mean "
            f"of {text(row, 'mean')} and a median of {text(row, 'median')} ({over(row)}); most "
            f"values, {text(row, 'fullest_rows')}, are from {text(row, 'fullest_from')} to "
            f"{text(row, 'fullest_to')}"
        )
    return f"{'. '.join(said)}{more(rows, total, LISTED, 'histograms')}."


def _say_frequencies(study: Study, rows: Sequence[Row], total: int) -> str:
    column = study.columns[0]
    said = []
    for row in rows[:GROUPS]:
        name = ", ".join(text(row, key) for key in (study.group, column) if key)
        said.append(f"{name}: {text(row, 'rows')} ({text(row, 'percent')} %)")
    rest = more(rows, total, GROUPS, "values")
    return f"The rows of each {names([column])}{about(study)}{rest}: {'; '.join(said)}."


METHOD = Method(
    kind="histogram",
    cue=CUE,
    calls=_histogram_calls,
    say=_say_histogram,
    needs=("rows",),
)
