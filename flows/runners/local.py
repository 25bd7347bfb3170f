"""Runs a plan in this process, on asyncio."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic_core import to_json

from flows.build.plan import Plan
from flows.core.events import Listener, RunEnded, RunStarted, Status
from flows.core.journal import Journal, Row, spent_in_vain
from flows.core.result import RunResult
from flows.core.run import begin
from flows.core.session import Session
from flows.errors import (
    FlowsError,
    JournalError,
    LimitReached,
    StepFailed,
    UsageError,
    Waiting,
)


def new_run_id() -> str:
    """An identifier that sorts by time and is a folder name everywhere."""
    return f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(3)}"


async def run_plan(
    plan: Plan,
    *,
    run_id: str | None = None,
    resume: bool = False,
    journal: bool = True,
    listeners: Sequence[Listener] = (),
) -> RunResult:
    """Run the plan to its end and return what it came to; errors of the run are in the result.

    With `resume` the run of that id goes on: steps that its journal holds are not done again.
    Raises `JournalError` when the run cannot be opened, and what cancels the process.
    """
    run_id = run_id or new_run_id()
    folder = plan.runs_folder / run_id
    record: Journal | None = None
    if journal:
        if not resume:
            make_folder(folder)
        record = Journal(folder, create=not resume)
    try:
        session = Session(
            run_id,
            folder,
            journal=record,
            limits=plan.limits,
            used_seconds=_used_seconds(record.rows if record else ()),
            listeners=tuple(listeners),
        )
        if record is not None:
            session.meter.add(spent_in_vain(record.rows, record.steps))
        return await _run(plan, session, resumed=resume)
    finally:
        if record is not None:
            record.close()


async def _run(plan: Plan, session: Session, *, resumed: bool) -> RunResult:
    journal = session.journal
    if journal is not None:
        start = {"run_id": session.run_id, "resumed": resumed, **plan.record()}
        journal.append("start", "", "", to_json(start).decode())
    if session.listeners:
        session.emit(
            RunStarted(
                session.next_seq(),
                "",
                0,
                session.run_id,
                plan.flow.name,
                str(session.folder),
                plan.inputs,
                resumed,
            )
        )
    outputs: Mapping[str, Any] = {}
    error: FlowsError | None = None
    try:
        outputs = await begin(session, plan.flow, plan.inputs)
        status, reason = _came_to(session)
    except LimitReached as limit:
        outputs, status, reason, error = limit.outputs, "unfinished", str(limit), None
    except Waiting as waiting:
        status, reason, error = "waiting", str(waiting), waiting
    except (StepFailed, JournalError) as failure:
        status, reason, error = "failed", str(failure), failure
    return _end(plan, session, status, reason, outputs, error)


def _came_to(session: Session) -> tuple[Status, str]:
    commands = session.commands
    if session.unfinished:
        return "unfinished", session.unfinished
    if commands["error"] and not commands["ok"] and not commands["empty"]:
        return "degraded", f"all {commands['error']} commands failed"
    return "finished", ""


def _end(
    plan: Plan,
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
        }
        session.journal.append("end", "", "", to_json(body, fallback=str).decode())
    if session.listeners:
        session.emit(RunEnded(session.next_seq(), "", 0, status, reason))
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
    )


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


def _used_seconds(rows: Sequence[Row]) -> float:
    """Wall time that the run had used when its journal was last written."""
    for row in reversed(rows):
        if row.kind in ("outcome", "failure", "end"):
            return float(row.data().get("used", 0.0))
    return 0.0


def make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=False)
    except OSError as error:
        raise UsageError(f"the run's folder cannot be made: {error}") from error


def run_folder(runs: Path, run_id: str) -> Path:
    """The folder of a run. Errors: `UsageError` naming the runs there are."""
    folder = runs / run_id
    if run_id not in ("", "..") and Path(run_id).name == run_id and folder.is_dir():
        return folder
    known = sorted(each.name for each in runs.iterdir() if each.is_dir()) if runs.is_dir() else []
    listed = f"the last are: {', '.join(known[-5:])}" if known else f"{runs} has none"
    raise UsageError(f"there is no run {run_id!r}; {listed}")
