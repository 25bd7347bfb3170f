"""A recorded run retold without doing anything: each step with what it was given and what it gave.

The journal holds digests of inputs and no inputs: the flows, taken through the recorded outcomes,
make them again. Where the record ends the retelling does.
"""

from __future__ import annotations

from asyncio import Future
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, runtime_checkable

from pydantic_core import to_jsonable_python

from flows.build.plan import RunPlan
from flows.build.restoration import changes_of, flows_by_path
from flows.core.artifacts import Artifacts
from flows.core.editions import Editions
from flows.core.events import Event, StepErred, StepFinished, StepStarted
from flows.core.flow import AtomicFlow, Flow
from flows.core.history import is_open, read_history
from flows.core.journal import Journal
from flows.core.rows import Kind, Row
from flows.core.run import begin
from flows.core.session import Session
from flows.core.step import NotRecorded
from flows.errors import JournalError, LimitReached, StepFailed, Waiting
from flows.records.lookup import RunPlace
from flows.records.session_changes import SessionChange, stack_of
from flows.records.steps import flow_path
from flows.runners.replay import recorded_signal

_END: Final = "the record ends here"


@runtime_checkable
class PromptedFlow(Protocol):
    """A flow whose prompts can be those of a recorded run."""

    def use_prompts(self, texts: Mapping[str, str]) -> None: ...


@dataclass(slots=True)
class RetracedStep:
    """A step as it was retold. `began` and `ended` count all beginnings and ends, from 1.

    `inputs` and `outputs` are plain data. `given` are the inputs as the flow has them and `state`
    its folded state before the call, of atomic flows. `row` is its outcome or its failure.
    """

    address: str
    flow: Flow
    began: int
    inputs: Mapping[str, Any]
    given: Any = None
    state: Any = None
    ended: int | None = None
    outputs: Mapping[str, Any] | None = None
    failure: str = ""
    row: Row | None = None

    @property
    def is_inner(self) -> bool:
        """Whether it is a call of a model by a class, whose flow is that of the class."""
        return flow_path(self.address) != self.flow.path

    @property
    def above(self) -> str | None:
        """The address of the composite that called it; None for the top flow."""
        return None if not self.address else self.address.rpartition("/")[0]


@dataclass(slots=True)
class Retold:
    """A run as far as it is recorded. `steps` go by their addresses, in the order they began;
    `artifacts` are the files that they left."""

    place: RunPlace
    plan: RunPlan
    rows: Sequence[Row]
    steps: dict[str, RetracedStep] = field(default_factory=dict)
    artifacts: Artifacts | None = None
    editions: Editions | None = None

    def spec_at(self, address: str) -> Mapping[str, Any]:
        """The config that a step was done by: that of now, or from before a change."""
        edition = self.editions.edition_of(address) if self.editions is not None else None
        found: Mapping[str, Any] = self.plan.spec if edition is None else edition.record["spec"]
        return found

    def changes_before(self, step: RetracedStep) -> list[SessionChange]:
        """The changes of the session that held when a step was done."""
        seq = step.row.seq if step.row is not None else 0
        return stack_of([row for row in self.rows if row.seq < seq])

    def below(self, address: str) -> list[RetracedStep]:
        """The steps that a composite called, in order."""
        return [step for step in self.steps.values() if step.above == address]

    def rows_at(self, address: str, kind: Kind) -> list[Row]:
        """The rows of a step of that kind, oldest first."""
        return [row for row in self.rows if row.kind == kind and row.address == address]


async def retrace(
    place: RunPlace, plan: RunPlan, rows: Sequence[Row], start: Row | None = None
) -> Retold:
    """Retell a run with the flows of the plan. Nothing is asked, written or read but the record.

    The flows get the prompts that they had at the start of the run, or when it was gone on with at
    the row `start`. Errors: `JournalError` when flows that changed since were given other inputs.
    """
    told = Retold(place, plan, rows)
    _use_recorded_prompts(plan, rows, start)
    retelling = _Retelling(told)
    told.artifacts = retelling.session.artifacts
    told.editions = retelling.session.editions
    with suppress(LimitReached, Waiting, StepFailed):
        await begin(retelling.session, plan.flow, plan.inputs)
    for step in told.steps.values():
        _settle(step, told)
    return told


def _use_recorded_prompts(plan: RunPlan, rows: Sequence[Row], start: Row | None) -> None:
    """Give all flows, also those from before a change of the session, the prompts of their time."""
    changed = changes_of(rows)
    own = [rows[0], *changed]
    if start is not None:
        own[sum(each.seq <= start.seq for each in changed)] = start
    graphs = [*(each.flows for each in plan.past), flows_by_path(plan)]
    for record, graph in zip(own, graphs, strict=True):
        for path, flow in graph.items():
            if isinstance(flow, PromptedFlow):
                flow.use_prompts(prompts_at(record, path))


def prompts_at(start: Row, path: str) -> dict[str, str]:
    """The texts of a flow's prompts by the names of their files; none in an old journal."""
    body = start.data()
    names = body.get("flows", {}).get(path, {}).get("prompts", {})
    return {name: body["prompts"][digest] for name, digest in names.items()}


def _settle(step: RetracedStep, told: Retold) -> None:
    """What the rows say of a step: also of a failure that a resumed run would try again."""
    ends = [row for kind in ("outcome", "failure") for row in told.rows_at(step.address, kind)]
    closed = [row for row in sorted(ends, key=lambda row: row.seq) if not is_open(row)]
    if closed:
        step.row = closed[-1]
        if step.row.kind == "failure" and not step.failure:
            step.failure = str(step.row.data()["message"])


class _Retelling:
    """The session in which a run is retold, and what is noted of it."""

    def __init__(self, told: Retold) -> None:
        self.told = told
        self.flows = flows_by_path(told.plan)
        self.count = 0
        self.session = Session(
            told.place.run_id,
            told.place.folder,
            journal=_Record(told.rows, self),
            limits=told.plan.limits,
            prices=told.plan.prices,
            listeners=(self.listen,),
            editions=told.plan.past,
        )
        self.session.tells_private = True

    def listen(self, event: Event) -> None:
        if isinstance(event, StepStarted):
            self.count += 1
            flow = self._flow_at(event.address)
            inputs = _plain(flow.told(event.inputs))
            step = RetracedStep(event.address, flow, self.count, inputs, event.inputs)
            self.told.steps[event.address] = step
        elif isinstance(event, StepFinished | StepErred):
            self.count += 1
            step = self.told.steps[event.address]
            step.ended = self.count
            if isinstance(event, StepFinished):
                step.outputs = _plain(step.flow.told(event.outputs))
            else:
                step.failure = event.message

    def _flow_at(self, address: str) -> Flow:
        editions, path = self.session.editions, flow_path(address)
        edition = editions.edition_of(address) if editions is not None else None
        flows = self.flows if edition is None else edition.flows
        while path not in flows:  # a step that another step makes for itself
            path = path.rpartition("/")[0]
        return flows[path]

    def reach(self, address: str, states: Mapping[str, Any]) -> None:
        """A step is about to be taken from the record: its state is what it was."""
        step = self.told.steps[address]
        if step.flow.path in states:
            step.state = states[step.flow.path]
        elif isinstance(step.flow, AtomicFlow):
            step.state = step.flow.initial_state()
        if step.flow.path == flow_path(address):
            step.given = step.flow.read_inputs(dict(step.given))


class _Record(Journal):
    """The rows of a run to reuse, and no file: at the first step without one it stops."""

    def __init__(self, rows: Sequence[Row], retelling: _Retelling) -> None:
        self.rows = list(rows)
        self.history = read_history(rows)
        self.steps = self.history.steps
        self._retelling = retelling

    def take(self, address: str, digest: str, flow: Any, states: Mapping[str, Any]) -> Row | None:
        del flow
        self._retelling.reach(address, states)
        row = self.steps.pop(address, None)
        if row is not None and row.digest != digest:
            raise JournalError(
                f"the run cannot be retold by the flows as they are now: {address} gets other "
                "inputs than were recorded"
            )
        if row is not None and row.kind != "intent":
            return row
        session = self._retelling.session
        if session.frozen and address.startswith(session.frozen):
            raise NotRecorded
        ended = [each for each in self.rows if each.address == address and is_open(each)]
        raise recorded_signal(ended[-1].data()) if ended else Waiting(_END)

    def append(
        self, kind: Kind, address: str, digest: str, body: str, *, durable: bool = True
    ) -> Future[None] | None:
        del kind, address, digest, body, durable
        raise Waiting(_END)


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    plain: dict[str, Any] = to_jsonable_python(dict(values), fallback=str)
    return plain
