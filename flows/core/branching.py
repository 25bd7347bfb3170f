"""One of several flows, chosen by name when it is called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from pydantic import ConfigDict, Field

from flows.core.dataflow.facts import UNKNOWN, KeyFact, Kind, KnownKeys, Place, join
from flows.core.dataflow.kinds import misfit
from flows.core.flow import CompositeFlow, Flow, FlowConfig, Ports, Problem
from flows.core.run import Run
from flows.core.trace import Trace, config_place, follow_call, in_words, ways_of
from flows.errors import LimitReached, PortError, nearest

DATA: Final = "branch_input_data"
OUTPUTS: Final = "branch_output_data"


class BranchingConfig(FlowConfig):
    """The keys of a branching flow."""

    subflows_config: dict[str, Any] = Field(default={}, description="the branches, by name")


class BranchingInputs(Ports):
    """Which branch, and what it gets."""

    branch: str
    branch_input_data: dict[str, Any] = Field(default={})


class BranchingOutputs(Ports):
    """What the branch returned."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    branch_output_data: dict[str, Any]


def find_branch(flow: CompositeFlow, name: str) -> Flow:
    """The subflow of that name. Errors: `PortError` with the branches and the nearest one."""
    found = flow.subflows.get(name)
    if found is None:
        meant = nearest(name, flow.subflows)
        hint = f", did you mean {meant!r}?" if meant else ""
        raise PortError(
            f"{flow.name} has no branch {name!r}{hint} (branches: {', '.join(flow.subflows)})"
        )
    return found


def follow_branches(
    flow: CompositeFlow, given: KnownKeys, trace: Trace, *, picks: bool = False
) -> tuple[KnownKeys, ...]:
    """What a call returns that goes on with one of the flow's subflows: which, and with what, as
    far as that is known. One that `picks` what a branch takes may be given more. What is wrong is
    told to the `trace`."""
    trace.use_all(given)
    data, chosen = given.facts.get(DATA, UNKNOWN), _chosen(flow, given, trace)
    fields = [each.fields for each in data.kinds]
    subflows = flow.subflows
    trace.follow_each([each for name, each in subflows.items() if name not in chosen])
    ways = []
    for name in chosen:
        child = subflows[name]
        known = fields[0] if len(fields) == 1 else None
        if known is not None:
            _check_ports(flow, name, known, data.origins, trace)
            if not picks:
                _check_others(flow, name, known, data.origins, trace)
        ends = follow_call(child, child.known_inputs() if known is None else known, trace)
        ways.append((f"when the branch is {name!r}", join(ways_of(child, ends))))
    made = (Kind("dict", {}, known=join(ways) if ways else KnownKeys(open=True)),)
    return (KnownKeys({OUTPUTS: KeyFact(made)}),)


def _chosen(flow: CompositeFlow, given: KnownKeys, trace: Trace) -> list[str]:
    """The branches that can be taken. A name that is known and that no branch has is told."""
    fact = given.facts.get("branch", UNKNOWN)
    if not fact.kinds or not all(each.exact for each in fact.kinds):
        return list(flow.subflows)
    names = [each.sample for each in fact.kinds]
    for name in names:
        if name not in flow.subflows:
            text = f"{flow.name} has no branch {name!r}"
            allowed = tuple(flow.subflows)
            place, where = _at(flow, fact.origins)
            trace.fault(place, Problem(text, where, allowed, nearest(str(name), allowed)))
    return [name for name in names if name in flow.subflows]


def _check_ports(
    flow: CompositeFlow, name: str, known: KnownKeys, origins: frozenset[Place], trace: Trace
) -> None:
    """Whether the data that are known fill the ports of a branch."""
    child = flow.subflows[name]
    place, where = _at(flow, origins)
    allowed = tuple(sorted(known.facts))
    for port, needed in child.input_ports.items():
        fact = known.facts.get(port)
        if fact is None and needed and not known.open:
            text = f"the branch {name!r} needs the input {port!r}, and {DATA} has it not"
            trace.fault(place, Problem(text, where, allowed, nearest(port, allowed)))
        elif fact is not None and (said := misfit(child.pick, port, fact)) is not None:
            text = f"the branch {name!r} cannot take {in_words(fact)} as its input {port!r}"
            trace.fault(place, Problem(f"{text}: {said}", where))


def _check_others(
    flow: CompositeFlow, name: str, known: KnownKeys, origins: frozenset[Place], trace: Trace
) -> None:
    """Whether the data hold what no port of the branch takes, where they hold all that it needs."""
    child = flow.subflows[name]
    place, where = _at(flow, origins)
    lacks = any(needed and port not in known.facts for port, needed in child.input_ports.items())
    for key in known.facts if not (lacks or child.known_inputs().open) else ():
        if key not in child.input_ports:
            text = f"the branch {name!r} has no input {key!r}, which {DATA} has"
            allowed = child.port_names
            trace.fault(place, Problem(text, where, allowed, nearest(key, allowed)), key)


def _at(flow: Flow, origins: frozenset[Place]) -> tuple[Place, Place]:
    """Where what a branching flow is given is wrong: where it is written, else the flow."""
    return ((), min(origins)) if origins else (config_place(flow), ())


class BranchingFlow(CompositeFlow):
    """Calls the subflow named `branch` with `branch_input_data` as its inputs."""

    branches: ClassVar[bool] = True
    Config: ClassVar[type[FlowConfig]] = BranchingConfig
    Inputs: ClassVar[type[Ports]] = BranchingInputs
    Outputs: ClassVar[type[Ports]] = BranchingOutputs

    def follow(self, given: KnownKeys, trace: Trace) -> tuple[KnownKeys, ...]:
        return follow_branches(self, given, trace)

    async def run(self, inputs: Any, run: Run) -> Mapping[str, Any]:
        try:
            outputs = await run.call(find_branch(self, inputs.branch), inputs.branch_input_data)
        except LimitReached as limit:
            limit.outputs = {"branch_output_data": limit.outputs}
            raise
        return {"branch_output_data": outputs}
