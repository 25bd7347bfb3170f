"""A plan of a phase: its steps, each a call of a tool or code of its own; and what went before."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from flows.analysis.prediction.task import PredictionTask
from flows.core.function_tool import FunctionTool
from flows.data.tables import Table


class PlanStep(BaseModel):
    """One step. With a `tool` it is a call with these arguments, whose result goes `into` these
    variables (the tool's own without them); without one the developer writes its code. A step that
    is `optional` may fail: it is left out then, and that is said."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    purpose: str
    tool: str = ""
    arguments: dict[str, JsonValue] = Field(default={})
    into: tuple[str, ...] = ()
    optional: bool = False


class UnitTestResult(BaseModel):
    """What a unit test came to. `message` says what is wrong, and of which column or row.

    `advice` is what a plan can do about it; `culprits` are the columns that it is about. A failed
    `warning` is told and does not count against the code.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    passed: bool
    message: str = ""
    advice: str = ""
    culprits: tuple[str, ...] = ()
    level: Literal["error", "warning"] = "error"


class Experience(BaseModel):
    """What an earlier try of the same phase has taught. `try_number` counts tries from 1."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    try_number: int = 1
    score: float | None = None
    suggestions: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    failed: tuple[UnitTestResult, ...] = ()
    steps: tuple[PlanStep, ...] = ()


class Planning(BaseModel):
    """What the steps of a phase are planned from.

    The tables are profiles of the tables as they are now; `tools` are those that the phase allows;
    `seconds` is the time that its code may take in all; `rules` are the rulebook's parameters.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: PredictionTask
    phase: str
    train: Table
    test: Table | None = None
    sample: Table | None = None
    tools: tuple[FunctionTool, ...] = ()
    seconds: float = 300.0
    rules: dict[str, JsonValue] = Field(default={})
    experience: Experience = Experience()

    def has_tool(self, name: str) -> bool:
        return any(each.name == name for each in self.tools)
