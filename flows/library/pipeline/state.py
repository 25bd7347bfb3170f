"""What the agents of a phase are given, and what they give: one step of its state."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from flows.analysis.prediction.metrics import PredictionMetric
from flows.analysis.prediction.plan import Experience, PlanStep
from flows.analysis.prediction.task import PredictionTask
from flows.analysis.prediction.work import AgentScore, ColumnChanges, PhaseRecord, PhaseWork
from flows.core.flow import Ports
from flows.core.function_tool import FunctionTool
from flows.data.tables import Table


class TableRef(BaseModel):
    """Where a table of the pipeline is: a table of the run's data, or an artifact of the run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    table: str = ""
    artifact: str = ""


class AgentMemory(BaseModel):
    """What an agent leaves in the memory of its phase."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    role: str
    description: str = ""
    task: str = ""
    input: str = ""
    summary: str = ""
    result: str = ""
    history: tuple[str, ...] = ()
    score: float | None = None
    suggestion: str = ""


class PhaseState(Ports):
    """The state of a phase when an agent of it is called.

    `tables` are the tables by the variables that code knows them by, `profiles` what is known of
    `train`, `test` and `sample`; those of `before` are from the phase's start. `tools` are those
    that the phase allows. `memory` is what the agents before have left in this try, `earlier` are
    the phases that are over.
    """

    phase: str
    title: str
    description: str = ""
    background: str = ""
    fields: dict[str, str] = Field(default={})
    own_metrics: tuple[PredictionMetric, ...] = ()
    task: PredictionTask | None = None
    task_problems: tuple[str, ...] = ()
    tables: dict[str, TableRef] = Field(default={})
    profiles: dict[str, Table] = Field(default={})
    before: dict[str, Table] = Field(default={})
    tools: tuple[FunctionTool, ...] = ()
    unit_tests: tuple[str, ...] = ()
    own_tests: tuple[FunctionTool, ...] = ()
    rules: dict[str, JsonValue] = Field(default={})
    questions: tuple[str, ...] = ()
    seconds: float = 300.0
    library: str = ""
    agents: tuple[str, ...] = ()
    experience: Experience = Experience()
    earlier: tuple[PhaseRecord, ...] = ()
    memory: dict[str, AgentMemory] = Field(default={})
    plan: str = ""
    steps: tuple[PlanStep, ...] = ()
    work: PhaseWork = PhaseWork()
    changes: ColumnChanges = ColumnChanges()
    made_tools: tuple[FunctionTool, ...] = ()
    scores: tuple[AgentScore, ...] = ()
    report: str = ""


class StateChange(Ports):
    """What an agent changes in the state of its phase; None leaves it as it is. `memory` is what
    it leaves in the phase's memory, under its name."""

    memory: AgentMemory
    preview: str | None = None
    task: PredictionTask | None = None
    task_problems: tuple[str, ...] | None = None
    tables: dict[str, TableRef] | None = None
    profiles: dict[str, Table] | None = None
    plan: str | None = None
    steps: tuple[PlanStep, ...] | None = None
    work: PhaseWork | None = None
    changes: ColumnChanges | None = None
    made_tools: tuple[FunctionTool, ...] | None = None
    scores: tuple[AgentScore, ...] | None = None
    report: str | None = None


CHANGED = tuple(name for name in StateChange.model_fields if name not in ("memory", "preview"))


def changed(state: PhaseState, agent: str, outputs: StateChange) -> PhaseState:
    """The state after an agent of that name."""
    given = {name: getattr(outputs, name) for name in CHANGED}
    update = {name: value for name, value in given.items() if value is not None}
    memory = {**state.memory, agent: outputs.memory}
    return state.model_copy(update={**update, "memory": memory})
