"""Whether a class can be a step: what it has to have beside it, and the signature of its `run`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from flows.config.contract import SERVICE_KINDS, unknown_kind
from flows.core.flow import (
    AtomicConfig,
    AtomicFlow,
    Effect,
    Flow,
    FlowConfig,
    Parts,
    Ports,
    Problem,
)
from flows.core.function import flow_of, place_of
from flows.errors import ConfigError, nearest

_OURS = "flows."
_RUN = "async def run(self, inputs, run)"


@dataclass(frozen=True, slots=True)
class Variant:
    """A kind of flow that is another with more handed to it: its keys, and what makes it."""

    base: type[Flow]
    Config: type[FlowConfig]
    make: Callable[[Any, Parts], Flow]

    @property
    def needs(self) -> Mapping[str, str]:
        return self.base.needs

    def wiring(self, config: Any, subflows: Mapping[str, Flow]) -> list[Problem]:
        return self.base.wiring(config, subflows)

    def __call__(self, config: Any, parts: Parts) -> Flow:
        return self.make(config, parts)


FlowType = type[Flow] | Variant


def flow_class(found: object) -> FlowType:
    """The class of flows that something is or, for a plain function, makes; a variant as it is.

    Errors: `ConfigError` that names the line of a class or function that cannot be a step.
    """
    if isinstance(found, Variant):
        return found
    if inspect.isfunction(found):
        return flow_of(found)
    if not (isinstance(found, type) and issubclass(found, Flow)):
        what = f"an object of {type(found).__name__}"
        if isinstance(found, type):
            what = f"{place_of(found)}: {found.__name__}"
        how = (
            "a step is a typed function, or a subclass of AtomicFlow (from flows import AtomicFlow)"
        )
        raise ConfigError(f"{what} is not a flow: {how}")
    if not found.__module__.startswith(_OURS):
        check_class(found)
    return found


def check_class(kind: type[Flow]) -> None:
    """Errors: `ConfigError` with all that is wrong with a class of one's own."""
    problems = [*_models(kind), *_run(kind), *_declared(kind)]
    if problems:
        raise ConfigError(f"{place_of(kind)}: {kind.__name__}: {'; '.join(problems)}")


def _models(kind: type[Flow]) -> list[str]:
    base = AtomicConfig if issubclass(kind, AtomicFlow) else FlowConfig
    wrong = [
        f"{name} must be a subclass of {wanted.__name__}"
        for name, wanted in (("Config", base), ("Inputs", Ports), ("Outputs", Ports))
        if not (isinstance(found := getattr(kind, name), type) and issubclass(found, wanted))
    ]
    return wrong or list(_undeclared(kind))


def _undeclared(kind: type[Flow]) -> Iterator[str]:
    """The ports that `run` is written for, where the class does not have them beside it."""
    signature = inspect.signature(kind.run)
    taken = [each.annotation for each in signature.parameters.values()][1:2]
    written = {"Inputs": taken[0] if taken else None, "Outputs": signature.return_annotation}
    for name, annotation in written.items():
        meant = getattr(kind.run, "__globals__", {}).get(annotation, annotation)
        is_ports = isinstance(meant, type) and issubclass(meant, Ports)
        if is_ports and not issubclass(getattr(kind, name), meant):
            yield f"it has no {name} = {meant.__name__}, which its run is written for"


def _declared(kind: type[Flow]) -> Iterator[str]:
    """What is wrong with the effect that the class declares."""
    effect = getattr(kind, "effect", "pure")
    if isinstance(effect, str) and effect not in get_args(Effect):
        meant = nearest(effect, get_args(Effect))
        hint = f"; did you mean {meant!r}?" if meant else ""
        yield f"its effect {effect!r} is none of {', '.join(get_args(Effect))}{hint}"
    needs: object = kind.needs  # whatever the class says
    if not isinstance(needs, Mapping):
        yield 'its needs must be a mapping of keys to kinds of services, as in {"model": "model"}'
        return
    yield from (unknown_kind(each) for each in needs.values() if each not in SERVICE_KINDS)


def _run(kind: type[Flow]) -> list[str]:
    if kind.run is Flow.run:
        return [f"it has no run: {_RUN}"]
    line = place_of(kind.run).rpartition(":")[2]
    if isinstance(inspect.getattr_static(kind, "run"), staticmethod | classmethod):
        return [f"its run in line {line} is bound to no object: {_RUN}"]
    if inspect.isasyncgenfunction(kind.run):
        return [f"its run in line {line} yields: a step returns its Outputs once, {_RUN}"]
    if not inspect.iscoroutinefunction(kind.run):
        return [f"its run in line {line} is not async: {_RUN}"]
    try:
        inspect.signature(kind.run).bind(None, None, None)
    except TypeError:
        return [f"its run in line {line} takes other arguments: {_RUN}"]
    return []
