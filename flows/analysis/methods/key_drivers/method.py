"""What drives a column: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import LISTED, about, more, names, text
from flows.analysis.methods.key_drivers.cue import CUE
from flows.analysis.methods.method import Call, Method, Row, repeats
from flows.analysis.methods.specification import Study

# The variables that the code hands over.
MADE = "result, metrics, predictions, model"


def _calls(study: Study, _title: str) -> list[Call]:
    told = (study.target, list(study.columns), study.method == "classes", study.setting("model"))
    return [Call(MADE, "drivers", told), *repeats(study)]


def _say(study: Study, rows: Sequence[Row], total: int) -> str:
    said = [f"{text(row, 'feature')}: {text(row, 'importance')}" for row in rows[:LISTED]]
    return (
        f"What counts for {names([study.target])}{about(study)}, by how much worse a model gets "
        f"without it{more(rows, total, LISTED, 'columns')}: {'; '.join(said)}."
    )


METHOD = Method(
    kind="drivers",
    cue=CUE,
    calls=_calls,
    say=_say,
    needs=("feature", "importance", "effect"),
)
