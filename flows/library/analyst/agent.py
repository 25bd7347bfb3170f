"""What every agent of the team is: a command with a task in, a finding out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from pydantic import Field, JsonValue

from flows.core.flow import CompositeFlow, Flow, FlowConfig, Ports, Problem
from flows.core.observation import Observation
from flows.data.findings import Finding, OutputType
from flows.library.analyst.asking import need

# Ports that a team fills and a controller is not told of.
OF_TEAM: Final[dict[str, JsonValue]] = {"argument": False}


class AgentConfig(FlowConfig):
    """The keys of every agent."""

    subflows_config: dict[str, Any] = Field(default={}, description="its actions, by name")
    corrections: int = Field(default=2, ge=0, le=10, description="further tries after a fault")


class AgentInputs(Ports):
    """A task in words. `data` is the name of a table that the run has kept, its input."""

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


class AgentOutputs(Ports):
    """What was found, for a controller and for a team."""

    observation: Observation
    finding: Finding


class AgentFlow(CompositeFlow):
    """An agent. Its subflows `actions` are named in its config and can be swapped there.

    What keeps it from its task is a `CommandError`.
    """

    actions: ClassVar[tuple[str, ...]] = ()
    gives: ClassVar[OutputType] = "table"
    Config: ClassVar[type[FlowConfig]] = AgentConfig
    Inputs: ClassVar[type[Ports]] = AgentInputs
    Outputs: ClassVar[type[Ports]] = AgentOutputs

    @classmethod
    def wiring(cls, config: Any, subflows: Mapping[str, Flow]) -> list[Problem]:
        del config
        return need(cls.__name__, subflows, cls.actions)


def found(finding: Finding) -> AgentOutputs:
    """The outputs of an agent."""
    return AgentOutputs(observation=finding.observation(), finding=finding)
