"""A plan while it is made: steps of tools that the phase has, and none of others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from flows.analysis.prediction.plan import Planning, PlanStep


@dataclass
class PlanDraft:
    """Collects steps. A step whose tool is not there is not added."""

    given: Planning
    steps: list[PlanStep] = field(default_factory=list)

    def add(
        self,
        tool: str,
        purpose: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        optional: bool = False,
    ) -> bool:
        """Add a call of the tool; whether the phase has it."""
        if not self.given.has_tool(tool):
            return False
        given = dict(arguments or {})
        step = PlanStep(purpose=purpose, tool=tool, arguments=given, optional=optional)
        self.steps.append(step)
        return True


def listed(names: list[str], most: int = 4) -> str:
    """Names in a sentence, the first of them where there are many."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def number_rule(given: Planning, name: str, otherwise: float) -> float:
    """A number of the rulebook, and what it is where the rulebook has none."""
    value = given.rules.get(name, otherwise)
    return float(value) if isinstance(value, (int, float)) else otherwise
