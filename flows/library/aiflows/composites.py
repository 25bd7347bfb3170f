"""The composites of aiflows, with the keys that they have there."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any, ClassVar, Final, Protocol, runtime_checkable

from pydantic import ConfigDict, Field

from flows.core.branching import (
    OUTPUTS,
    BranchingConfig,
    BranchingInputs,
    BranchingOutputs,
    find_branch,
    follow_branches,
)
from flows.core.circular import Rounds
from flows.core.dataflow.facts import UNKNOWN, KeyFact, KnownKeys
from flows.core.flow import CompositeFlow, FlowConfig, Parts, Ports, Problem
from flows.core.interface import InterfaceConfig, KeyInterface
from flows.core.ports import PortsSpec, ports_model
from flows.core.run import Run
from flows.core.signature import Variant
from flows.core.topology import CompositeConfig, Step, TopologyItem, names_of, unknown_flows
from flows.core.trace import Trace
from flows.core.transformations import (
    EndOfInteraction,
    Json2Obj,
    KeyCopy,
    KeyDelete,
    KeyMatchInput,
    KeyRename,
    KeySelect,
    KeySet,
    Obj2Json,
    PrintPreviousMessages,
    RegexFirstOccurrenceExtractor,
    UnNesting,
)
from flows.core.values import Values
from flows.errors import InterfaceError, LimitReached, PortError
from flows.library.aiflows.cache import cache_problems
from flows.library.aiflows.class_hooks import ClassHooks
from flows.library.aiflows.compat import CompatTransformation
from flows.library.aiflows.composite_cache import cached_composite, composite_cache
from flows.library.aiflows.keys import AiflowsKeys
from flows.library.blocks.feedback import QUIT_REASON

PROBLEM: Final = "problem"
READERS: Final = (EndOfInteraction, Json2Obj, Obj2Json, RegexFirstOccurrenceExtractor, UnNesting)
KEYED: Final = (
    KeyCopy, KeyDelete, KeyMatchInput, KeyRename, KeySelect, KeySet, PrintPreviousMessages,
)  # fmt: skip


class AiflowsCircularConfig(AiflowsKeys, CompositeConfig):
    """The keys of a circular flow of aiflows."""

    once: ClassVar[bool] = False
    max_rounds: int | None = Field(default=3, ge=1, strict=True, description="null is no limit")
    early_exit_key: str | None = Field(default="EARLY_EXIT", description="null: take all rounds")
    topology: tuple[TopologyItem, ...] = Field(default=(), description="the steps of a round")


class AiflowsSequentialConfig(AiflowsKeys, CompositeConfig):
    """The keys of a sequential flow of aiflows, which is a circular one of one round."""

    once: ClassVar[bool] = True
    max_rounds: int | None = Field(default=1, ge=1, le=1, strict=True, description="always 1")
    early_exit_key: str | None = Field(default="EARLY_EXIT", description="a key that ends it early")
    topology: tuple[TopologyItem, ...] = Field(default=(), description="the steps, in order")


class AiflowsRounds(Rounds):
    """The rounds of a flow of aiflows, where any true value under the early exit key is an end: a
    text is no reason, but for the one that says that the person has quit. A sequential flow takes
    its steps `once`, which is no round."""

    once: bool = False
    hooks: ClassHooks | None = None  # of a class that subclasses a composite

    async def take(self, state: Values, run: Run) -> None:
        """Take the rounds, or the one; the state is changed in place. Errors: `LimitReached`."""
        for number in count(1) if self.most is None else range(1, self.most + 1):
            if not self.once and run.begin_round(number, self.most):
                await asyncio.sleep(0)
            if await self._round(state, run):
                return
        if self.exit_key is not None and not self.once:
            run.stop_unfinished(f"{self.name} used up its {self.most} rounds")
        if self.hooks is not None:
            self.hooks.end_rounds(state)

    async def _round(self, state: Values, run: Run) -> bool:
        """Whether one of the steps has ended the flow; then the others are not taken."""
        for step in self.steps:
            try:
                await step.take(state, run)
            except LimitReached as limit:
                step.merge_partial(state, limit, run)
                raise
            if self.exit_key and (stop := state.get(self.exit_key)):
                if stop == QUIT_REASON:
                    run.stop_unfinished(stop)
                return True
            if self.hooks is not None and self.hooks.exits(state):
                return True
            if step.reset:
                run.reset(step.flow)
        return False


@runtime_checkable
class InputMatcher(Protocol):
    """A flow that takes any inputs; `matches_inputs` says that a step without an interface gives it
    those alone that it declares."""

    matches_inputs: bool


class AiflowsCircularFlow(CompositeFlow):
    """Takes its steps in order, round after round, until the early exit key is true or no round is
    left; a sequential one takes them once. Its state is kept for its next call in the run, until a
    step with `reset: true` of the flow above empties it.

    As in aiflows, `input_interface` is what a step without an interface is given of its parent's
    state, and nothing is refused that it does not name: any input becomes a key of the state. An
    input that it names has to be given if one of the steps takes it.
    """

    Config: ClassVar[type[FlowConfig]] = AiflowsCircularConfig

    def __init__(self, config: Any, parts: Parts) -> None:
        super().__init__(config, parts)
        self.set_inputs(ports_model(self.name, config.input_interface))
        self.matches_inputs = bool(self.port_names)
        self.rounds = AiflowsRounds(config, self.subflows, parts)
        self.rounds.once = config.once
        self.cache = composite_cache(config, config.model_dump())
        self._take_all_inputs(config.input_interface)
        for step in self.rounds.steps:
            if (
                step.source is None
                and isinstance(step.flow, InputMatcher)
                and step.flow.matches_inputs
            ):
                step.source = KeyInterface(InterfaceConfig(), (KeyMatchInput(),))
                step.plain = False

    def _take_all_inputs(self, declared: PortsSpec) -> None:
        """Let inputs be given that are not declared, and those be left out that no step takes."""
        types = declared if isinstance(declared, dict) else dict.fromkeys(declared, "any")
        steps = self.rounds.steps
        spec = {
            name: kind if kind.endswith("?") or is_taken(name, steps) else f"{kind}?"
            for name, kind in types.items()
        }
        ports = ports_model(self.name, spec)
        ports.model_config = ConfigDict(**{**ports.model_config, "extra": "allow"})
        ports.model_rebuild(force=True)
        self.set_inputs(ports)
        self.pick = self._validate

    def output_names(self) -> frozenset[str]:
        return names_of(self.follow(self.known_inputs(), Trace()))

    @classmethod
    def wiring(cls, config: Any, subflows: Mapping[str, Any]) -> list[Problem]:
        return [*unknown_flows(config.topology, subflows), *cache_problems(config)]

    def follow(self, given: KnownKeys, trace: Trace) -> tuple[KnownKeys, ...]:
        """Of what is given by this call the kinds are known; of what may be kept from the last, and
        of all keys under `compat`, where null overwrites nothing, the names alone. Nothing is known
        of the keys of a flow that declares none of its inputs."""
        trace.use_all(given)
        compat = bool(self.config.compat)
        facts = {
            name: self._given(name, declared, given) if not compat else UNKNOWN
            for name, declared in self.known_inputs().facts.items()
        }
        unknown = compat or not self.config.input_interface or self.rounds.hooks is not None
        return self.rounds.follow(self, KnownKeys(facts, unknown), trace)

    @staticmethod
    def _given(name: str, declared: KeyFact, given: KnownKeys) -> KeyFact:
        """What is known of an input that has a name: that of this call, if it is always given."""
        fact = given.facts.get(name, UNKNOWN)
        if fact.lacks:
            return KeyFact(declared.kinds, (), fact.origins)
        return KeyFact(declared.kinds or fact.kinds, (), fact.origins)

    async def run(self, inputs: Any, run: Run) -> Values:
        if self.cache is None:
            return await self._take(inputs, run)
        given = given_inputs(inputs)
        return await cached_composite(self, self.cache, given, run, lambda: self._take(inputs, run))

    async def _take(self, inputs: Any, run: Run) -> Values:
        state = self._begin(inputs, run)
        try:
            await self.rounds.take(state, run)
        except LimitReached as limit:
            limit.outputs = self.rounds.collect(state)
            raise
        if run.address:  # a launcher resets the top flow
            run.states[self.path] = state
        outputs = self.rounds.collect(state)
        if self.config.compat:
            self._refuse_missing(outputs, state)
        return outputs

    def _begin(self, inputs: Ports, run: Run) -> Values:
        """The state of the last call with the inputs of this one. Errors: `InterfaceError`, under
        `compat` alone."""
        kept = run.states.get(self.path)
        if kept is None:
            hooks = self.rounds.hooks
            kept = hooks.first_state() if hooks is not None else {}
        given = {**inputs.__dict__, **(inputs.__pydantic_extra__ or {})}
        named = given_inputs(inputs)
        if self.config.compat:
            state = AiflowsState(kept)
            state.update(named)
            return state
        exit_key = self.rounds.exit_key
        return {**given, **{key: each for key, each in kept.items() if key != exit_key}, **named}

    def _refuse_missing(self, outputs: Values, state: Values) -> None:
        """Errors: `PortError` for a declared output that no step has set, as in aiflows 0.1.7."""
        missing = [each for each in self.rounds.outputs or () if each not in outputs]
        if missing:
            raise PortError(
                f"{self.name}: no step has set the output {', '.join(missing)} (there are: "
                f"{', '.join(sorted(state))}); without compat: aiflows-0.1 the others are returned"
            )


def given_inputs(inputs: Ports) -> Values:
    """The inputs that were given, without defaults."""
    values = {**inputs.__dict__, **(inputs.__pydantic_extra__ or {})}
    return {key: each for key, each in values.items() if key in inputs.model_fields_set}


SEQUENTIAL: Final = Variant(AiflowsCircularFlow, AiflowsSequentialConfig, AiflowsCircularFlow)


def is_taken(name: str, steps: Sequence[Step]) -> bool:
    """Whether some step takes the key of the state, as far as its interface says."""
    return any(_takes(step, name) for step in steps)


def _takes(step: Step, name: str) -> bool:
    if step.source is None or name in step.ports:
        return name in step.ports
    config = step.source.config
    read = [*config.keys_to_rename, *config.keys_to_copy, *config.keys_to_select]
    for each in step.source.steps:
        settings = each.settings if isinstance(each, CompatTransformation) else each
        if isinstance(settings, READERS):
            read.append(settings.input_key)
        elif not isinstance(settings, KEYED):
            return True  # a method, or a class of somebody's own, may read any key
    return any(name in (key, key.partition(".")[0]) for key in read)


class AiflowsState(dict[str, Any]):
    """A state as that of aiflows 0.1.7: a later None does not overwrite a key, and a step that
    returns nothing is an error."""

    def update(self, *given: Any, **more: Any) -> None:
        values = dict(*given, **more)
        if not values:
            raise InterfaceError(
                "the step returned nothing, which aiflows 0.1.7 refuses; without compat: "
                "aiflows-0.1 it changes nothing"
            )
        for key, value in values.items():
            if value is not None or key not in self:
                self[key] = value


class AiflowsBranchingConfig(AiflowsKeys, BranchingConfig):
    """The keys of a branching flow of aiflows."""


class AiflowsBranchingInputs(BranchingInputs):
    """Which branch, and what it gets; further keys are left out, such as the id of a sample."""

    model_config = ConfigDict(extra="ignore")


class AiflowsBranchingFlow(CompositeFlow):
    """Calls the subflow that `branch` names with what it takes of `branch_input_data`."""

    branches: ClassVar[bool] = True
    Config: ClassVar[type[FlowConfig]] = AiflowsBranchingConfig
    Inputs: ClassVar[type[Ports]] = AiflowsBranchingInputs
    Outputs: ClassVar[type[Ports]] = BranchingOutputs

    def __init__(self, config: Any, parts: Parts) -> None:
        super().__init__(config, parts)
        self.cache = composite_cache(config, config.model_dump())

    @classmethod
    def wiring(cls, config: Any, subflows: Mapping[str, Any]) -> list[Problem]:
        return [*super().wiring(config, subflows), *cache_problems(config)]

    def follow(self, given: KnownKeys, trace: Trace) -> tuple[KnownKeys, ...]:
        (found,) = follow_branches(self, given, trace, picks=True)
        (returned,) = found.facts[OUTPUTS].kinds
        known = returned.fields
        if known is None or PROBLEM not in known.facts:
            return (found,)
        fact = replace(known.facts[PROBLEM], lacks=("when nothing failed",))
        data = replace(known, facts={**known.facts, PROBLEM: fact})
        return (KnownKeys({OUTPUTS: KeyFact((returned.changed(data),))}),)

    async def run(self, inputs: Any, run: Run) -> Values:
        if self.cache is None:
            return await self._take(inputs, run)
        given = given_inputs(inputs)
        return await cached_composite(self, self.cache, given, run, lambda: self._take(inputs, run))

    async def _take(self, inputs: Any, run: Run) -> Values:
        try:
            branch = find_branch(self, inputs.branch)
            outputs = await run.call(branch, inputs.branch_input_data, pick=True)
        except LimitReached as limit:
            limit.outputs = {"branch_output_data": limit.outputs}
            raise
        if outputs.get(PROBLEM) == "":  # a key that aiflows does not know says only what failed
            outputs = {key: value for key, value in outputs.items() if key != PROBLEM}
        return {"branch_output_data": outputs}
