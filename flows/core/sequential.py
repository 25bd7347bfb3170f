"""Steps one after the other, once."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from flows.core.flow import CompositeFlow, FlowConfig, Parts, Problem
from flows.core.ports import ports_model
from flows.core.run import Run
from flows.core.topology import (
    CompositeConfig,
    TopologyItem,
    collect,
    make_steps,
    outputs_of,
    take_all,
    unknown_flows,
    walk_keys,
)
from flows.core.values import Values
from flows.errors import LimitReached


class SequentialConfig(CompositeConfig):
    """The keys of a sequential flow."""

    early_exit_key: str | None = Field(default=None, description="a key that ends it early")
    topology: tuple[TopologyItem, ...] = Field(default=(), description="the steps, in order")


class SequentialFlow(CompositeFlow):
    """Takes the steps of its topology once, in order."""

    Config: ClassVar[type[FlowConfig]] = SequentialConfig

    def __init__(self, config: Any, parts: Parts) -> None:
        super().__init__(config, parts)
        self.set_inputs(ports_model(self.name, config.input_interface))
        self.steps = make_steps(config.topology, self.subflows, parts)

    def output_names(self) -> frozenset[str]:
        return outputs_of(self.steps, self.port_names, self.config.output_interface)

    @classmethod
    def wiring(cls, config: Any, subflows: Any) -> list[Problem]:
        return unknown_flows(config.topology, subflows)

    def key_problems(self) -> list[Problem]:
        return walk_keys(self.steps, self.port_names, self.config.output_interface)

    async def run(self, inputs: Any, run: Run) -> Values:
        state = dict(inputs.__dict__)
        try:
            await take_all(self.steps, state, self.config.early_exit_key, run)
        except LimitReached as limit:
            limit.outputs = collect(state, self.config.output_interface)
            raise
        return collect(state, self.config.output_interface)
