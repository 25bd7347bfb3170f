"""One line of a composite's topology: which subflow, and how keys go in and come out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from flows.core import keys
from flows.core.flow import Flow, FlowConfig, Parts, Problem
from flows.core.interface import InterfaceConfig, KeyInterface
from flows.core.ports import PortsSpec, check_ports
from flows.core.run import Run
from flows.core.transformations import ANY, InterfaceContext, can_hold
from flows.core.values import Values
from flows.errors import InterfaceError, LimitReached, nearest


class TopologyItem(BaseModel):
    """A step of a topology. Without interfaces the step gets the ports that its flow declares."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    goal: str = Field(description="what this step is for, in a sentence")
    flow: str = Field(description="a key of subflows_config")
    input_interface: InterfaceConfig | None = None
    output_interface: InterfaceConfig | None = None
    reset: bool = Field(default=False, description="forget the flow's state after the step")


class CompositeConfig(FlowConfig):
    """The keys of a composite: its subflows and its ports."""

    subflows_config: dict[str, Any] = Field(default={}, description="the flows below, by name")
    input_interface: Annotated[PortsSpec, AfterValidator(check_ports)] = Field(
        default=(), description="the inputs: names, or names with types"
    )
    output_interface: tuple[str, ...] | None = Field(
        default=None, description="the keys of the state that are returned; all without it"
    )


class Step:
    """A topology item that is ready to run."""

    __slots__ = ("flow", "goal", "index", "plain", "ports", "reset", "sink", "source")

    def __init__(self, index: int, item: TopologyItem, flow: Flow, parts: Parts) -> None:
        self.index = index
        self.goal = item.goal
        self.flow = flow
        self.ports = flow.port_names
        self.source: KeyInterface | None = parts.interfaces.get((index, "input_interface"))
        self.sink: KeyInterface | None = parts.interfaces.get((index, "output_interface"))
        self.plain = self.source is None and self.sink is None
        self.reset = item.reset

    def payload(self, state: Mapping[str, Any], run: Run) -> Mapping[str, Any]:
        """The state, or what the interface makes of it; the flow picks its ports from it."""
        if self.source is None:
            return state
        return self._through(self.source, "input_interface", state, run)

    def merge(self, state: Values, outputs: Values, run: Run) -> None:
        if self.sink is not None:
            outputs = self._through(self.sink, "output_interface", outputs, run)
        state.update(outputs)

    def merge_partial(self, state: Values, limit: LimitReached, run: Run) -> None:
        """What a flow had come to when a limit ended it; not what its interface cannot take."""
        if limit.outputs:
            with suppress(InterfaceError):
                self.merge(state, limit.outputs, run)

    def _through(
        self, interface: KeyInterface, side: str, data: Mapping[str, Any], run: Run
    ) -> Values:
        context = InterfaceContext(self.goal, self.ports, run.notice, run.transcript)
        try:
            return interface(data, context)
        except InterfaceError as error:
            raise InterfaceError(
                f"topology step {self.index + 1} ({self.flow.name}), {side}: {error}"
            ) from error

    async def take(self, state: Values, run: Run) -> None:
        """Do the step: state in, call, outputs into the state."""
        outputs = await run.call(self.flow, self.payload(state, run), self.goal, pick=True)
        self.merge(state, outputs, run)

    def names_in(self, available: frozenset[str]) -> frozenset[str]:
        return self.source.names(available) if self.source else available

    def names_out(self) -> frozenset[str]:
        names = self.flow.output_names()
        return self.sink.names(names) if self.sink else names


def make_steps(
    items: Sequence[TopologyItem], subflows: Mapping[str, Flow], parts: Parts
) -> tuple[Step, ...]:
    return tuple(Step(index, item, subflows[item.flow], parts) for index, item in enumerate(items))


async def take_all(steps: Sequence[Step], state: Values, exit_key: str | None, run: Run) -> bool:
    """Take the steps in order. True when the key `exit_key` of the state said stop.

    A true value under that key ends the flow; a text ends it unfinished, and is the reason.
    """
    call = run.call
    for step in steps:
        try:
            if step.plain:
                state.update(await call(step.flow, state, step.goal, pick=True))
            else:
                await step.take(state, run)
        except LimitReached as limit:
            step.merge_partial(state, limit, run)
            raise
        if exit_key is not None and (stop := state.get(exit_key)):
            if isinstance(stop, str):
                run.stop_unfinished(stop)
            return True
        if step.reset:
            run.reset(step.flow)
    return False


def collect(state: Mapping[str, Any], outputs: Sequence[str] | None) -> Values:
    """The declared outputs that the state has, under their own names; never a KeyError."""
    if outputs is None:
        return dict(state)
    found: Values = {}
    for path in outputs:
        value = keys.get(state, path)
        if value is not keys.MISSING:
            found[path] = value
    return found


def outputs_of(
    steps: Sequence[Step], inputs: Sequence[str], outputs: Sequence[str] | None
) -> frozenset[str]:
    """The names a composite returns: those it declares, else all that its state can hold."""
    if outputs is not None:
        return frozenset(outputs)
    return frozenset(inputs).union(*(step.names_out() for step in steps))


def unknown_flows(items: Sequence[TopologyItem], subflows: Mapping[str, Flow]) -> list[Problem]:
    """The topology items that name no subflow, and a topology without items."""
    names = tuple(subflows)
    problems = [
        Problem(
            f"there is no subflow {item.flow!r}",
            ("topology", index, "flow"),
            names,
            nearest(item.flow, names),
        )
        for index, item in enumerate(items)
        if item.flow not in subflows
    ]
    if not items:
        problems.append(Problem("the topology has no steps", ("topology",)))
    return problems


def step_problems(step: Step, available: frozenset[str]) -> list[Problem]:
    """The inputs of a step that no key before it can fill, and interfaces that cannot apply."""
    at = ("topology", step.index)
    try:
        given = step.names_in(available)
    except InterfaceError as error:
        return [Problem(str(error), (*at, "input_interface"), tuple(sorted(available)))]
    if ANY in given:
        return []
    return [
        Problem(
            f"{step.flow.name} needs the input {port!r}, and nothing before this step gives it",
            (*at, "input_interface") if step.source else at,
            tuple(sorted(given)),
            nearest(port, given),
        )
        for port, needed in step.flow.input_ports.items()
        if needed and port not in given
    ]


def output_problems(outputs: Sequence[str] | None, available: frozenset[str]) -> list[Problem]:
    """The declared outputs that no step gives."""
    if outputs is None or ANY in available:
        return []
    return [
        Problem(
            f"no step gives the output {path!r}",
            ("output_interface", index),
            tuple(sorted(available)),
            nearest(path, available),
        )
        for index, path in enumerate(outputs)
        if not can_hold(available, path)
    ]


def walk_keys(
    steps: Sequence[Step], inputs: Sequence[str], outputs: Sequence[str] | None
) -> list[Problem]:
    """Follow the keys through steps in order. The first round is the strictest: keys only grow."""
    available = frozenset(inputs)
    problems: list[Problem] = []
    for step in steps:
        problems += step_problems(step, available)
        try:
            available |= step.names_out()
        except InterfaceError as error:
            problems.append(Problem(str(error), ("topology", step.index, "output_interface")))
    return problems + output_problems(outputs, available)
