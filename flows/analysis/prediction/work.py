"""What the work on a phase came to: its steps, its unit tests, its review, its report."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from flows.analysis.prediction.plan import Experience, PlanStep, UnitTestResult
from flows.analysis.prediction.task import PredictionTask
from flows.core.observation import Caution, Preview
from flows.data.tables import Table


class StepOutcome(BaseModel):
    """What a step came to. `left_out` is an optional step that failed, for the reason `error`.

    `made` are the tables that its code made or changed, by their variables; `figures` the names of
    the artifacts that it drew, with their titles.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    step: PlanStep
    code: str = ""
    status: Literal["done", "failed", "left_out"] = "done"
    error: str = ""
    printed: str = ""
    made: dict[str, Preview] = Field(default={})
    figures: dict[str, str] = Field(default={})
    cautions: tuple[Caution, ...] = ()


class PhaseWork(BaseModel):
    """The work of a developer on a plan. `ran` says whether all that had to run did; `errors` are
    those of all tries, the corrected ones too."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    outcomes: tuple[StepOutcome, ...] = ()
    ran: bool = False
    checks: tuple[UnitTestResult, ...] = ()
    corrections: int = 0
    errors: tuple[str, ...] = ()

    @property
    def failed(self) -> tuple[UnitTestResult, ...]:
        """The unit tests that count against it."""
        return tuple(each for each in self.checks if not each.passed and each.level == "error")

    @property
    def figures(self) -> int:
        return sum(len(each.figures) for each in self.outcomes)


class ColumnChanges(BaseModel):
    """What a phase changed in the columns of the table that is learned from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    rows_before: int = 0
    rows_after: int = 0


class PhaseRecord(BaseModel):
    """A phase that is over, as later phases and the report are told of it. `shown` are the small
    tables that it made, by their variables. `kept_best` says that no try was good enough."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    phase: str
    title: str
    score: float | None = None
    tries: int = 1
    kept_best: bool = False
    plan: str = ""
    steps: tuple[PlanStep, ...] = ()
    report: str = ""
    changes: ColumnChanges = ColumnChanges()
    shown: dict[str, Preview] = Field(default={})
    scores: tuple[AgentScore, ...] = ()
    work: PhaseWork = PhaseWork()
    tools: tuple[str, ...] = ()


class AgentScore(BaseModel):
    """How well an agent of a phase has done, from 0 to 5. A reason names the check it is from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    agent: str
    score: float = Field(ge=0, le=5)
    reasons: tuple[str, ...] = ()
    suggestion: str = ""


class Reviewing(BaseModel):
    """What the agents of a phase are scored by. The profiles are those after the phase, those of
    `before` from before it; `agents` are who is scored: of reader, toolsmith, planner, developer.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    phase: str
    agents: tuple[str, ...]
    task: PredictionTask | None = None
    task_problems: tuple[str, ...] = ()
    steps: tuple[PlanStep, ...] = ()
    plan: str = ""
    work: PhaseWork = PhaseWork()
    train: Table | None = None
    test: Table | None = None
    train_before: Table | None = None
    made_tools: tuple[str, ...] = ()
    rules: dict[str, JsonValue] = Field(default={})
    experience: Experience = Experience()


class Summarizing(BaseModel):
    """What the report of a phase is written from; `questions` are those that it answers."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    phase: str
    title: str
    task: PredictionTask | None = None
    steps: tuple[PlanStep, ...] = ()
    work: PhaseWork = PhaseWork()
    changes: ColumnChanges = ColumnChanges()
    scores: tuple[AgentScore, ...] = ()
    train: Table | None = None
    test: Table | None = None
    made_tools: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()


PhaseRecord.model_rebuild()
