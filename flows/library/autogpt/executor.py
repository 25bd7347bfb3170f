"""Carrying a command out, whatever comes of it."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from pydantic import Field
from pydantic.fields import FieldInfo
from pydantic_core import to_jsonable_python

from flows.core.branching import BranchingConfig, BranchingFlow, BranchingInputs
from flows.core.command import Argument, Command
from flows.core.flow import Flow, FlowConfig, Ports
from flows.core.observation import Observation
from flows.core.run import Run
from flows.errors import CommandError, PortError, StepFailed


class ExecutorConfig(BranchingConfig):
    """The keys of an executor."""

    description: str = "Carries the command out."


class ExecutorInputs(BranchingInputs):
    """The command and its arguments, or the problem that there is none."""

    branch: str = ""
    problem: str = Field(default="", description="why the controller gave no command")


class ExecutorFlow(BranchingFlow):
    """Calls the subflow that a command names. An error of a command is an observation.

    The outputs of the command are returned as they are; `observation` is what it found, or the
    reason why it failed. A model that cannot be reached is no observation: it fails the step.
    """

    Config: ClassVar[type[FlowConfig]] = ExecutorConfig
    Inputs: ClassVar[type[Ports]] = ExecutorInputs

    def output_names(self) -> frozenset[str]:
        return frozenset({"observation"}).union(
            *(flow.output_names() for flow in self.subflows.values())
        )

    def commands(self) -> tuple[Command, ...]:
        """What a controller may ask for: the subflows, with their descriptions and inputs."""
        return tuple(
            Command(name=name, description=flow.label, input_args=arguments_of(flow))
            for name, flow in self.subflows.items()
        )

    async def run(self, inputs: ExecutorInputs, run: Run) -> dict[str, Any]:
        if inputs.problem:
            return self._observed(Observation(kind="error", text=inputs.problem), run)
        try:
            flow = self.branch(inputs.branch)
            outputs = await run.call(flow, inputs.branch_input_data)
        except PortError as error:
            return self._observed(Observation(kind="error", text=str(error)), run)
        except StepFailed as failure:
            if not isinstance(failure.root, (CommandError, PortError)):
                raise
            text = f"{inputs.branch} failed: {failure.root}"
            return self._observed(Observation(kind="error", text=text), run)
        if not outputs or set(outputs) & {"observation", "EARLY_EXIT"}:
            observation = outputs.get("observation")
            if isinstance(observation, Observation):
                run.count_command(observation.kind)
            return outputs
        text = json.dumps(to_jsonable_python(outputs, fallback=str), ensure_ascii=False)
        return {**outputs, **self._observed(Observation(kind="ok", text=text), run)}

    def _observed(self, observation: Observation, run: Run) -> dict[str, Any]:
        run.count_command(observation.kind)
        return {"observation": observation}


def arguments_of(flow: Flow) -> tuple[Argument, ...]:
    """The inputs of a flow, as the arguments of a command."""
    return tuple(
        Argument(
            name=name,
            type=_type_of(info),
            description=info.description or "",
            required=info.is_required(),
        )
        for name, info in flow.inputs_type.model_fields.items()
    )


def _type_of(info: FieldInfo) -> str:
    names = {str: "string", int: "integer", float: "number", bool: "boolean"}
    kind = info.annotation
    return (
        names.get(kind, "string" if kind is None else "object") if isinstance(kind, type) else "any"
    )
