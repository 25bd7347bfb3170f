"""Models tested on unseen rows: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import about, names, text
from flows.analysis.methods.method import Call, FollowUp, Method, Row, words
from flows.analysis.methods.predictive_model.arguments import PredictiveModel
from flows.analysis.methods.predictive_model.cue import CUE
from flows.analysis.methods.predictive_model.findings import read_metrics
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing


def _calls(study: Specification[PredictiveModel], _title: str) -> list[Call]:
    given = study.arguments
    told = (study.target, list(study.columns), given.classes, given.model, given.test, given.seed)
    return [Call("result", "learn", told)]


def _say(study: Specification[PredictiveModel], rows: Sequence[Row], _total: int) -> str:
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


def _follow_ups(study: Specification[PredictiveModel]) -> list[FollowUp]:
    return [FollowUp("feature_importance", dict(study.arguments.explained))]


METHOD = Method(
    arguments=PredictiveModel,
    cue=CUE,
    calls=_calls,
    say=_say,
    needs=("metric", "held_out", "cross_validated", "baseline", "model"),
    steps=computing(
        "Hold rows out, choose between a linear model and a random forest by cross-"
        "validation, and judge the better one on the rows held out."
    ),
    picture="what was predicted against what is, on rows held out",
    cautions=words("collinear imbalance leakage missing_left_out"),
    findings=read_metrics,
    answers=frozenset({"drivers"}),
    follow_ups=_follow_ups,
)
