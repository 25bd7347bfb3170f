"""Runs a plan in this process, on asyncio."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from pydantic_core import to_json

from flows.build.plan import RunPlan
from flows.config.redaction import redact_pieces
from flows.core.events import Listener, RunEnded, RunStarted, Status
from flows.core.human import Question
from flows.core.journal import Journal
from flows.core.pause import Pause
from flows.core.result import OpenQuestion, RunResult
from flows.core.run import begin
from flows.core.session import Session
from flows.core.store import JournalFile
from flows.errors import (
    FlowsError,
    JournalError,
    LimitReached,
    SessionChanged,
    StepFailed,
    StopAsked,
    UsageError,
    Waiting,
)
from flows.runners.continued import Continued
from flows.runners.session_commands import SessionCommands
from flows.runners.workers.make import make_workers


def new_run_id() -> str:
    """An identifier that sorts by time and is a folder name everywhere."""
    return f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(3)}"


async def run_plan(
    plan: RunPlan,
    *,
    run_id: str | None = None,
    resume: bool = False,
    journal: bool = True,
    file: JournalFile | None = None,
    listeners: Sequence[Listener] = (),
    pause: Pause | None = None,
    more: Mapping[str, Any] | None = None,
) -> RunResult:
    """Run the plan to its end and return what it came to; errors of the run are in the result.

    With `resume` the run of that id goes on: steps that its journal holds are not done again.
    With `file` its journal is kept there, beside those of other runs, instead of in a file of its
    own. `more` is recorded at its start. Raises `JournalError` when the run cannot be opened, and
    what cancels the process.
    """
    run_id = run_id or new_run_id()
    record: Journal | None = None
    if journal:
        record = open_journal(plan, run_id, resume=resume, file=file)
    try:
        return await run_with(
            plan, record, run_id, resumed=resume, more=more, listeners=listeners, pause=pause
        )
    finally:
        if record is not None:
            record.close()


def open_journal(
    plan: RunPlan, run_id: str, *, resume: bool = False, file: JournalFile | None = None
) -> Journal:
    """The run's journal, in the file or in its own folder. Errors: `JournalError`, `UsageError`."""
    if file is not None:
        return Journal(file, run_id)
    folder = plan.runs_folder / run_id
    if not resume:
        make_folder(folder)
    return Journal.open(folder, create=not resume, durability=plan.durability)


async def run_with(
    plan: RunPlan,
    journal: Journal | None,
    run_id: str,
    *,
    resumed: bool = False,
    more: Mapping[str, Any] | None = None,
    listeners: Sequence[Listener] = (),
    pause: Pause | None = None,
    reply: str = "",
) -> RunResult:
    """Run the plan with a journal that is open. `more` is recorded at its start; `reply` is said at
    the first question."""
    plan.check_trust()
    session = make_session(plan, journal, run_id, listeners, pause)
    if resumed:
        session.artifacts.sweep()
    if journal is not None:
        start = {"run_id": run_id, "resumed": resumed, "epoch": journal.history.epoch + 1}
        first = to_json({**start, **(more or {})}).decode()
        await journal.write("start", "", "", f"{first[:-1]},{plan.record_text[1:]}")
    if type(journal) is not Journal:  # without one, or with that of a fork, nothing can be changed
        return await run_session(plan, session, resumed=resumed)
    commands = SessionCommands(plan, session.folder)
    commands.reply = reply
    return await run_commanded(plan, session, commands, resumed=resumed)


def make_session(
    plan: RunPlan,
    journal: Journal | None,
    run_id: str,
    listeners: Sequence[Listener],
    pause: Pause | None,
) -> Session:
    """A session of the plan, from its beginning or from what the journal holds."""
    session = Session(
        run_id,
        plan.runs_folder / run_id,
        journal=journal,
        limits=plan.limits,
        prices=plan.prices,
        human=plan.human,
        listeners=tuple(listeners),
        pause=pause,
        editions=plan.past,
    )
    session.artifacts.durable = plan.durability == "full"
    make_workers(plan, session)
    return session


async def run_commanded(
    plan: RunPlan, session: Session, commands: SessionCommands, *, resumed: bool
) -> RunResult:
    """Run the plan in a session that its person may change: at each change the run is taken up
    again from its journal, by the plan as it is then. The plans of changes are closed at the end.
    """
    journal = session.journal
    assert journal is not None
    async with AsyncExitStack() as stack:
        again = False
        while True:
            session.commands = commands
            try:
                return await run_session(plan, session, resumed=resumed, again=again)
            except SessionChanged:
                before, again = plan, True
                plan = await commands.apply(journal, (*session.asked, *session.halted))
                if plan is not before:
                    stack.push_async_callback(plan.aclose)
                session = await _taken_up(plan, session, journal)


async def _taken_up(plan: RunPlan, before: Session, journal: Journal) -> Session:
    """The session that goes on where the one before was changed. It has used as much time, and its
    listeners are told nothing twice."""
    await journal.read_again()
    journal.history.used_seconds = before.meter.elapsed()
    seq = before.seq
    listeners = []
    for each in before.listeners:
        told, at = (each.listener, each.seq) if isinstance(each, Continued) else (each, seq)
        listeners.append(Continued(told, journal, before.asked, before.halted, at))
    session = make_session(plan, journal, before.run_id, listeners, before.pause)
    session.walls = before.walls
    return session


async def run_session(
    plan: RunPlan, session: Session, *, resumed: bool, again: bool = False
) -> RunResult:
    """Run the plan in a session whose start is recorded, to its end. `again` says that it was told
    that the run begins. Errors: `SessionChanged`."""
    outputs: Mapping[str, Any] = {}
    error: FlowsError | None = None
    try:
        if session.listeners and not again:
            _tell_start(plan, session, resumed=resumed)
        try:
            outputs = await begin(session, plan.flow, plan.inputs)
            status, reason = _came_to(session)
        except LimitReached as limit:
            outputs, status, reason = limit.outputs, "unfinished", redact_pieces(str(limit))
            if plan.limits.on_limit == "raise" and not isinstance(limit, StopAsked):
                status, error = "failed", limit
        except Waiting as waiting:
            if session.commands is not None and session.commands.changes:
                raise SessionChanged(waiting.question) from waiting
            status, reason, error = "waiting", str(waiting), waiting
        except (StepFailed, JournalError) as failure:
            status, reason, error = "failed", redact_pieces(str(failure)), failure
        except asyncio.CancelledError:
            if session.journal is not None:
                used = round(session.meter.elapsed(), 3)
                session.journal.append("stop", "", "", to_json({"used": used}).decode())
            raise
        return await _end(plan, session, status, reason, outputs, error)
    finally:
        await session.give_up()


def _tell_start(plan: RunPlan, session: Session, *, resumed: bool) -> None:
    seq, folder = session.next_seq(), str(session.folder)
    inputs = plan.flow.told(plan.inputs)
    session.emit(RunStarted(session.run_id, seq, "", 0, plan.flow.name, folder, inputs, resumed))
    for note in plan.notes:
        session.notice("", 0, note)


def _came_to(session: Session) -> tuple[Status, str]:
    commands = session.command_counts
    missing = [text for _, text in sorted(session.shortfalls.items()) if text]
    if gone := session.gone():
        more = f" and {len(gone) - 1} more" if len(gone) > 1 else ""
        missing.append(f"what the run saved is gone from {session.folder}: {gone[0]}{more}")
    if session.unfinished:
        return "unfinished", "; ".join((session.unfinished, *missing))
    if commands["error"] and not commands["ok"] and not commands["empty"]:
        missing.insert(0, f"all {commands['error']} commands failed")
    return ("degraded", "; ".join(missing)) if missing else ("finished", "")


async def _end(
    plan: RunPlan,
    session: Session,
    status: Status,
    reason: str,
    outputs: Mapping[str, Any],
    error: FlowsError | None,
) -> RunResult:
    if session.journal is not None and not isinstance(error, JournalError):
        body = {
            "status": status,
            "reason": reason,
            "failed_at": [""] if error and plan.flow.atomic else failed_at(error),
            "outputs": outputs,
            "used": round(session.meter.elapsed(), 3),
            "rounds": session.meter.rounds,
            **({"sandbox": session.walls} if session.walls else {}),
            **({"gone": gone} if (gone := session.gone()) else {}),
        }
        try:
            await session.journal.write("end", "", "", to_json(body, fallback=str).decode())
        except JournalError as failure:  # what it found is not lost with its record
            status, reason, error = "failed", str(failure), failure
    if session.listeners:
        session.emit(RunEnded(session.run_id, session.next_seq(), "", 0, status, reason))
    return RunResult(
        run_id=session.run_id,
        status=status,
        outputs=outputs,
        usage=session.meter.usage,
        seconds=session.meter.elapsed(),
        folder=session.folder,
        artifacts=session.artifacts.all(),
        reason=reason,
        error=error,
        exit_code=exit_code_of(error),
        rounds=session.meter.rounds,
        questions=_questions(session, error),
        walls=session.walls,
    )


def _questions(session: Session, error: FlowsError | None) -> tuple[OpenQuestion, ...]:
    """What a waiting run waits with; without a journal what its first question says."""
    if not isinstance(error, Waiting):
        return ()
    if session.journal is None:
        return (OpenQuestion(Question(id="", text=error.question)),)
    return tuple(OpenQuestion.of(row) for row in session.journal.open_questions())


def failed_at(error: BaseException | None) -> list[str]:
    """The addresses of the steps whose failures ended the run; parallel ones may be several."""
    found: dict[str, None] = {}
    left = [error]
    while left:
        each = left.pop()
        if isinstance(each, BaseExceptionGroup):
            left += each.exceptions
        elif isinstance(each, StepFailed) and each.path not in found:
            found[each.path] = None
            left.append(each.__cause__)
    return list(found)


def exit_code_of(error: BaseException | None) -> int:
    """What the command line ends with for a run that came to this error."""
    root = error.root if isinstance(error, StepFailed) else error
    if root is None:
        return 0
    return root.exit_code if isinstance(root, FlowsError) else FlowsError.exit_code


def make_folder(folder: Path) -> None:
    """Make the folder of a run. Errors: `UsageError` where nothing can be written."""
    try:
        folder.mkdir(parents=True, exist_ok=False)
    except OSError as error:
        raise UsageError(
            f"the run's folder {folder} cannot be made: {error.strerror or error}; "
            "another folder of runs is named with runs=FOLDER"
        ) from error
