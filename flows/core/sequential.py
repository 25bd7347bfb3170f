"""Steps one after the other, once."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from flows.core.dataflow.facts import KnownKeys
from flows.core.flow import CompositeFlow, FlowConfig, Parts, Problem
from flows.core.ports import ports_model
from flows.core.run import Run
from flows.core.topology import (
    CompositeConfig,
    TopologyItem,
    collect,
    follow_others,
    follow_steps,
    known_outputs,
    make_steps,
    names_of,
    take_all,
    tell_no_exit,
    unknown_flows,
)
from flows.core.trace import Trace, config_place, first_state
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
        self.asks_exit = config.early_exit_key and parts.place("early_exit_key") is not None

    def output_names(self) -> frozenset[str]:
        return names_of(self.follow(self.known_inputs(), Trace()))

    @classmethod
    def wiring(cls, config: Any, subflows: Any) -> list[Problem]:
        return unknown_flows(config.topology, subflows)

    def follow(self, given: KnownKeys, trace: Trace) -> tuple[KnownKeys, ...]:
        place, exit_key = config_place(self), self.config.early_exit_key
        follow_others(self, self.steps, trace)
        first = first_state(self, given)
        last, ends = follow_steps(self.steps, first, exit_key, place, trace)
        if self.asks_exit and not ends and last is not None:
            tell_no_exit(exit_key, self.steps, last, place, trace)
        ways = [*ends, *([] if last is None else [("", last)])]
        return known_outputs(ways, self.config.output_interface, exit_key, place, trace)

    async def run(self, inputs: Any, run: Run) -> Values:
        state = dict(inputs.__dict__)
        try:
            await take_all(self.steps, state, self.config.early_exit_key, run)
        except LimitReached as limit:
            limit.outputs = collect(state, self.config.output_interface)
            raise
        return collect(state, self.config.output_interface)
