"""Models tested on unseen rows: what is called, what is found, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.method import Call, Method, then
from flows.analysis.methods.narration import Narration
from flows.analysis.methods.predictive_model.arguments import PredictiveModel
from flows.analysis.methods.predictive_model.cue import CUE
from flows.analysis.methods.predictive_model.findings import Quality, read_metrics
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.methods.subject import about, names


def _calls(study: Specification[PredictiveModel], _title: str) -> list[Call]:
    given = study.arguments
    told = (study.target, list(study.columns), given.classes, given.model, given.test, given.seed)
    return [Call("result", "learn", told)]


def _say(study: Specification[PredictiveModel], found: Sequence[Quality], _total: int) -> str:
    first = found[0]
    said = [
        f"{'R²' if each.metric.value == 'R2' else each.metric} {each.held_out} on the held-out "
        f"rows, {each.cross_validated} in cross-validation (baseline {each.baseline})"
        for each in found
    ]
    return (
        f"A {first.model} predicts {names([study.target])}{about(study)} from {first.columns} "
        f"columns; it learned from {first.learned_rows} rows and was tested on "
        f"{first.held_out_rows} that it had not seen: {'; '.join(said)}."
    )


METHOD = Method(
    arguments=PredictiveModel,
    cue=CUE,
    calls=_calls,
    narrations=(Narration(Quality, _say),),
    steps=computing(
        "Hold rows out, choose between a linear model and a random forest by cross-"
        "validation, and judge the better one on the rows held out."
    ),
    picture="what was predicted against what is, on rows held out",
    reader=read_metrics,
    answers=frozenset({"drivers"}),
    follow_ups=then("feature_importance", "target", "fields", "classes"),
)
