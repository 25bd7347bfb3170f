"""Whether changed flows fit what a run has recorded, so that it can go on by them."""

from __future__ import annotations

from asyncio import Future
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from flows.build.plan import RunPlan
from flows.build.restoration import flows_by_path
from flows.core.editions import Edition, kind_name
from flows.core.history import read_history
from flows.core.journal import Journal
from flows.core.rows import Kind, Row
from flows.core.run import begin
from flows.core.session import Session
from flows.errors import FlowsError, JournalError, Waiting


async def check_fit(
    plan: RunPlan, before: RunPlan, rows: Sequence[Row], asked: Sequence[str], folder: Path
) -> tuple[str, ...]:
    """Tell the run again by the plan that is to take the place of the one `before`, while the steps
    `asked` stand at a question. Nothing live is reached. Gives the flows whose kept state will not
    be taken over, as another flow is in their place, or none.

    Errors: `JournalError` that says which recorded step does not fit.
    """
    begun = any(row.kind == "outcome" for row in rows)
    if begun and dict(plan.inputs) != dict(before.inputs):
        raise JournalError(
            "the run's inputs cannot be changed once it has done something, so nothing is changed; "
            "flows fork begins a run with others"
        )
    edition = Edition(flows_by_path(before), rows[-1].seq + 1, tuple(asked))
    session, problem = await _retell(plan, (*before.past, edition), rows, folder)
    journal = cast("_Recorded", session.journal)
    left = [row for row in journal.steps.values() if row.kind != "intent"]
    if not problem and left:
        first = min(left, key=lambda row: row.seq).address
        problem = f"{first} is done already, and would not be done any more"
    if not problem and asked and not journal.comes_to(asked):
        # Steps beside the question may be under way: the retelling may have ended at one of them.
        was, _ = await _retell(before, before.past, rows, folder)
        if cast("_Recorded", was.journal).comes_to(asked):
            problem = f"{asked[0]} would not ask any more what it asks now"
    if problem:
        raise JournalError(
            f"this does not fit what the run has done, so nothing is changed: {problem}"
        )
    return _lost_states(session, plan)


async def _retell(
    plan: RunPlan, editions: Sequence[Edition], rows: Sequence[Row], folder: Path
) -> tuple[Session, str]:
    """The session in which a plan told the rows again, and what went wrong, or nothing."""
    session = Session(
        folder.name,
        folder,
        journal=_Recorded(rows),
        limits=plan.limits,
        prices=plan.prices,
        editions=editions,
    )
    try:
        await begin(session, plan.flow, plan.inputs)
    except Waiting:
        pass  # It stands at the question again, as it should.
    except FlowsError as error:
        return session, str(error)
    finally:
        await session.give_up()
    return session, ""


def _lost_states(session: Session, plan: RunPlan) -> tuple[str, ...]:
    """The flows, by their dotted paths, that have kept a state which no flow of the plan goes on
    with: one of another kind stands in their place or above it, or none."""
    assert session.editions is not None
    now, called = flows_by_path(plan), session.editions.kinds
    lost = dict.fromkeys(
        above for path in session.states for above in _first_other(path, now, called)
    )
    return tuple(path.replace("/", ".") or plan.flow.name for path in lost)


def _first_other(path: str, now: Mapping[str, Any], called: Mapping[str, str]) -> Iterator[str]:
    """Of a path and those above it the topmost whose flow is not of the kind that was called."""
    parts = path.split("/") if path else []
    for count in range(len(parts) + 1):
        above = "/".join(parts[:count])
        flow = now.get(above)
        if flow is None or called.get(above) not in (None, kind_name(flow)):
            yield above
            return


class _Recorded(Journal):
    """The rows of a run to be taken, and no file. At the first step without one the run waits."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = list(rows)
        self.history = read_history(rows)
        self.steps = self.history.steps
        self.reached: set[str] = set()  # the steps that are not recorded as done

    def comes_to(self, asked: Sequence[str]) -> bool:
        """Whether one of the steps that ask, or one below it, was reached."""
        return any(
            each == address or each.startswith(f"{address}/")
            for each in self.reached
            for address in asked
        )

    def take(self, address: str, digest: str, flow: Any, states: Mapping[str, Any]) -> Row | None:
        del flow, states
        row = self.steps.get(address)
        if row is not None and row.digest != digest:
            raise JournalError(f"{address} was done with other inputs than it would be given")
        if row is None or row.kind == "intent":
            self.reached.add(address)
            raise Waiting(address)
        return self.steps.pop(address)

    def append(
        self, kind: Kind, address: str, digest: str, body: str, *, durable: bool = True
    ) -> Future[None] | None:
        del kind, address, digest, body, durable
        raise Waiting("")

    def pending(self) -> Future[None] | None:
        return None
