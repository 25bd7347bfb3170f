"""The composites of aiflows, with the keys that they have there."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from typing import Any, ClassVar, Final

from pydantic import Field

from flows.core.branching import BranchingConfig, BranchingInputs, BranchingOutputs, find_branch
from flows.core.circular import Rounds
from flows.core.flow import CompositeFlow, FlowConfig, Parts, Ports, Problem
from flows.core.ports import ports_model
from flows.core.run import Run
from flows.core.topology import CompositeConfig, TopologyItem, take_all, unknown_flows
from flows.core.values import Values
from flows.errors import LimitReached
from flows.library.aiflows.keys import AiflowsKeys

PROBLEM: Final = "problem"


class AiflowsCircularConfig(AiflowsKeys, CompositeConfig):
    """The keys of a circular flow of aiflows."""

    max_rounds: int | None = Field(default=3, ge=1, strict=True, description="null is no limit")
    early_exit_key: str | None = Field(default="EARLY_EXIT", description="null: take all rounds")
    topology: tuple[TopologyItem, ...] = Field(default=(), description="the steps of a round")


class AiflowsSequentialConfig(AiflowsKeys, CompositeConfig):
    """The keys of a sequential flow of aiflows, which is a circular one of one round."""

    max_rounds: int | None = Field(default=1, ge=1, le=1, strict=True, description="always 1")
    early_exit_key: str | None = Field(default="EARLY_EXIT", description="a key that ends it early")
    topology: tuple[TopologyItem, ...] = Field(default=(), description="the steps, in order")


class AiflowsCircularFlow(CompositeFlow):
    """Takes its steps round after round, until the early exit key is true or no round is left."""

    Config: ClassVar[type[FlowConfig]] = AiflowsCircularConfig

    def __init__(self, config: Any, parts: Parts) -> None:
        super().__init__(config, parts)
        self.set_inputs(ports_model(self.name, config.input_interface))
        self.rounds = Rounds(config, self.port_names, self.subflows, parts)

    def output_names(self) -> frozenset[str]:
        return self.rounds.output_names()

    @classmethod
    def wiring(cls, config: Any, subflows: Mapping[str, Any]) -> list[Problem]:
        return unknown_flows(config.topology, subflows)

    def key_problems(self) -> list[Problem]:
        return self.rounds.problems()

    async def run(self, inputs: Any, run: Run) -> Values:
        state = state_of(inputs, self.config)
        return await collected(self.rounds, state, self.rounds.take(state, run))


class AiflowsSequentialFlow(CompositeFlow):
    """Takes its steps once, in order; a true value under the early exit key ends it."""

    Config: ClassVar[type[FlowConfig]] = AiflowsSequentialConfig

    def __init__(self, config: Any, parts: Parts) -> None:
        super().__init__(config, parts)
        self.set_inputs(ports_model(self.name, config.input_interface))
        self.rounds = Rounds(config, self.port_names, self.subflows, parts)

    def output_names(self) -> frozenset[str]:
        return self.rounds.output_names()

    @classmethod
    def wiring(cls, config: Any, subflows: Mapping[str, Any]) -> list[Problem]:
        return unknown_flows(config.topology, subflows)

    def key_problems(self) -> list[Problem]:
        return self.rounds.problems()

    async def run(self, inputs: Any, run: Run) -> Values:
        state = state_of(inputs, self.config)
        steps = take_all(self.rounds.steps, state, self.rounds.exit_key, run)
        return await collected(self.rounds, state, steps)


class AiflowsState(dict[str, Any]):
    """A state whose keys a later None does not overwrite, as in aiflows 0.1.7."""

    def update(self, *given: Any, **more: Any) -> None:
        for key, value in dict(*given, **more).items():
            if value is not None or key not in self:
                self[key] = value


def state_of(inputs: Ports, config: AiflowsKeys) -> Values:
    """The state that a composite begins with."""
    return AiflowsState(inputs.__dict__) if config.compat else dict(inputs.__dict__)


async def collected(rounds: Rounds, state: Values, work: Coroutine[Any, Any, object]) -> Values:
    """The outputs that the state has when the work on it is done, or when a limit ends it."""
    try:
        await work
    except LimitReached as limit:
        limit.outputs = rounds.collect(state)
        raise
    return rounds.collect(state)


class AiflowsBranchingConfig(AiflowsKeys, BranchingConfig):
    """The keys of a branching flow of aiflows."""


class AiflowsBranchingFlow(CompositeFlow):
    """Calls the subflow that `branch` names with what it takes of `branch_input_data`."""

    branches: ClassVar[bool] = True
    Config: ClassVar[type[FlowConfig]] = AiflowsBranchingConfig
    Inputs: ClassVar[type[Ports]] = BranchingInputs
    Outputs: ClassVar[type[Ports]] = BranchingOutputs

    async def run(self, inputs: Any, run: Run) -> Values:
        try:
            branch = find_branch(self, inputs.branch)
            outputs = await run.call(branch, inputs.branch_input_data, pick=True)
        except LimitReached as limit:
            limit.outputs = {"branch_output_data": limit.outputs}
            raise
        if outputs.get(PROBLEM) == "":  # a key that aiflows does not know says only what failed
            outputs = {key: value for key, value in outputs.items() if key != PROBLEM}
        return {"branch_output_data": outputs}
