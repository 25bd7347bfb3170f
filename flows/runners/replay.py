"""Running a recorded run again from its journal alone: no live call, and the same to the end."""

from __future__ import annotations

import asyncio
import json
import re
from asyncio import Future
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from pydantic_core import to_json

from flows.build.plan import RunPlan
from flows.build.restoration import recorded_plan
from flows.core.events import Listener
from flows.core.flow import walk
from flows.core.history import is_open, read_history, without_inner
from flows.core.human import Question
from flows.core.journal import Journal
from flows.core.loop import asynchronous, synchronous
from flows.core.result import RunResult
from flows.core.rows import Kind, Row
from flows.core.session import Session
from flows.errors import JournalError, LimitReached, ReplayDiffers, Waiting
from flows.records.differences import differences
from flows.records.lookup import RunPlace, find_run
from flows.records.steps import flow_path
from flows.runners.changes import Changes, change_text
from flows.runners.local import run_session

PATIENCE: Final = 500
_LIMIT = re.compile(r"the run's limit on (\w+) \(([^)]*)\) is reached(?:: (.*))?", re.DOTALL)
_WAITING = "waiting for an answer to: "


def start_replay(
    run_id: str,
    overrides: Sequence[str] = (),
    *,
    runs: str | Path = "runs",
    base: str | Path | None = None,
    trust: Sequence[str] = (),
    listeners: Sequence[Listener] = (),
) -> Coroutine[Any, Any, RunResult]:
    """Run all of a recorded run from its journal, with the flows as they are now.

    No model, tool, person or data is reached, and nothing is written. `overrides` change its
    config. `base` is where its own prompts are, if not where they were. Raises `ReplayDiffers`
    with the first step that comes to something else, `JournalError` for a run without an end.
    """
    return replay_place(find_run(Path(runs), run_id), overrides, base, trust, listeners)


replay = synchronous(start_replay, "replay")
areplay = asynchronous(start_replay, "areplay")


async def replay_place(
    place: RunPlace,
    overrides: Sequence[str] = (),
    base: str | Path | None = None,
    trust: Sequence[str] = (),
    listeners: Sequence[Listener] = (),
) -> RunResult:
    """Replay the run that is kept there. Errors: as for `replay`."""
    plan = recorded_plan(
        place.journal,
        place.run_id if place.shared else None,
        overrides,
        base=Path(base) if base is not None else None,
        trust=trust,
        live=False,
    )
    rows = place.rows()
    journal = ReplayJournal(rows, plan)
    session = _ReplaySession(place, plan, journal, listeners)
    try:
        result = await run_session(plan, session, resumed=True)
    finally:
        await plan.aclose()
    journal.check_end(result)
    return replace(result, seconds=journal.history.used_seconds)


class RecordedSteps(dict[str, Row]):
    """The recorded steps that were not taken yet. Never false: also at its end a replay does not
    look at the time."""

    def __bool__(self) -> bool:
        return True


class ReplayJournal(Journal):
    """Stands for the journal of a run that is replayed: every step is there, none is written.

    `steps` are those not taken yet, `differs` the first difference, also if a flow caught it.
    """

    def __init__(self, rows: Sequence[Row], plan: RunPlan) -> None:
        self.rows = list(rows)
        self.changes = Changes(rows, plan)
        self.end = _end_of(rows)
        self.history = read_history(rows)
        self.steps = self.history.steps = RecordedSteps(last_words(rows))
        self.differs: ReplayDiffers | None = None
        self.timed = tuple(
            f"{at}/" if at else "" for at, row in self.steps.items() if not row.digest
        )
        asked = {row.address: row for row in self.history.open_questions()}
        self._asked: Mapping[str, Row] = asked

    def append(
        self, kind: Kind, address: str, digest: str, body: str, *, durable: bool = True
    ) -> Future[None] | None:
        """Write nothing; it is there at once."""
        del kind, address, digest, body, durable
        return None

    async def write(self, kind: Kind, address: str, digest: str, body: str) -> None:
        """Write nothing."""
        del kind, address, digest, body

    async def written(self) -> list[Row]:
        """The rows of the run."""
        return self.rows

    async def read_again(self) -> None:
        """A replay is told once: no person changes it."""

    def pending(self) -> Future[None] | None:
        """Nothing waits to be written."""
        return None

    def take(self, address: str, digest: str, flow: Any, states: Mapping[str, Any]) -> Row | None:
        """The recorded outcome or failure; None for a step that a time limit kept from beginning.

        Errors: `ReplayDiffers`; `Waiting` and `LimitReached` as they were recorded.
        """
        del states
        row = self.steps.pop(address, None)
        if (change := self.changes.of_step(flow.path, row)) is not None:
            raise self._differ(address, *change)
        if row is None:
            if self.timed and address.startswith(self.timed):
                return None
            raise self._differ(address, "steps", "the recorded run did not come to it")
        if row.digest != digest:
            raise self._differ(address, "inputs", self._inputs())
        if row.kind == "intent":
            raise self._began(address)
        if is_open(row):
            raise recorded_signal(row.data())
        return row

    def _inputs(self) -> str:
        found = self.changes.of_inputs()
        if found:
            return f"it gets other inputs, as the run does: {change_text(found)}"
        return "it gets other inputs than were recorded, from the steps before it"

    def _began(self, address: str) -> Exception:
        """What became of a step that began and of which nothing more is known."""
        if address in self._asked:
            question = Question.model_validate_json(self._asked[address].body)
            return Waiting(question.text.strip())
        return self._differ(address, "steps", "the recorded run did not come to its end")

    def _differ(self, step: str, why: str, problem: str) -> ReplayDiffers:
        error = ReplayDiffers(step, why, problem)
        self.differs = self.differs or error
        return error

    def open_questions(self) -> list[Row]:
        """The questions that nobody had answered."""
        return self.history.open_questions()

    def check_end(self, result: RunResult) -> None:
        """Errors: `ReplayDiffers` if the run came to something else than was recorded."""
        if self.differs is not None:
            raise self.differs
        keys = ("status", "reason", "outputs")
        now = json.loads(to_json({key: getattr(result, key) for key in keys}, fallback=str))
        found = differences({key: self.end[key] for key in keys}, now)
        if found:
            raise ReplayDiffers("", *self._why_the_end(change_text(found)))
        if self.steps.keys() and result.status == "finished":
            first = min(self.steps.values(), key=lambda row: row.seq)
            raise ReplayDiffers(first.address, "steps", "it is not done any more")

    def _why_the_end(self, problem: str) -> tuple[str, str]:
        if (change := self.changes.of_flow("", None)) is not None:
            return change
        limits = self.changes.of_limits()
        return ("config", f"{change_text(limits)}; {problem}") if limits else ("outputs", problem)

    def close(self) -> None:
        """There is nothing to give up."""


class _ReplaySession(Session):
    """A session in which steps that ran at once end in the order in which they were recorded, and
    one that was still running when the others ended it goes on until they do."""

    def __init__(
        self, place: RunPlace, plan: RunPlan, journal: ReplayJournal, listeners: Sequence[Listener]
    ) -> None:
        super().__init__(
            place.run_id,
            place.folder,
            journal=journal,
            limits=plan.limits,
            prices=plan.prices,
            human=plan.human,
            listeners=tuple(listeners),
            editions=plan.past,
        )
        self.deadline = 0.0  # each call comes by `check_time`
        self._steps = journal.steps
        self._limits = journal.history.limits
        past = (flow for each in plan.past for flow in each.flows.values())
        known = (*(flow for _, flow in walk(plan.flow)), *past)
        self._atomic = {flow.path for flow in known if flow.atomic}
        timed = {address for address, row in journal.steps.items() if not row.digest}
        self._order = sorted(journal.steps.keys() - timed, key=lambda at: journal.steps[at].seq)
        self._next = 0
        self._gone = tuple(journal.end.get("gone", ()))

    def gone(self) -> tuple[str, ...]:
        """Those that were gone when the run was recorded; a replay needs none of its files."""
        return self._gone

    async def check_time(self, address: str) -> None:
        """Wait for the step's turn. Errors: `LimitReached` where it was recorded."""
        if (row := self._limits.get(address)) is not None:
            raise self.recorded_limit(row)
        if flow_path(address) not in self._atomic:
            return
        left, idle = len(self._steps), 0
        while not self._is_turn(address) and idle < PATIENCE:
            await asyncio.sleep(0)
            idle = 0 if len(self._steps) < left else idle + 1
            left = len(self._steps)
        if address in self._steps:
            self._next = self._order.index(address)

    def _is_turn(self, address: str) -> bool:
        """Whether all that was recorded before the step was taken; never for one that was not."""
        while self._next < len(self._order) and self._order[self._next] not in self._steps:
            self._next += 1
        return self._next < len(self._order) and self._order[self._next] == address


def last_words(rows: Sequence[Row]) -> dict[str, Row]:
    """The last row of each step: also a wait or a limit, at which a run came to its end."""
    steps = {row.address: row for row in rows if row.kind in ("intent", "outcome", "failure")}
    return without_inner(steps)


def recorded_signal(body: Mapping[str, Any]) -> LimitReached | Waiting:
    """A recorded wait or limit as it was raised."""
    text = str(body["message"])
    found = _LIMIT.fullmatch(text)
    if found is None:
        return Waiting(text.removeprefix(_WAITING))
    return LimitReached(found[1], float(found[2]), found[3] or "")


def _end_of(rows: Sequence[Row]) -> Mapping[str, Any]:
    """What the run came to. Errors: `JournalError` if it has not."""
    for row in reversed(rows):
        if row.kind == "end":
            return row.data()
        if row.kind == "start":
            break
    raise JournalError("the run has not come to an end; go on with it first: flows resume")
