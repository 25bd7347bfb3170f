"""The composites of aiflows, with the keys that they have there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final, Protocol, runtime_checkable

from pydantic import ConfigDict, Field

from flows.core.branching import BranchingConfig, BranchingInputs, BranchingOutputs, find_branch
from flows.core.circular import Rounds
from flows.core.flow import CompositeFlow, FlowConfig, Parts, Ports, Problem
from flows.core.interface import InterfaceConfig, KeyInterface
from flows.core.ports import PortsSpec, ports_model
from flows.core.run import Run
from flows.core.signature import Variant
from flows.core.topology import CompositeConfig, Step, TopologyItem, take_all, unknown_flows
from flows.core.transformations import (
    ANY,
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
from flows.library.aiflows.compat import CompatTransformation
from flows.library.aiflows.keys import AiflowsKeys

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


@runtime_checkable
class InputMatcher(Protocol):
    """A flow that takes any inputs; `matches_inputs` says that a step without an interface gives it
    those alone that it declares."""

    matches_inputs: bool


class AiflowsCircularFlow(CompositeFlow):
    """Takes its steps in order, round after round, until the early exit key is true or no round is
    left; a sequential one takes them once.

    As in aiflows, `input_interface` is what a step without an interface is given of its parent's
    state, and nothing is refused that it does not name: any input becomes a key of the state. An
    input that it names has to be given if one of the steps takes it.
    """

    Config: ClassVar[type[FlowConfig]] = AiflowsCircularConfig

    def __init__(self, config: Any, parts: Parts) -> None:
        super().__init__(config, parts)
        self.set_inputs(ports_model(self.name, config.input_interface))
        self.matches_inputs = bool(self.port_names)
        # Nothing is known of the keys of a flow that declares none of its inputs.
        unknown = () if config.input_interface and not config.compat else (ANY,)
        self.rounds = Rounds(config, (*self.port_names, *unknown), self.subflows, parts)
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
        return self.rounds.output_names()

    @classmethod
    def wiring(cls, config: Any, subflows: Mapping[str, Any]) -> list[Problem]:
        return unknown_flows(config.topology, subflows)

    def key_problems(self) -> list[Problem]:
        return self.rounds.problems()

    async def run(self, inputs: Any, run: Run) -> Values:
        state = state_of(inputs, self.config)
        try:
            if self.config.once:
                await take_all(self.rounds.steps, state, self.rounds.exit_key, run)
            else:
                await self.rounds.take(state, run)
        except LimitReached as limit:
            limit.outputs = self.rounds.collect(state)
            raise
        outputs = self.rounds.collect(state)
        if self.config.compat:
            self._refuse_missing(outputs, state)
        return outputs

    def _refuse_missing(self, outputs: Values, state: Values) -> None:
        """Errors: `PortError` for a declared output that no step has set, as in aiflows 0.1.7."""
        missing = [each for each in self.rounds.outputs or () if each not in outputs]
        if missing:
            raise PortError(
                f"{self.name}: no step has set the output {', '.join(missing)} (there are: "
                f"{', '.join(sorted(state))}); without compat: aiflows-0.1 the others are returned"
            )


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


def state_of(inputs: Ports, config: AiflowsKeys) -> Values:
    """The state that a composite begins with. Errors: `InterfaceError`, under `compat` alone."""
    given = {**inputs.__dict__, **(inputs.__pydantic_extra__ or {})}
    if not config.compat:
        return given
    state = AiflowsState()
    state.update({key: value for key, value in given.items() if key in inputs.model_fields_set})
    return state


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
