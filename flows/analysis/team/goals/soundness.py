"""The tasks of a question whether the data themselves are sound."""

from __future__ import annotations

import re
from typing import Final

from flows.analysis.methods.data_quality.cue import SOUND, keys_of
from flows.analysis.team.goals.builder import analysis
from flows.analysis.team.goals.goal import Goal
from flows.analysis.team.goals.steps import Steps
from flows.analysis.team.goals.wide_table import Wide

_SOUND: Final = re.compile(rf"\b(?:{SOUND})", re.IGNORECASE)
_NAMED: Final = 0.5
_TABLES: Final = 3


def plan_soundness(steps: Steps, goal: Goal) -> str:
    """What is wrong with each table, with the named one first: how the question was understood, ""
    where it asks for something else."""
    if not _SOUND.search(goal.text):
        return ""
    named = [each for each in goal.scopes if each.worth >= _NAMED][:1]
    rest = [each for each in goal.scopes if each not in named]
    for scope in [*named, *rest][:_TABLES]:
        base = scope.wide.base
        wide = Wide((base,), base, {c.name: (base.name, c.name) for c in base.columns})
        steps.data = None
        asked = analysis("data_quality", wide, keys=keys_of(base))
        if asked is not None and steps.compute(asked):
            steps.tell_of(asked)
    return "The question asks whether the data are sound." if steps.steps else ""
