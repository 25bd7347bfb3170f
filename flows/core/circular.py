"""Steps in a circle: again and again until a key says stop, or the rounds are used up."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from itertools import count
from typing import Any, ClassVar, Protocol, runtime_checkable

from pydantic import Field

from flows.core.flow import CompositeFlow, Flow, FlowConfig, Parts, Problem
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
from flows.core.transformations import ANY
from flows.core.values import Values
from flows.errors import LimitReached, nearest


class RoundsConfig(Protocol):
    """The keys of a flow that takes its steps in rounds."""

    @property
    def topology(self) -> tuple[TopologyItem, ...]: ...
    @property
    def output_interface(self) -> tuple[str, ...] | None: ...
    @property
    def max_rounds(self) -> int | None: ...
    @property
    def early_exit_key(self) -> str | None: ...
    @property
    def model_fields_set(self) -> set[str]: ...


class CircularConfig(CompositeConfig):
    """The keys of a circular flow."""

    max_rounds: int | None = Field(default=3, ge=1, strict=True, description="null is no limit")
    early_exit_key: str | None = Field(default="EARLY_EXIT", description="null: take all rounds")
    topology: tuple[TopologyItem, ...] = Field(default=(), description="the steps of a round")


class Rounds:
    """The steps of a topology, round after round, until a key of the state says stop.

    `keys` are those of the state before the first step.
    """

    def __init__(
        self,
        config: RoundsConfig,
        keys: tuple[str, ...],
        subflows: Mapping[str, Flow],
        parts: Parts,
    ) -> None:
        self.name = parts.name
        self.keys = keys
        self.most = config.max_rounds
        self.exit_key = config.early_exit_key
        self.outputs = config.output_interface
        self.asks_exit = "early_exit_key" in config.model_fields_set
        self.steps = make_steps(config.topology, subflows, parts)

    def output_names(self) -> frozenset[str]:
        return outputs_of(self.steps, self.keys, self.outputs)

    def problems(self) -> list[Problem]:
        """What is wrong in the keys that go through the steps."""
        return walk_keys(self.steps, self.keys, self.outputs) + self._exit_problems()

    def _exit_problems(self) -> list[Problem]:
        """An early exit key that was asked for and that no step writes."""
        key = self.exit_key
        if key is None or not self.asks_exit:
            return []
        known = outputs_of(self.steps, self.keys, None)
        if {key, ANY} & known:
            return []
        text = f"no step gives the key {key!r}, so it can never end the flow"
        return [Problem(text, ("early_exit_key",), tuple(sorted(known)), nearest(key, known))]

    async def take(self, state: Values, run: Run) -> None:
        """Take the rounds; the state is changed in place. Errors: `LimitReached`."""
        for number in count(1) if self.most is None else range(1, self.most + 1):
            if run.begin_round(number, self.most):
                await asyncio.sleep(0)
            if await take_all(self.steps, state, self.exit_key, run):
                return
        if self.exit_key is not None:
            run.stop_unfinished(f"{self.name} used up its {self.most} rounds")

    def collect(self, state: Values) -> Values:
        """The declared outputs that the state has."""
        return collect(state, self.outputs)


@runtime_checkable
class InRounds(Protocol):
    """A flow that takes its steps in rounds."""

    rounds: Rounds


class CircularFlow(CompositeFlow):
    """Takes the steps of its topology in order, round after round.

    After each step the key `early_exit_key` of the state is looked at. A true value ends the flow;
    a text ends it too, as unfinished for that reason. Without such a key (null) the flow is meant
    to take all of its rounds; with one, running out of rounds ends it unfinished.
    """

    Config: ClassVar[type[FlowConfig]] = CircularConfig

    def __init__(self, config: CircularConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.set_inputs(ports_model(self.name, config.input_interface))
        self.rounds = Rounds(config, self.port_names, self.subflows, parts)

    def output_names(self) -> frozenset[str]:
        return self.rounds.output_names()

    @classmethod
    def wiring(cls, config: Any, subflows: Any) -> list[Problem]:
        return unknown_flows(config.topology, subflows)

    def key_problems(self) -> list[Problem]:
        return self.rounds.problems()

    async def run(self, inputs: Any, run: Run) -> Values:
        state = dict(inputs.__dict__)
        try:
            await self.rounds.take(state, run)
        except LimitReached as limit:
            limit.outputs = self.rounds.collect(state)
            raise
        return self.rounds.collect(state)
