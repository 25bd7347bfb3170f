"""Classes that were written for aiflows, as flows of a run.

Nothing here imports aiflows: a class that subclasses one of its own brings it along. What importing
it does to a process is taken back: its handlers on the logger, and its cache of pickles.
"""

from __future__ import annotations

import asyncio
import copy
import logging
import sys
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, ClassVar, Final

from pydantic import ConfigDict, Field, create_model
from pydantic_core import PydanticSerializationError

from flows.core.chat import ChatModel
from flows.core.dataflow.facts import ANY
from flows.core.flow import (
    AtomicConfig,
    AtomicFlow,
    CompositeFlow,
    Effect,
    Flow,
    FlowConfig,
    Parts,
    Ports,
)
from flows.core.function import place_of
from flows.core.function_thread import GOES_ON, call_in_thread
from flows.core.ports import ports_model
from flows.core.run import Run
from flows.core.signature import Variant
from flows.core.transformations import InterfaceContext
from flows.core.values import Values
from flows.errors import ConfigError, PortError
from flows.library.aiflows.cache import CallCache, cached
from flows.library.aiflows.class_hooks import hooks_of
from flows.library.aiflows.class_interfaces import OWN, PACKAGE
from flows.library.aiflows.class_state import pack_state, unpack_state
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

CALL: Final = "call"
_OWN_KEYS: Final = frozenset({"effect", "retry", "timeout", "compat"})


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

    needs: ClassVar[Mapping[str, str]] = {RUN_MODEL: "model"}
    written: type
    Inputs: ClassVar[type[Ports]] = ClassCallInputs
    Outputs: ClassVar[type[Ports]] = ClassCallOutputs
    goes_on = GOES_ON

    def __init__(self, config: Any, parts: Parts, written: type, given: Values) -> None:
        super().__init__(config, parts)
        self.effect = config.effect
        self.written = written
        self.label = written.__name__
        self.given = given
        own = parts.services.get(RUN_MODEL)
        self.own_model = own if isinstance(own, ChatModel) else None
        made = self.make()
        keys = made.flow_config
        self.first_state = self._kept(made)
        self.private_keys = tuple(keys.get("private_keys") or ())
        self.cache = CallCache.of(_dotted(written), keys)
        if self.cache is not None and not getattr(written, "SUPPORTS_CACHING", False):
            raise ConfigError(
                f"{place_of(written)}: enable_cache: {written.__name__} does not say "
                "SUPPORTS_CACHING = True, without which aiflows refuses it at the first call"
            )

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

    def told(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """The mappings that `run` takes and returns without the private keys, and the state."""
        return {
            key: super(ClassCallFlow, self).told(each) if isinstance(each, Mapping) else each
            for key, each in values.items()
        }

    def most_model_calls(self) -> float:
        from flows.library.aiflows.backend import most_backend_calls

        return most_backend_calls(self.make())

    def initial_state(self) -> Values:
        return copy.deepcopy(self.first_state)

    def apply(self, state: Values, inputs: Any, outputs: ClassCallOutputs) -> Values:
        del state, inputs
        return outputs.flow_state

    async def run(self, inputs: ClassCallInputs, run: Run) -> ClassCallOutputs:
        given = inputs.input_data
        return await cached(
            self.cache, ClassCallOutputs, run.state, given, run, lambda: self._called(inputs, run)
        )

    async def _called(self, inputs: ClassCallInputs, run: Run) -> ClassCallOutputs:
        flow = self.make()
        flow.flow_state = unpack_state(run.state)
        door = StepDoor(run, asyncio.get_running_loop(), self.own_model)
        token = DOOR.set(door)
        try:
            returned = await call_in_thread(flow.run, copy.deepcopy(inputs.input_data))
        finally:
            DOOR.reset(token)
            door.close()
        if not isinstance(returned, Mapping):
            raise PortError(f"{self.name}: run returns a mapping, not a {type(returned).__name__}")
        return ClassCallOutputs(returned=dict(returned), flow_state=self._kept(flow))

    def _kept(self, flow: Any) -> Values:
        """The state of an object of the class. Errors: `PortError` for one that is no JSON."""
        try:
            state: Values = pack_state(flow.flow_state)
        except PydanticSerializationError as error:
            raise PortError(f"{self.name}: its flow_state cannot be kept: {error}") from error
        return state


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
        self.private_keys = self.call.private_keys
        self.subflows = {CALL: self.call}
        self.source = parts.interfaces.get((OWN, "input_interface"))
        self.sink = parts.interfaces.get((OWN, "output_interface"))
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
        keys = AiflowsCircularConfig if base == "CircularFlow" else AiflowsSequentialConfig
        return Variant(
            CompositeClassFlow,
            _open(keys, found),
            lambda config, parts: CompositeClassFlow(config, parts, found),
        )
    flow, config = _COMPOSITES[base]

    def make(config: Any, parts: Parts) -> Flow:
        made = flow(config, parts)
        if isinstance(made, AiflowsCircularFlow):
            keys = config.model_dump(exclude_unset=True, by_alias=True)
            made.rounds.hooks = hooks_of(found, keys)
        return made

    return Variant(flow, _open(config, found), make)


@lru_cache(maxsize=256)
def _open(config: type[FlowConfig], written: type) -> type[FlowConfig]:
    """The keys of a subclass of a composite, which may read any further ones."""
    made = create_model(f"Own{config.__name__}", __base__=config, __module__=config.__module__)
    made.model_config["extra"] = "allow"
    if getattr(written, "SUPPORTS_CACHING", False):
        made.kept_as = _dotted(written)  # type: ignore[attr-defined]
    made.model_rebuild(force=True)
    return made


_COMPOSITES: Final[Mapping[str, tuple[type[CompositeFlow], type[FlowConfig]]]] = {
    "SequentialFlow": (AiflowsCircularFlow, AiflowsSequentialConfig),
    "CircularFlow": (AiflowsCircularFlow, AiflowsCircularConfig),
    "BranchingFlow": (AiflowsBranchingFlow, AiflowsBranchingConfig),
}


def _dotted(written: type) -> str:
    return f"{written.__module__}.{written.__qualname__}"


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


def _names(given: object) -> tuple[str, ...] | None:
    if not isinstance(given, list | tuple):
        return None
    return tuple(str(each) for each in given)
