"""What matters most for a column: what is called, what is found, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flows.analysis.methods.drivers import read_drivers
from flows.analysis.methods.feature_importance.arguments import FeatureImportance
from flows.analysis.methods.feature_importance.cue import CUE
from flows.analysis.methods.method import Call, FollowUp, Method
from flows.analysis.methods.narration import Narration, OfRows
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.methods.subject import LISTED, about, more, names
from flows.analysis.telling.cells import CitedCell


@dataclass(frozen=True, kw_only=True)
class Importance(OfRows):
    """How much worse a model gets without a column; `score` is how good it is with all of them."""

    feature: CitedCell
    importance: CitedCell
    score: CitedCell


def _calls(study: Specification[FeatureImportance], _title: str) -> list[Call]:
    told = (study.target, list(study.columns), study.arguments.classes)
    return [Call("result", "importance", told)]


def _say(study: Specification[FeatureImportance], found: Sequence[Importance], total: int) -> str:
    said = [f"{each.feature}: {each.importance}" for each in found[:LISTED]]
    first = found[0]
    kind = "the share it gets right" if study.arguments.classes else "R²"
    return (
        f"What explains {names([study.target])} best{about(study)}, by how much worse a random "
        f"forest gets without it{more(found, total, LISTED, 'columns')}: {'; '.join(said)}. With "
        f"all of them its score on rows it has not seen is {first.score} ({kind}; {first.over})."
    )


def _follow_ups(study: Specification[FeatureImportance]) -> list[FollowUp]:
    if study.arguments.classes:
        return [FollowUp("predictive_model", study.arguments.explained)]
    return [FollowUp("regression", study.arguments.explained)]


METHOD = Method(
    arguments=FeatureImportance,
    cue=CUE,
    calls=_calls,
    narrations=(Narration(Importance, _say),),
    steps=computing(
        "Learn a random forest and measure how much worse it gets when a column is "
        "shuffled, on rows that it has not seen."
    ),
    picture="bars of the importances",
    reader=read_drivers,
    answers=frozenset({"drivers"}),
    follow_ups=_follow_ups,
)
