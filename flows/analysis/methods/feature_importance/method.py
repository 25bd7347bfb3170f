"""What matters most for a column: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import LISTED, about, more, names, over, text
from flows.analysis.methods.feature_importance.cue import CUE
from flows.analysis.methods.method import Call, Method, Row
from flows.analysis.methods.specification import Study


def _importance_calls(study: Study, _title: str) -> list[Call]:
    told = (study.target, list(study.columns), study.method == "classes")
    return [Call("result", "importance", told)]


def _say_importance(study: Study, rows: Sequence[Row], total: int) -> str:
    said = [f"{text(row, 'feature')}: {text(row, 'importance')}" for row in rows[:LISTED]]
    first = rows[0]
    target = f"{names([study.target])} best{about(study)}"
    kind = "the share it gets right" if study.method == "classes" else "R²"
    return (
        f"What explains {target}, by how much worse a random forest "
        f"gets without it{more(rows, total, LISTED, 'columns')}: {'; '.join(said)}. With all of "
        f"them its score on rows it has not seen is {text(first, 'score')} ({kind}; "
        f"{over(first)})."
    )


METHOD = Method(
    kind="importance",
    cue=CUE,
    calls=_importance_calls,
    say=_say_importance,
    needs=("feature", "importance", "score", "rows"),
)
