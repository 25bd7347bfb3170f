"""Steps in a circle: again and again until a key says stop, or the rounds are used up."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any, ClassVar, Final, Protocol, runtime_checkable

from pydantic import Field

from flows.core.dataflow.facts import ANY, KnownKeys, Place, join
from flows.core.flow import CompositeFlow, Flow, FlowConfig, Parts, Problem, walk
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

SETTLED: Final = 12  # rounds that are gone through until nothing new is known


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
    def timeout(self) -> float | None: ...


class CircularConfig(CompositeConfig):
    """The keys of a circular flow."""

    max_rounds: int | None = Field(default=3, ge=1, strict=True, description="null is no limit")
    early_exit_key: str | None = Field(default="EARLY_EXIT", description="null: take all rounds")
    topology: tuple[TopologyItem, ...] = Field(default=(), description="the steps of a round")


class Rounds:
    """The steps of a topology, round after round, until a key of the state says stop."""

    def __init__(
        self,
        config: RoundsConfig,
        subflows: Mapping[str, Flow],
        parts: Parts,
    ) -> None:
        self.name = parts.name
        self.most = config.max_rounds
        self.exit_key = config.early_exit_key
        self.outputs = config.output_interface
        self.asks_exit = parts.place("early_exit_key") is not None
        self.timed = config.timeout is not None
        self.steps = make_steps(config.topology, subflows, parts)

    def follow(self, flow: CompositeFlow, first: KnownKeys, trace: Trace) -> tuple[KnownKeys, ...]:
        """Follow the keys of a call, whose state begins with these, through all rounds."""
        place = config_place(flow)
        follow_others(flow, self.steps, trace)
        known = self._settled(first, place, trace)
        if self.most != 1:  # of what is there, the first round knows more than all together
            facts = {
                name: replace(fact, kinds=first.facts[name].kinds) if name in first.facts else fact
                for name, fact in known.facts.items()
            }
            once = replace(known, facts=facts)
            if once != known:
                follow_steps(self.steps, once, self.exit_key, place, trace)
        last, ends = follow_steps(self.steps, known, self.exit_key, place, trace)
        if self.most != 1:
            self._follow_second(first, place, trace)
        self._check_end(flow, last, ends, trace)
        if last is not None and (self.most is not None or not ends):
            ends.append(("when no round is left", last))
        return known_outputs(ends, self.outputs, self.exit_key, place, trace)

    def _follow_second(self, first: KnownKeys, place: Place, trace: Trace) -> None:
        """Follow the second round by itself: of what the first has written more is known than of
        all rounds together."""
        with trace.quietly():
            written, _ = follow_steps(self.steps, first, self.exit_key, place, trace)
        if written is not None:
            with trace.telling("in the second round"):
                follow_steps(self.steps, written, self.exit_key, place, trace)

    def _settled(self, first: KnownKeys, place: Place, trace: Trace) -> KnownKeys:
        """What is known at the begin of each round: of the first, and of all that come after."""
        known = first
        if self.most == 1:
            return known
        with trace.quietly():
            for number in range(SETTLED):
                last, _ = follow_steps(self.steps, known, self.exit_key, place, trace)
                if last is None:
                    break
                after = join([("in the first round", first), ("", last)])
                if after == known:
                    break
                known = after if number < SETTLED - 2 else KnownKeys.named((*after.names, ANY))
        return known

    def _check_end(
        self, flow: CompositeFlow, last: KnownKeys | None, ends: Sequence[object], trace: Trace
    ) -> None:
        """Whether the early exit key can end the flow, where one was asked for, and whether
        anything can."""
        if last is None or ends:
            return
        if self.exit_key is not None and self.asks_exit:
            tell_no_exit(self.exit_key, self.steps, last, config_place(flow), trace)
        elif self.most is None and not (self.timed or trace.bounded or asks_person(flow)):
            key = "and early_exit_key too"
            if self.exit_key is not None:
                key = f"and no step gives the early exit key {self.exit_key!r} a true value"
            text = (
                f"the loop has no end: max_rounds is null, {key}; give max_rounds a number, or "
                "have a step write the key"
            )
            trace.fault(config_place(flow), Problem(text, ("max_rounds",)))

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


def asks_person(flow: Flow) -> bool:
    """Whether a person is asked somewhere in it, who can end it."""
    return any("human" in type(each).needs.values() for _, each in walk(flow))


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
        self.rounds = Rounds(config, self.subflows, parts)

    def output_names(self) -> frozenset[str]:
        return names_of(self.follow(self.known_inputs(), Trace()))

    @classmethod
    def wiring(cls, config: Any, subflows: Any) -> list[Problem]:
        return unknown_flows(config.topology, subflows)

    def follow(self, given: KnownKeys, trace: Trace) -> tuple[KnownKeys, ...]:
        return self.rounds.follow(self, first_state(self, given), trace)

    async def run(self, inputs: Any, run: Run) -> Values:
        state = dict(inputs.__dict__)
        try:
            await self.rounds.take(state, run)
        except LimitReached as limit:
            limit.outputs = self.rounds.collect(state)
            raise
        return self.rounds.collect(state)
