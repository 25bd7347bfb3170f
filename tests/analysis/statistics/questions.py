"""All questions of this room, and their two halves."""

from __future__ import annotations

from tests.analysis.statistics import (
    association,
    charts,
    comparison,
    distribution,
    models,
    refusals,
    series,
)

QUESTIONS = (
    *association.QUESTIONS, *distribution.QUESTIONS, *comparison.QUESTIONS, *models.QUESTIONS,
    *series.QUESTIONS, *charts.QUESTIONS, *refusals.QUESTIONS,
)  # fmt: skip
TUNING = tuple(each for each in QUESTIONS if each.half == "tuning")
HELD_BACK = tuple(each for each in QUESTIONS if each.half == "held_back")
