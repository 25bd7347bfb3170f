"""What every agent of the team is: a command with a task in, a finding out."""

from __future__ import annotations

from typing import Any, ClassVar, Final, Protocol, runtime_checkable

from pydantic import Field, JsonValue

from flows.core.flow import FlowConfig, Ports
from flows.core.observation import Caution, Observation
from flows.semantics.findings import Finding, OutputType
from flows.semantics.request import Request

# Ports that a team fills and a controller is not told of.
OF_TEAM: Final[dict[str, JsonValue]] = {"argument": False}


class AgentConfig(FlowConfig):
    """The keys of every agent."""

    subflows_config: dict[str, Any] = Field(default={}, description="its actions, by name")
    corrections: int = Field(default=2, ge=0, le=10, description="further tries after a fault")


class AgentInputs(Ports):
    """A task in words. `data` is the name of a table that the run has kept, its input; `request` is
    the task typed, or for an agent that tells of a result, what that was computed by."""

    task: str = Field(min_length=1, description="the whole task, in words")
    data: str = Field(
        default="", description="the name of a result to work on; the run's tables without it"
    )
    question: str = Field(
        default="", description="the question that the task is a part of", json_schema_extra=OF_TEAM
    )
    context: str = Field(
        default="", description="what is known beside the data", json_schema_extra=OF_TEAM
    )
    cautions: tuple[Caution, ...] = Field(
        default=(), description="what to beware of in the data", json_schema_extra=OF_TEAM
    )
    request: Request | None = Field(
        default=None, description="what the task asks for, where that is known",
        json_schema_extra=OF_TEAM,
    )  # fmt: skip


class AgentOutputs(Ports):
    """What was found, for a controller and for a team."""

    observation: Observation
    finding: Finding


@runtime_checkable
class AgentFlow(Protocol):
    """A flow that a team can give a task: `AgentInputs` in, `AgentOutputs` out.

    Its subflows are the actions that it asks; they are named in its config and can be swapped
    there. What keeps it from its task is a `CommandError`.
    """

    gives: ClassVar[OutputType]
    label: str


def found(finding: Finding) -> AgentOutputs:
    """The outputs of an agent."""
    return AgentOutputs(observation=finding.observation(), finding=finding)
