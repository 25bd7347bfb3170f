"""Models tested on unseen rows: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import about, names, text
from flows.analysis.methods.method import Call, Method, Row
from flows.analysis.methods.predictive_model.cue import CUE
from flows.analysis.methods.specification import Study


def _model_calls(study: Study, _title: str) -> list[Call]:
    told = (study.target, list(study.columns), study.method == "classes", study.setting("model"))
    return [Call("result", "learn", told)]


def _say_model(study: Study, rows: Sequence[Row], _total: int) -> str:
    first = rows[0]
    said = [
        f"{'R²' if row['metric'].value == 'R2' else text(row, 'metric')} {text(row, 'held_out')} "
        f"on "
        f"the held-out rows, {text(row, 'cross_validated')} in cross-validation (baseline "
        f"{text(row, 'baseline')})"
        for row in rows
    ]
    return (
        f"A {text(first, 'model')} predicts {names([study.target])}{about(study)} from "
        f"{text(first, 'columns')} columns; it learned from {text(first, 'learned_rows')} rows and "
        f"was tested on {text(first, 'held_out_rows')} that it had not seen: {'; '.join(said)}."
    )


METHOD = Method(
    kind="model",
    cue=CUE,
    calls=_model_calls,
    say=_say_model,
    needs=("metric", "held_out", "cross_validated", "baseline", "model"),
)
