"""The one task of a question that wants rows predicted."""

from __future__ import annotations

from flows.analysis.methods.prediction.arguments import Prediction
from flows.analysis.methods.prediction.cue import asks_of
from flows.analysis.methods.specification import Specification
from flows.analysis.team.goals.goal import Goal
from flows.analysis.team.goals.steps import Steps
from flows.semantics.request import Analysis


def plan_predictions(steps: Steps, goal: Goal) -> str:
    """Who learns models predicts the rows: how the question was understood, "" where it asks for
    something else. It is asked of the whole question, of which a file may be another part."""
    if not steps.team.learns or not asks_of(goal.text, goal.tables):
        return ""
    study = goal.study
    if not isinstance(study, Specification) or not isinstance(study.arguments, Prediction):
        return ""
    asked, given = study.request, study.arguments
    if not isinstance(asked, Analysis) or not steps.compute(asked, learn=True):
        return ""
    rows = f"the rows of {given.rows}" if given.rows else "the rows that lack it"
    file = ", and a file of the predictions" if given.file else ""
    return f"It asks to predict {given.target} for {rows}{file}."
