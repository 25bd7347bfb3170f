"""Interfaces and data transformations of a user's own that were written for aiflows."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from flows.core.dataflow.facts import ANY
from flows.core.function import place_of
from flows.core.transformations import InterfaceContext
from flows.core.values import Values
from flows.errors import ConfigError, PortError

PACKAGE: Final = "aiflows"
OWN: Final = -1  # in the place of a step's number: the interface that a flow has of its own
# How aiflows says to an interface on which side of a step it is.
SIDES: Final = {"input_interface": "Input", "output_interface": "Output"}
_REGISTRIES: Final = (
    "_CircularFlow__input_msg_payload_builder_registry",
    "_CircularFlow__output_msg_payload_processor_registry",
)


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
    decorated. It gets an object of its class whose state is that of the flow, and a copy of the
    data."""

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
        own.flow_state = context.state
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
