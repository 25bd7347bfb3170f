"""Classes that were written for aiflows, as flows of a run.

Nothing here imports aiflows: a class that subclasses one of its own brings it along. What importing
it does to a process is taken back: its handlers on the logger, and its cache of pickles.
"""

from __future__ import annotations

import asyncio
import copy
import logging
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from pydantic import ConfigDict, Field, create_model
from pydantic_core import PydanticSerializationError, to_jsonable_python

from flows.core.chat import ChatModel
from flows.core.dataflow.facts import ANY
from flows.core.flow import (
    AtomicConfig,
    AtomicFlow,
    CompositeFlow,
    Effect,
    FlowConfig,
    Parts,
    Ports,
)
from flows.core.function import place_of
from flows.core.interface import InterfaceConfig, KeyInterface
from flows.core.ports import ports_model
from flows.core.run import Run
from flows.core.signature import Variant
from flows.core.transformations import InterfaceContext
from flows.core.values import Values
from flows.errors import ConfigError, PortError
from flows.library.aiflows.composite_classes import CompositeClassFlow
from flows.library.aiflows.composites import (
    AiflowsBranchingConfig,
    AiflowsBranchingFlow,
    AiflowsCircularConfig,
    AiflowsCircularFlow,
    AiflowsSequentialConfig,
)
from flows.library.aiflows.door import DOOR, RUN_MODEL, StepDoor
from flows.library.aiflows.keys import AiflowsKeys
from flows.library.aiflows.transformations import AiflowsInterface

PACKAGE: Final = "aiflows"
CALL: Final = "call"
# How aiflows says to an interface on which side of a step it is.
SIDES: Final = {"input_interface": "Input", "output_interface": "Output"}
_OWN_KEYS: Final = frozenset({"effect", "retry", "timeout", "compat"})
_REGISTRIES: Final = (
    "_CircularFlow__input_msg_payload_builder_registry",
    "_CircularFlow__output_msg_payload_processor_registry",
)


class ClassConfig(AiflowsKeys, AtomicConfig):
    """The keys of a class of one's own: those of every flow of aiflows, and whatever it reads."""

    model_config = ConfigDict(frozen=True, extra="allow", populate_by_name=True)

    input_interface: Any = None
    output_interface: Any = None
    effect: Effect = Field(
        default="idempotent", description="what a call does to the world, as of any step"
    )


class AnyPorts(Ports):
    """Whatever the class takes."""

    model_config = ConfigDict(extra="allow")


class ClassCallInputs(Ports):
    input_data: dict[str, Any]


class ClassCallOutputs(Ports):
    """What `run` returned, and the state of the flow after it."""

    returned: dict[str, Any]
    flow_state: dict[str, Any] = Field(default={})


class ClassCallFlow(AtomicFlow):
    """One call of `run(input_data)`, in a thread. Its `flow_state` is folded, so that a run that is
    taken up again goes on with it; what else the object remembers ends with the process."""

    Inputs: ClassVar[type[Ports]] = ClassCallInputs
    Outputs: ClassVar[type[Ports]] = ClassCallOutputs

    def __init__(self, config: Any, parts: Parts, written: type, given: Values) -> None:
        super().__init__(config, parts)
        self.effect = config.effect
        self.written = written
        self.given = given
        own = parts.services.get(RUN_MODEL)
        self.own_model = own if isinstance(own, ChatModel) else None
        self.make()

    def make(self) -> Any:
        """A new object of the class. Errors: `ConfigError` for a config that it refuses."""
        try:
            made: Any = self.written.instantiate_from_default_config(**copy.deepcopy(self.given))  # type: ignore[attr-defined]
        except Exception as error:
            raise ConfigError(
                f"{place_of(self.written)}: {self.written.__name__} cannot be made: "
                f"{type(error).__name__}: {error}"
            ) from error
        return made

    def most_model_calls(self) -> float:
        from flows.library.aiflows.backend import most_backend_calls

        return most_backend_calls(self.make())

    def initial_state(self) -> Values:
        return {}

    def apply(self, state: Values, inputs: Any, outputs: ClassCallOutputs) -> Values:
        del state, inputs
        return outputs.flow_state

    async def run(self, inputs: ClassCallInputs, run: Run) -> ClassCallOutputs:
        flow = self.make()
        flow.flow_state = copy.deepcopy(run.state)
        door = StepDoor(run, asyncio.get_running_loop(), self.own_model)
        token = DOOR.set(door)
        try:
            returned = await asyncio.to_thread(flow.run, copy.deepcopy(inputs.input_data))
        finally:
            DOOR.reset(token)
            door.close()
        if not isinstance(returned, Mapping):
            raise PortError(f"{self.name}: run returns a mapping, not a {type(returned).__name__}")
        try:
            state = to_jsonable_python(flow.flow_state)
        except PydanticSerializationError as error:
            raise PortError(f"{self.name}: its flow_state cannot be kept: {error}") from error
        return ClassCallOutputs(returned=dict(returned), flow_state=state)


class ClassFlow(CompositeFlow):
    """An `AtomicFlow` of aiflows. At the top of a run, interfaces that stand in its own config are
    applied around the call, as by a launcher; below a composite aiflows applies none of them.

    The class gets whatever a step's interface makes, also what its `input_interface` does not name:
    those names are what a step without an interface picks.
    """

    needs: ClassVar[Mapping[str, str]] = {RUN_MODEL: "model"}
    Config: ClassVar[type[FlowConfig]] = ClassConfig

    def __init__(self, config: ClassConfig, parts: Parts, written: type) -> None:
        super().__init__(config, parts)
        below = parts.below(CALL)
        settings = AtomicConfig(retry=config.retry)
        given = {
            key: value
            for key, value in config.model_dump(exclude_unset=True).items()
            if key not in _OWN_KEYS
        }
        given.setdefault("description", written.__doc__ or written.__name__)
        kept = ClassConfig.model_validate({**settings.model_dump(), "effect": config.effect})
        self.call = ClassCallFlow(kept, below, written, given)
        self.subflows = {CALL: self.call}
        self.source = _interface(config.input_interface)
        self.sink = _interface(config.output_interface)
        names = _names(self.call.make().flow_config.get("input_interface"))
        self.matches_inputs = names is not None and self.source is None
        if self.matches_inputs:
            self.set_inputs(ports_model(self.name, dict.fromkeys(names or (), "any")))
        else:
            self.set_inputs(AnyPorts)
        # What an interface makes is given whole; one that makes nothing is the composite's matter.
        self._validate = self.pick = AnyPorts.__pydantic_validator__.validate_python

    def output_names(self) -> frozenset[str]:
        return frozenset({ANY})

    def most_of(self, below: Mapping[str, float]) -> float:
        return below[CALL]

    async def run(self, inputs: Any, run: Run) -> Values:
        given: Values = {**inputs.__dict__, **(inputs.__pydantic_extra__ or {})}
        context = InterfaceContext(self.label, self.port_names, run.notice, run.transcript)
        at_top = run.address == ""
        if self.source is not None and at_top:
            given = self.source(given, context)
        done = await run.call(self.call, {"input_data": given})
        returned: Values = done["returned"]
        return self.sink(returned, context) if self.sink is not None and at_top else returned


def adapt_class(found: object) -> object:
    """A class that was written for aiflows as a flow; anything else as it is.

    Errors: `ConfigError` for one that has no `run(self, input_data)`.
    """
    base = _base_of(found)
    if base is None or not isinstance(found, type):
        return found
    _quiet()
    own_run = "run" in vars(found) or any("run" in vars(each) for each in _own_bases(found))
    if base in ("AtomicFlow", "CompositeFlow") and not own_run:
        raise ConfigError(f"{place_of(found)}: {found.__name__} has no run(self, input_data)")
    if base == "AtomicFlow":
        return Variant(
            ClassFlow, ClassConfig, lambda config, parts: ClassFlow(config, parts, found)
        )
    if own_run:
        return Variant(
            CompositeClassFlow,
            _open(AiflowsSequentialConfig if base != "CircularFlow" else AiflowsCircularConfig),
            lambda config, parts: CompositeClassFlow(config, parts, found),
        )
    return _COMPOSITES[base]


def _open(config: type[FlowConfig]) -> type[FlowConfig]:
    """The keys of a subclass of a composite, which may read any further ones."""
    made = create_model(f"Own{config.__name__}", __base__=config, __module__=config.__module__)
    made.model_config["extra"] = "allow"
    made.model_rebuild(force=True)
    return made


_COMPOSITES: Final = {
    "SequentialFlow": Variant(
        AiflowsCircularFlow, _open(AiflowsSequentialConfig), AiflowsCircularFlow
    ),
    "CircularFlow": Variant(AiflowsCircularFlow, _open(AiflowsCircularConfig), AiflowsCircularFlow),
    "BranchingFlow": Variant(
        AiflowsBranchingFlow, _open(AiflowsBranchingConfig), AiflowsBranchingFlow
    ),
}


def _base_of(found: object) -> str | None:
    """The class of aiflows' own that a class is a kind of, by its name."""
    known = ("SequentialFlow", "CircularFlow", "BranchingFlow", "CompositeFlow", "AtomicFlow")
    bases = found.__mro__[1:] if isinstance(found, type) else ()
    return next(
        (
            each.__name__
            for each in bases
            if each.__module__.startswith(f"{PACKAGE}.base_flows") and each.__name__ in known
        ),
        None,
    )


def _own_bases(found: type) -> list[type]:
    return [
        each for each in found.__mro__[1:-1] if not each.__module__.startswith((PACKAGE, "abc"))
    ]


class NoCache:
    """In the place of the cache that each flow of aiflows opens in the working folder."""


def _quiet() -> None:
    """Take back what importing aiflows did: a handler that writes to standard output, a cache."""
    logger = logging.getLogger(PACKAGE)
    logger.handlers.clear()
    logger.propagate = True
    base: Any = sys.modules.get(f"{PACKAGE}.base_flows.abstract")
    if base is not None:
        base.CACHING_PARAMETERS.do_caching = False
        base.FlowCache = NoCache


def _interface(given: object) -> KeyInterface | None:
    """An interface that a flow has of its own, as a mapping; a list of names is none."""
    if not isinstance(given, Mapping):
        return None
    return AiflowsInterface(InterfaceConfig.model_validate(dict(given)))


def _names(given: object) -> tuple[str, ...] | None:
    if not isinstance(given, list | tuple):
        return None
    return tuple(str(each) for each in given)


class StepFlow:
    """What a class's method is told of the flow on the other side."""

    def __init__(self, name: str, ports: tuple[str, ...]) -> None:
        self.name = name
        self.flow_config = {"name": name, "input_interface": list(ports), "output_interface": None}

    def get_interface_description(self) -> dict[str, Any]:
        """The inputs of the flow."""
        return {"input": self.flow_config["input_interface"], "output": None}


@dataclass(frozen=True, slots=True)
class StepSide:
    """Where an interface stands: before or after (`side`) the call of the subflow `flow`."""

    flow: str
    side: str


class MethodInterface:
    """A method that `CircularFlow.input_msg_payload_builder` or `output_msg_payload_processor` has
    decorated. It gets an object of its class whose state is the data, and a copy of the data."""

    def __init__(
        self,
        call: Callable[..., Any],
        owner: type | None,
        config: Mapping[str, Any],
        step: StepSide,
        *,
        builds: bool,
    ) -> None:
        self.call = call
        self.owner = owner
        self.step = step
        self.builds = builds
        self.config = {"name": getattr(owner, "__name__", ""), **config}

    def apply(self, data: Values, context: InterfaceContext) -> Values:
        own: Any = object.__new__(self.owner) if self.owner is not None else StepFlow("", ())
        own.flow_config = copy.deepcopy(self.config)
        own.flow_state = data
        other = StepFlow(self.step.flow, context.ports)
        source, target = (own, other) if self.builds else (other, own)
        made = self.call(context.goal, copy.deepcopy(data), source, target)
        if not isinstance(made, Mapping) or not made:
            raise PortError("a payload is a mapping with at least one key")
        return dict(made)

    def names(self, available: frozenset[str]) -> frozenset[str]:
        del available
        return frozenset({ANY})


def find_method(name: str, config: Mapping[str, Any], step: StepSide) -> MethodInterface | None:
    """The decorated method of that `Class.method`, among those that were imported, for a step of a
    composite that has these keys over those of its class."""
    module = sys.modules.get(f"{PACKAGE}.base_flows.circular")
    for registry, builds in zip(_REGISTRIES, (True, False), strict=True):
        known: Mapping[str, Any] = getattr(getattr(module, "CircularFlow", None), registry, {})
        if (call := known.get(name)) is not None:
            function = call.__closure__[0].cell_contents
            owner = function.__globals__.get(name.partition(".")[0])
            known_keys = owner.get_config(**config) if hasattr(owner, "get_config") else config
            return MethodInterface(call, owner, known_keys, step, builds=builds)
    return None


class ForeignTransformation:
    """A data transformation or an interface of aiflows' kind: called with a goal, the data and the
    flows on both sides."""

    def __init__(self, made: Callable[..., Any], step: StepSide) -> None:
        self.made = made
        self.step = step

    def apply(self, data: Values, context: InterfaceContext) -> Values:
        other = StepFlow(self.step.flow, context.ports)
        found = self.made(
            goal=f"[{SIDES[self.step.side]}] {context.goal}",
            data_dict=copy.deepcopy(data),
            src_flow=other,
            dst_flow=other,
        )
        return dict(found)

    def names(self, available: frozenset[str]) -> frozenset[str]:
        del available
        return frozenset({ANY})


def adapt_transformation(
    found: object, given: Mapping[str, Any], step: StepSide
) -> ForeignTransformation | None:
    """A class that is a kind of aiflows' `DataTransformation` or `Interface`, made with these keys,
    for an interface of that step; None for any other. Errors: `ConfigError` where it cannot be."""
    bases = found.__mro__[1:] if isinstance(found, type) else ()
    parts = (f"{PACKAGE}.data_transformations", f"{PACKAGE}.interfaces")
    if not callable(found) or not any(each.__module__.startswith(parts) for each in bases):
        return None
    try:
        return ForeignTransformation(found(**given), step)
    except Exception as error:
        text = f"{place_of(found)}: {type(error).__name__}: {error}"
        raise ConfigError(text) from error
