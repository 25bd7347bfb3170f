"""One line of a composite's topology: which subflow, and how keys go in and come out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from flows.core import keys
from flows.core.dataflow.facts import UNKNOWN, KeyFact, KnownKeys, Place, join
from flows.core.dataflow.kinds import misfit
from flows.core.flow import CompositeFlow, Flow, FlowConfig, Parts, Problem
from flows.core.interface import InterfaceConfig, KeyInterface
from flows.core.ports import PortsSpec, check_ports
from flows.core.run import Run
from flows.core.trace import GraphSpot, Trace, either, follow_call, in_words
from flows.core.transformations import InterfaceContext
from flows.core.values import Values
from flows.errors import InterfaceError, LimitReached, nearest

SINK: Final = "output_interface"
MEND: Final = "have it written on that way too, or name it among the composite's inputs"


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
        return self._through(self.source, "input_interface", state, run, state)

    def merge(self, state: Values, outputs: Values, run: Run) -> None:
        if self.sink is not None:
            outputs = self._through(self.sink, "output_interface", outputs, run, state)
        state.update(outputs)

    def merge_partial(self, state: Values, limit: LimitReached, run: Run) -> None:
        """What a flow had come to when a limit ended it; not what its interface cannot take."""
        if limit.outputs:
            with suppress(InterfaceError):
                self.merge(state, limit.outputs, run)

    def _through(
        self,
        interface: KeyInterface,
        side: str,
        data: Mapping[str, Any],
        run: Run,
        state: Mapping[str, Any],
    ) -> Values:
        context = InterfaceContext(self.goal, self.ports, run.notice, run.transcript, state)
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

    def follow(
        self, known: KnownKeys, flow: Place, trace: Trace, others: Sequence[Step] = ()
    ) -> tuple[KnownKeys, list[KnownKeys]]:
        """What is known of the state that the step is given, and of what it writes to it, on each
        way on which its flow can end. `flow` is the place of the composite, `others` are its
        steps."""
        at: Place = ("topology", self.index)
        spot = GraphSpot(trace, flow, at, "nothing before this step gives it", self.ports)
        given = known
        if self.source is not None:
            spot = spot.at("input_interface")
            given = self.source.follow(known, spot)
        known = self._check_ports(given, known, spot, others)
        ways = []
        for returned in follow_call(self.flow, given, trace):
            if self.sink is not None:
                lost = f"{self.flow.name} does not give it"
                returned = self.sink.follow(returned, GraphSpot(trace, flow, (*at, SINK), lost))
            ways.append(returned)
        return known, ways

    def _check_ports(
        self, given: KnownKeys, known: KnownKeys, spot: GraphSpot, others: Sequence[Step]
    ) -> KnownKeys:
        """Whether what goes in fills the ports of the step's flow. The keys, in which one that was
        told of is not told of again."""
        trace, flow = spot.trace, self.flow
        if flow.inputs_type.model_config.get("extra") == "allow":
            trace.use_all(given)
        for port, needed in flow.input_ports.items():
            fact = given.facts.get(port)
            trace.use(fact)
            if needed and (fact.lacks if fact else not given.open):
                self._tell_missing(port, given, spot, others)
            elif fact is None or (said := misfit(flow.pick, port, fact)) is None:
                continue
            else:
                text = f"{flow.name} cannot take {in_words(fact)} as its input {port!r}: {said}"
                origin = min(fact.origins, default=None)
                spot.trace.fault(spot.flow, Problem(text, spot.where, origin=origin), port)
            if not trace.quiet and (self.source is None or port not in known.facts):
                known = known.put(port, UNKNOWN)
        return known

    def _tell_missing(
        self, port: str, given: KnownKeys, spot: GraphSpot, others: Sequence[Step]
    ) -> None:
        """A port that is not filled, and what can be done about it."""
        trace, needs = spot.trace, f"{self.flow.name} needs the input {port!r}"
        fact, gone = given.facts.get(port), given.gone.get(port)
        allowed = tuple(name for name, each in sorted(given.facts.items()) if not each.lacks)
        if gone is not None:
            text = f"{needs}, and nothing gives the key {gone.source!r} that it is made of"
            trace.read.add(gone.place)
            meant = nearest(gone.source, gone.allowed)
            trace.fault((), Problem(text, gone.place, gone.allowed, meant))
            return
        if fact is not None:
            text = f"{needs}, and nothing gives it {either(fact.lacks)}; {MEND}"
        else:
            text = f"{needs}, and nothing before this step gives it"
            giver = next((each for each in others if port in each.names_out()), self)
            if giver is not self:
                text += f"; {giver.flow.name} gives it, but does not come before"
        trace.fault(spot.flow, Problem(text, spot.where, allowed, nearest(port, allowed)), port)

    def names_out(self) -> frozenset[str]:
        """The keys that the step gives, by name."""
        known = KnownKeys.named(self.flow.output_names())
        return (
            self.sink.follow(known, GraphSpot(Trace(), (), (), "")) if self.sink else known
        ).names


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


def follow_steps(
    steps: Sequence[Step], known: KnownKeys, exit_key: str | None, flow: Place, trace: Trace
) -> tuple[KnownKeys | None, list[tuple[str, KnownKeys]]]:
    """What is known after steps that are taken in order, None where they never come to their end;
    and for each early end when it is, in words, and what is known then."""
    ends: list[tuple[str, KnownKeys]] = []
    for step in steps:
        going = []
        known, ways = step.follow(known, flow, trace, steps)
        for way in map(known.updated, ways):
            if exit_key is not None:
                trace.use(way.facts.get(exit_key))
            ended, on = split(way, exit_key)
            if ended is not None:
                ends.append((f"when {step.flow.name} ends it early", ended))
            if on is not None:
                going.append(("", on))
        if not going:
            _tell_unreachable(steps, step, exit_key, flow, trace)
            return None, ends
        known = join(going)
    return known, ends


def _tell_unreachable(
    steps: Sequence[Step], last: Step, exit_key: str | None, flow: Place, trace: Trace
) -> None:
    """The steps after one that always ends the flow."""
    for step in steps[last.index + 1 :][:1]:
        text = (
            f"{step.flow.name} is never taken: {last.flow.name} before it always ends the flow, as "
            f"it sets {exit_key!r} to a true value"
        )
        trace.fault(flow, Problem(text, ("topology", step.index)))


def tell_no_exit(
    key: str, steps: Sequence[Step], last: KnownKeys, flow: Place, trace: Trace
) -> None:
    """An early exit key that was asked for, and that ends nothing."""
    known = tuple(sorted(last.facts))
    lost = [each.flow.name for each in steps if key in each.flow.output_names()]
    if key in known:
        text = f"the key {key!r} is never a true value, so it can never end the flow"
    else:
        text = f"no step gives the key {key!r}, so it can never end the flow"
    if lost and key not in known:
        text += f"; {lost[0]} does, and its output_interface takes it away"
    trace.fault(flow, Problem(text, ("early_exit_key",), known, nearest(key, known)))


def split(known: KnownKeys, exit_key: str | None) -> tuple[KnownKeys | None, KnownKeys | None]:
    """What is known where the exit key is a true value, and where it is not; None where it cannot
    be so."""
    fact = known.facts.get(exit_key) if exit_key is not None else None
    if exit_key is None or (fact is None and not known.open):
        return None, known
    if fact is None:
        return known.put(exit_key, KeyFact(truth=True)), known
    ended = replace(fact, truth=True, lacks=()) if fact.may_be(True) else None
    on = replace(fact, truth=False) if fact.lacks or fact.may_be(False) else None
    return (
        None if ended is None else known.put(exit_key, ended),
        None if on is None else known.put(exit_key, on),
    )


def known_outputs(
    ways: Sequence[tuple[str, KnownKeys]],
    outputs: Sequence[str] | None,
    exit_key: str | None,
    flow: Place,
    trace: Trace,
) -> tuple[KnownKeys, ...]:
    """What a composite returns, of its state on each way on which it can end. Those on which it was
    ended early, and those on which it was not, are kept apart as long as that can be seen."""
    if outputs is not None:
        _check_outputs(join(ways), outputs, flow, trace)
    early: list[tuple[str, KnownKeys]] = []
    late: list[tuple[str, KnownKeys]] = []
    for way, known in ways:
        found = known if outputs is None else _collected(known, outputs)
        trace.use_all(found)
        fact = found.facts.get(exit_key) if exit_key is not None else None
        (early if fact is not None and fact.truth else late).append((way, found))
    return tuple(join(each) for each in (late, early) if each)


def _collected(known: KnownKeys, outputs: Sequence[str]) -> KnownKeys:
    found = {path: known.look(path) for path in outputs}
    return KnownKeys({path: fact for path, fact in found.items() if fact is not None})


def _check_outputs(known: KnownKeys, outputs: Sequence[str], flow: Place, trace: Trace) -> None:
    """The declared outputs that no step gives."""
    for index, path in enumerate(outputs):
        if known.look(path) is None:
            allowed = tuple(sorted(known.facts))
            text = f"no step gives the output {path!r}"
            where = ("output_interface", index)
            # Below a key that is there it is left out of what is returned, as values can be.
            below = any(path.startswith(f"{key}.") for key in allowed)
            problem = Problem(text, where, allowed, nearest(path, allowed), warning=below)
            trace.fault(flow, problem, path)


def names_of(ways: Sequence[KnownKeys]) -> frozenset[str]:
    """The names of the keys that can come out, on one way or another."""
    return frozenset().union(*(way.names for way in ways))


def follow_others(flow: CompositeFlow, steps: Sequence[Step], trace: Trace) -> None:
    """Follow what goes on in subflows that are no step."""
    taken = {step.flow.name for step in steps}
    trace.follow_each([each for name, each in flow.children().items() if name not in taken])
