"""Steps in a circle: again and again until a key says stop, or the rounds are used up."""

from __future__ import annotations

import asyncio
from itertools import count
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
from flows.core.transformations import ANY
from flows.core.values import Values
from flows.errors import LimitReached, nearest


class CircularConfig(CompositeConfig):
    """The keys of a circular flow."""

    max_rounds: int | None = Field(default=3, ge=1, strict=True, description="null is no limit")
    early_exit_key: str | None = Field(default="EARLY_EXIT", description="null: take all rounds")
    topology: tuple[TopologyItem, ...] = Field(default=(), description="the steps of a round")


class CircularFlow(CompositeFlow):
    """Takes the steps of its topology in order, round after round.

    After each step the key `early_exit_key` of the state is looked at. A true value ends the flow;
    a text ends it too, as unfinished for that reason. Without such a key (null) the flow is meant
    to take all of its rounds; with one, running out of rounds ends it unfinished.
    """

    Config: ClassVar[type[FlowConfig]] = CircularConfig

    def __init__(self, config: Any, parts: Parts) -> None:
        super().__init__(config, parts)
        self.set_inputs(ports_model(self.name, config.input_interface))
        self.steps = make_steps(config.topology, self.subflows, parts)

    def output_names(self) -> frozenset[str]:
        return outputs_of(self.steps, self.known_keys(), self.config.output_interface)

    @classmethod
    def wiring(cls, config: Any, subflows: Any) -> list[Problem]:
        return unknown_flows(config.topology, subflows)

    def key_problems(self) -> list[Problem]:
        problems = walk_keys(self.steps, self.known_keys(), self.config.output_interface)
        return problems + self._exit_problems()

    def _exit_problems(self) -> list[Problem]:
        """An early exit key that was asked for and that no step writes."""
        key = self.config.early_exit_key
        if key is None or "early_exit_key" not in self.config.model_fields_set:
            return []
        known = outputs_of(self.steps, self.known_keys(), None)
        if {key, ANY} & known:
            return []
        text = f"no step gives the key {key!r}, so it can never end the flow"
        return [Problem(text, ("early_exit_key",), tuple(sorted(known)), nearest(key, known))]

    def known_keys(self) -> tuple[str, ...]:
        """The keys of the state before the first step."""
        return self.port_names

    def first_state(self, inputs: Any) -> Values:
        """The state before the first step: the inputs."""
        return dict(inputs.__dict__)

    def outputs_from(self, state: Values) -> Values:
        """What the flow returns, of the state at its end."""
        return collect(state, self.config.output_interface)

    async def end_at_limit(self, limit: LimitReached, state: Values, run: Run) -> bool:
        """Whether the flow came to its end although a limit of the run was reached."""
        del limit, state, run
        return False

    async def run(self, inputs: Any, run: Run) -> Values:
        state = self.first_state(inputs)
        most: int | None = self.config.max_rounds
        try:
            for number in count(1) if most is None else range(1, most + 1):
                if run.begin_round(number, most):
                    await asyncio.sleep(0)
                if await take_all(self.steps, state, self.config.early_exit_key, run):
                    break
            else:
                if self.config.early_exit_key is not None:
                    run.stop_unfinished(f"{self.name} used up its {most} rounds")
        except LimitReached as limit:
            if not await self.end_at_limit(limit, state, run):
                limit.outputs = self.outputs_from(state)
                raise
        return self.outputs_from(state)
