"""The roles of the agents of a pipeline, as rules play them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Final

Role = Callable[[Mapping[str, Any]], str]

# Module and function of each; a role is imported when it is first played.
ROLES: Final[dict[str, str]] = {
    "task_reading": "speech:read",
    "tool_design": "speech:design_tools",
    "data_preview": "speech:preview",
    "phase_planning": "speech:plan",
    "plan_ordering": "speech:order",
    "plan_steps": "speech:steps",
    "phase_code": "speech:write_code",
    "phase_code_correction": "speech:correct_code",
    "phase_review": "speech:review",
    "phase_summary": "speech:summarize",
}


def find_role(name: str) -> Role:
    """The role of one of the `ROLES`: it takes the inputs of its agent as plain data, and returns
    the reply as text."""
    module, _, function = ROLES[name].partition(":")
    found: Role = getattr(import_module(f"flows.analysis.prediction.{module}"), function)
    return found
