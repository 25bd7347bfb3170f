"""One chosen call: for which part of a goal, by which command, and what is said about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flows.analysis.loop.commands import CommandOption
from flows.analysis.loop.goal import GoalPart
from flows.semantics.query import Query
from flows.semantics.request import Analysis, Chart


@dataclass(frozen=True, slots=True)
class LoopStep:
    """A call that the controller decides on. `request` is what its text was read as."""

    part: GoalPart
    command: CommandOption
    arguments: dict[str, Any]
    thought: str
    reasoning: str
    request: Query | Analysis | Chart | None = None
