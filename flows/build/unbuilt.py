"""What stands in a graph for a part that could not be built, so that the rest is checked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from flows.build.own_code import OpenPorts
from flows.build.stand_ins import NoData, NoFunctions, NoSandbox, StandIn
from flows.core.dataflow.facts import ANY, KnownKeys
from flows.core.flow import CompositeFlow, Flow, FlowConfig, Parts, Problem, walk
from flows.core.interface import InterfaceConfig, KeyInterface
from flows.core.trace import Trace
from flows.core.transformations import InterfaceContext
from flows.core.values import Values
from flows.data.catalog import Catalog
from flows.errors import InterfaceError

_REACHED: Final = ("model", "memory", "human", "documents", "entities", "vectors", "embedder")


class UnbuiltFlow(CompositeFlow):
    """A flow that could not be built: nothing is known of its inputs and of its outputs. The flows
    below it are there, and are checked each by itself."""

    def __init__(self, name: str, subflows: Mapping[str, Flow] | None = None) -> None:
        super().__init__(FlowConfig(name=name), Parts(name, subflows or {}))
        self.set_inputs(OpenPorts)

    def output_names(self) -> frozenset[str]:
        return frozenset({ANY})

    def can_finalize(self) -> bool:
        return True

    def follow(self, given: KnownKeys, trace: Trace) -> tuple[KnownKeys, ...]:
        trace.use_all(given)
        trace.follow_each(self.subflows.values())
        return (KnownKeys(open=True),)


class UnknownKeys:
    """What stands for a transformation that could not be made, or that nobody has allowed to run:
    nothing is known of the keys that come out of it."""

    def apply(self, data: Values, context: InterfaceContext) -> Values:
        del data, context
        raise InterfaceError("this transformation could not be made, or may not run")

    def names(self, available: frozenset[str]) -> frozenset[str]:
        del available
        return frozenset({ANY})


def unknown_interface() -> KeyInterface:
    """An interface that could not be made."""
    return KeyInterface(InterfaceConfig(), (UnknownKeys(),))


def has_unbuilt(flow: Flow) -> bool:
    """Whether a part of the flow stands for another."""
    return any(isinstance(each, UnbuiltFlow) for _, each in walk(flow))


def missing_service(kind: str) -> object | None:
    """What stands for a service of that kind that could not be made; None for a kind that has
    nothing to stand for it."""
    if kind in _REACHED:
        return StandIn(kind)
    if kind == "data":
        return NoData({})
    if kind == "semantics":
        from flows.semantics.models import SemanticModels

        return SemanticModels(Catalog({}, Path()))
    made = {"functions": NoFunctions, "sandbox": NoSandbox}.get(kind)
    return None if made is None else made()


def is_about(problem: Problem, config: object, subflows: Mapping[str, Flow]) -> bool:
    """Whether a problem of a flow is about one of its subflows that stands for another: it names
    the subflow, or the key of the config whose value is its name."""
    last = problem.where[-1] if problem.where else ""
    names = (last, getattr(config, str(last), None))
    return any(isinstance(subflows.get(str(each)), UnbuiltFlow) for each in names)
