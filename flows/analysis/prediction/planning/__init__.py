"""The rules by which the steps of a phase are planned without a language model."""

from __future__ import annotations

import importlib

from flows.analysis.prediction.plan import Planning, PlanStep

_PHASES = (
    "preliminary_eda",
    "data_cleaning",
    "in_depth_eda",
    "feature_engineering",
    "model_building",
)


def plan_steps(given: Planning) -> tuple[PlanStep, ...]:
    """The steps of a phase, in their order; none for a phase that no rule plans."""
    if given.phase not in _PHASES:
        return ()
    module = importlib.import_module(f"{__name__}.{given.phase}")
    steps: tuple[PlanStep, ...] = getattr(module, f"plan_{given.phase}")(given)
    return steps
