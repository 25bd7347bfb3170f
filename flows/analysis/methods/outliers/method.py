"""Outliers: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import GROUPS, about, capital, counted, more, place, text
from flows.analysis.methods.method import Call, Method, Row
from flows.analysis.methods.outliers.cue import CUE
from flows.analysis.methods.specification import Study


def _outlier_calls(study: Study, _title: str) -> list[Call]:
    told = (list(study.columns), study.group, study.method)
    return [Call("result", "outliers", told), Call("outlying", "outlying_rows", told)]


def _say_outliers(study: Study, rows: Sequence[Row], total: int) -> str:
    rule = "by the z-score rule" if study.method == "zscore" else "by the IQR rule"
    said = [
        f"{place(study, row)} has {counted(row)} of {text(row, 'rows')} values (below "
        f"{text(row, 'lower_bound')} or above {text(row, 'upper_bound')}; the values go from "
        f"{text(row, 'smallest')} to {text(row, 'largest')})"
        for row in rows[:GROUPS]
    ]
    rest = more(rows, total, GROUPS, "columns")
    return capital(f"{rule}{about(study)}{rest}, {'; '.join(said)}.")


METHOD = Method(
    kind="outliers",
    cue=CUE,
    calls=_outlier_calls,
    say=_say_outliers,
    needs=("column", "outliers", "lower_bound", "upper_bound", "rows"),
)
