"""What stands in a graph for a part that could not be built, so that the rest is checked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from flows.build.own_code import OpenPorts, OutlineFlow
from flows.build.stand_ins import NoData, NoFunctions, NoSandbox, StandIn
from flows.core.dataflow.facts import ANY, KnownKeys
from flows.core.dataflow.kinds import port_facts
from flows.core.flow import (
    AtomicConfig,
    AtomicFlow,
    CompositeFlow,
    Flow,
    FlowConfig,
    Parts,
    Ports,
    Problem,
    walk,
)
from flows.core.interface import InterfaceConfig, KeyInterface
from flows.core.signature import FlowType, Variant
from flows.core.trace import Trace
from flows.core.transformations import InterfaceContext
from flows.core.values import Values
from flows.data.catalog import Catalog
from flows.errors import InterfaceError

_REACHED: Final = ("model", "memory", "human", "documents", "entities", "vectors", "embedder")


class UnbuiltFlow(CompositeFlow):
    """A flow that could not be built. Its inputs and outputs are those that its class declares;
    where its config decides them, or its class is not known, nothing is known of them. The flows
    below it are there, and are checked each by itself."""

    def __init__(
        self,
        name: str,
        subflows: Mapping[str, Flow] | None = None,
        kind: FlowType | None = None,
    ) -> None:
        super().__init__(FlowConfig(name=name), Parts(name, subflows or {}))
        inputs: type[Ports] = OpenPorts
        self.outputs = KnownKeys(open=True)
        if isinstance(kind, Variant) and kind.base is OutlineFlow:
            outlined = kind.make(AtomicConfig(name=name), Parts(name))
            inputs, self.outputs = outlined.inputs_type, outlined.known_outputs()
        elif isinstance(kind, type) and declares_ports(kind):
            inputs, self.outputs = kind.Inputs, KnownKeys(port_facts(kind.Outputs))
        self.set_inputs(inputs)

    def output_names(self) -> frozenset[str]:
        return frozenset(self.outputs.facts) | (frozenset({ANY}) if self.outputs.open else set())

    def known_outputs(self) -> KnownKeys:
        return self.outputs

    def can_finalize(self) -> bool:
        return True

    def follow(self, given: KnownKeys, trace: Trace) -> tuple[KnownKeys, ...]:
        trace.use_all(given)
        trace.follow_each(self.subflows.values())
        return (self.outputs,)


def declares_ports(kind: type[Flow]) -> bool:
    """Whether a class says by itself what its flows take and return, whatever their config is: no
    method of its own sets the inputs, names the outputs or follows the keys."""
    if not issubclass(kind, AtomicFlow):
        return False
    own = [each for each in kind.__mro__ if each not in AtomicFlow.__mro__]
    methods = {name: each for owner in own for name, each in vars(owner).items()}
    said = {"output_names", "known_inputs", "known_outputs", "follow", "set_inputs", "outputs_type"}
    codes = (getattr(each, "__code__", None) for each in methods.values())
    called = {name for each in codes if each is not None for name in each.co_names}
    return not (said & set(methods) or {"set_inputs", "outputs_type"} & called)


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
