"""What a launcher of aiflows does around a flow: its interfaces to the data and to the caller."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import ConfigDict, Field

from flows.core.dataflow.facts import KnownKeys
from flows.core.flow import CompositeFlow, FlowConfig, Parts, Ports, Problem
from flows.core.run import Run
from flows.core.topology import CompositeConfig, TopologyItem, make_steps, unknown_flows
from flows.core.trace import Trace, config_place
from flows.core.values import Values
from flows.errors import LimitReached
from flows.library.aiflows.keys import AiflowsKeys


class LaunchConfig(AiflowsKeys, CompositeConfig):
    """The keys of a launched flow: one step, with the launcher's interfaces."""

    topology: tuple[TopologyItem, ...] = Field(default=(), description="the one step")


class AnyInputs(Ports):
    """Whatever the input interface takes."""

    model_config = ConfigDict(extra="allow")


class LaunchFlow(CompositeFlow):
    """Gives its one flow what the input interface makes of the data, and returns what the output
    interface makes of the flow's outputs."""

    Config: ClassVar[type[FlowConfig]] = LaunchConfig
    Inputs: ClassVar[type[Ports]] = AnyInputs

    def __init__(self, config: LaunchConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.steps = make_steps(config.topology, self.subflows, parts)
        (self.step,) = self.steps
        # A map gives it a row, of which nothing is left out.
        self.pick = AnyInputs.__pydantic_validator__.validate_python
        self.private_keys = (*self.private_keys, *self.step.flow.private_keys)

    def output_names(self) -> frozenset[str]:
        return self.step.names_out()

    def follow(self, given: KnownKeys, trace: Trace) -> tuple[KnownKeys, ...]:
        trace.use_all(given)
        known = KnownKeys(given.facts, open=True)
        _, ways = self.step.follow(known, config_place(self), trace)
        for each in ways:
            trace.use_all(each)
        return tuple(ways)

    def most_of(self, below: Mapping[str, float]) -> float:
        return sum(below.values())

    @classmethod
    def wiring(cls, config: Any, subflows: Any) -> list[Problem]:
        return unknown_flows(config.topology, subflows)

    async def run(self, inputs: AnyInputs, run: Run) -> Values:
        given: Values = {**inputs.__dict__, **(inputs.__pydantic_extra__ or {})}
        returned: Values = {}
        try:
            payload = self.step.payload(given, run)
            outputs = await run.call(self.step.flow, payload, self.step.goal, pick=True)
        except LimitReached as limit:
            self.step.merge_partial(returned, limit, run)
            limit.outputs = returned
            raise
        self.step.merge(returned, outputs, run)
        return returned
