"""A new run that takes over what another had done before a step, and goes on live from there."""

from __future__ import annotations

import json
import os
import shutil
from asyncio import Future
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any, Final

from flows.build.plan import RunPlan
from flows.build.restoration import recorded_plan
from flows.core.events import Listener
from flows.core.flow import AtomicFlow
from flows.core.history import inner_steps, read_history, reusable
from flows.core.journal import Journal
from flows.core.loop import asynchronous, synchronous
from flows.core.result import RunResult
from flows.core.rows import Kind, Row
from flows.errors import JournalError, UsageError, nearest
from flows.records.lookup import RunPlace, find_run
from flows.records.steps import flow_path
from flows.runners.changes import Changes
from flows.runners.consent import with_consent
from flows.runners.local import make_folder, new_run_id, run_with

MOST_LISTED: Final = 40
FORKED: Final = "forked"
COPIED: Final = "copied"
_STEP: Final = ("intent", "call", "outcome", "failure")


def start_fork(
    run_id: str,
    at: str,
    overrides: Sequence[str] = (),
    *,
    runs: str | Path = "runs",
    listeners: Sequence[Listener] = (),
    trust: Sequence[str] = (),
) -> Coroutine[Any, Any, RunResult]:
    """Run a recorded run again from the step at an address on, as a run of its own.

    What stands before that step is reused; what stands after it only if neither its inputs nor its
    flow changed. `overrides` change the recorded config. Raises `UsageError` for an unknown step,
    `JournalError` for a run that is damaged, `ConfigError` for an override.
    """
    place = find_run(Path(runs), run_id)
    name = place.run_id if place.shared else None
    plan = with_consent(
        trust,
        lambda trusted: recorded_plan(place.journal, name, overrides, trust=trusted, anew=True),
    )
    plan = replace(plan, runs_folder=Path(runs))  # also of a run that shares its journal below it
    return fork_place(place, at, plan, listeners=listeners)


fork = synchronous(start_fork, "fork")
afork = asynchronous(start_fork, "afork")


async def fork_place(
    place: RunPlace,
    at: str,
    plan: RunPlan,
    *,
    listeners: Sequence[Listener] = (),
    run_id: str | None = None,
) -> RunResult:
    """Fork the run that is kept there, with the plan. Errors: as for `fork`."""
    async with plan.in_use():
        source = ForkSource(place, at, plan)
        run_id = run_id or new_run_id()
        folder = plan.runs_folder / run_id
        make_folder(folder)
        own = Journal.open(folder, create=True, durability=plan.durability)
        journal = ForkJournal(own, source, folder)
        try:
            more = {FORKED: source.as_json()}
            return await run_with(plan, journal, run_id, more=more, listeners=listeners)
        finally:
            journal.close()


def as_fork(journal: Journal, place: RunPlace, plan: RunPlan) -> Journal:
    """The journal of a run that is gone on with: of a fork with what it may still take over, if
    the run that it comes from is there."""
    forked = journal.rows[0].data().get(FORKED) if journal.rows else None
    source = ForkSource.of_fork(forked, plan) if forked is not None else None
    return journal if source is None else ForkJournal(journal, source, place.folder)


class ForkSource:
    """What a fork may take over from a run. `at` is the address of the first step that it does
    itself; the address of a composite stands for all below it.

    Errors: `UsageError` for a step that was not recorded; `JournalError` for a damaged run.
    """

    def __init__(self, place: RunPlace, at: str, plan: RunPlan) -> None:
        rows = place.rows()
        self.place = place
        self.at = at
        self.changes = Changes(rows, plan)
        self._cut = _first_row(rows, at)
        steps = read_history(rows).steps
        done = reusable(rows)
        self._steps = {each: row for each, row in done.items() if row.digest and self._kept(each)}
        self.inner = inner_steps(done)
        self.timed = {} if self.changes.of_inputs() else self._timed(steps)

    @classmethod
    def of_fork(cls, forked: Mapping[str, Any], plan: RunPlan) -> ForkSource | None:
        """The source of a fork that is gone on with; None if the run is not there any more."""
        try:
            place = find_run(Path(forked["folder"]).parent, forked["run"])
            return cls(place, forked["at"], plan)
        except UsageError:
            return None

    def as_json(self) -> dict[str, Any]:
        """What the fork records of it."""
        folder = str(self.place.folder.absolute())
        return {"run": self.place.run_id, "at": self.at, "folder": folder}

    def row(self, address: str, digest: str, flow: AtomicFlow) -> Row | None:
        """The row of the step, if it is to be reused for these inputs."""
        row = self._steps.get(address)
        if row is None or row.digest != digest:
            return None
        if row.seq < self._cut:
            return row
        return row if self.changes.known and self._is_same(flow, row) else None

    def _is_same(self, flow: AtomicFlow, row: Row) -> bool:
        """Whether the step's flow has not changed. A model that a class has asked is the same
        whatever the class's code is."""
        if not flow.inner:
            return self.changes.of_flow(flow.path, row) is None
        change = self.changes.of_flow(flow.path.rpartition("/")[0], row)
        return change is None or change.why == "code"

    def _kept(self, address: str) -> bool:
        """Whether a step may be reused: it is not done anew, nor is one that it calls itself."""
        return not (is_below(address, self.at) or is_below(self.at, address))

    def _timed(self, steps: Mapping[str, Row]) -> dict[str, Row]:
        """The composites before the step whose time limit was reached."""
        return {
            each: row
            for each, row in steps.items()
            if not row.digest and row.seq < self._cut and not is_below(self.at, each)
        }


class ForkJournal(Journal):
    """The journal of a fork: a step that it has not done is looked up in the source, and copied.

    A copy has no usage, as it was not paid for again. A flow that keeps state is not looked up any
    more once one of its calls was done anew.
    """

    def __init__(self, own: Journal, source: ForkSource, folder: Path) -> None:
        self._own = own
        self.rows, self.history, self.steps = own.rows, own.history, own.steps
        self.source = source
        self.folder = folder
        for address, row in source.timed.items():
            self.steps.setdefault(address, row)
        done = (row for row in self.rows if row.kind in _STEP and row.digest)
        self.anew = {flow_path(row.address) for row in done if COPIED not in row.data()}

    def append(
        self, kind: Kind, address: str, digest: str, body: str, *, durable: bool = True
    ) -> Future[None] | None:
        """Add a row to the fork's own journal."""
        return self._own.append(kind, address, digest, body, durable=durable)

    def pending(self) -> Future[None] | None:
        """The commit that rows wait for, if any do."""
        return self._own.pending()

    async def written(self) -> list[Row]:
        """All rows of the fork."""
        return await self._own.written()

    async def read_again(self) -> None:
        """Read the fork's own rows again."""
        await self._own.read_again()
        self.rows, self.history, self.steps = self._own.rows, self._own.history, self._own.steps

    def open_questions(self) -> list[Row]:
        """The questions that nobody has answered."""
        return self._own.open_questions()

    def close(self) -> None:
        """Give the fork up. Errors: `JournalError`, if not raised before."""
        self._own.close()

    def take(
        self, address: str, digest: str, flow: AtomicFlow, states: Mapping[str, Any]
    ) -> Row | None:
        """The fork's own row for the step, else a copy of the source's."""
        row = super().take(address, digest, flow, states)
        if row is not None:
            return row
        if not (flow.folds and flow.path in self.anew):
            row = self.source.row(address, digest, flow)
        if row is None:
            self.anew.add(flow.path)
            return None
        return row if row.kind == "intent" else self._copied(row, flow)

    def _copied(self, row: Row, flow: AtomicFlow) -> Row:
        """A copy of a row of the source, and of those of the steps that its step has called."""
        if inner := self.source.inner.get(row.address):
            self.history.inner[row.address] = [self._copied_row(each, flow) for each in inner]
        return self._copied_row(row, flow)

    def _copied_row(self, row: Row, flow: AtomicFlow) -> Row:
        body = {key: each for key, each in row.data().items() if key not in ("usage", "used")}
        for artifact in body.get("saved", ()):
            for file in (artifact, *artifact.get("forms", ())):
                self._take_over(file["path"])
        text = json.dumps({**body, COPIED: self.source.place.run_id}, ensure_ascii=False)
        kind: Kind = "outcome" if row.kind == "outcome" else "failure"
        self.append(kind, row.address, row.digest, text, durable=flow.effect != "pure")
        return row._replace(body=text)

    def _take_over(self, path: str) -> None:
        """Have an artifact of the source too. Files are never changed in place, so a link will do.

        Errors: `JournalError` if it is gone.
        """
        old, new = self.source.place.folder / path, self.folder / path
        if PurePath(path).is_absolute() or ".." in PurePath(path).parts:
            raise JournalError(f"the artifact {path} is not in the folder of its run")
        if new.exists():
            return
        new.parent.mkdir(parents=True, exist_ok=True)
        try:
            try:
                os.link(old, new)
            except OSError:  # another file system, or one without links
                shutil.copy2(old, new)
        except OSError as error:
            raise JournalError(f"the artifact {old} cannot be taken over: {error}") from error


def is_below(address: str, at: str) -> bool:
    """Whether an address is that of the step `at`, or of one below it."""
    return not at or address == at or address.startswith(f"{at}/")


def _first_row(rows: Sequence[Row], at: str) -> int:
    """The number of the first row of a step. Errors: `UsageError` that lists the steps."""
    found = [row for row in rows if row.kind in _STEP]
    for row in found:
        if is_below(row.address, at) and (at or not row.address):  # "" is a top flow that is a step
            return row.seq
    known = list(dict.fromkeys(row.address for row in found))
    if not known:
        raise UsageError("the run has not come to any step, so there is none to fork it at")
    above = [each for address in known for each in _composites(address)]
    meant = nearest(at, [*known, *above])
    hint = f"; did you mean {meant}?" if meant else ""
    more = len(known) - MOST_LISTED
    listed = ", ".join(known[:MOST_LISTED]) + (f", and {more} more" if more > 0 else "")
    raise UsageError(f"the run has no step {at!r}{hint}\n  its steps: {listed}")


def _composites(address: str) -> list[str]:
    parts = address.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]
