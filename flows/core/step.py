"""One step: done, or taken from the record; recorded, and its results left in the run."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from typing import Any

from pydantic_core import from_json, to_json

from flows.core.artifacts import Artifact
from flows.core.attempt import run_in_time, run_with_retries
from flows.core.chat import Usage
from flows.core.events import ArtifactSaved, StepErred, StepFinished, StepStarted
from flows.core.flow import AtomicFlow, Flow, Ports
from flows.core.journal import Journal
from flows.core.lost_step import outcome_question, read_outcome
from flows.core.person import ask_person
from flows.core.recording import failure_text, outcome_text, recorded_error
from flows.core.rows import Row
from flows.core.scope import CallScope
from flows.core.session import Session
from flows.core.values import Values
from flows.errors import JournalError, PortError, StepFailed, StepStopped, StepTimeout


class NotRecorded(Exception):
    """A step below a composite whose time limit was reached, that had not been done by then."""


def do_step(
    session: Session, flow: Flow, inputs: Any, run: CallScope
) -> Awaitable[Mapping[str, Any]]:
    """A composite's call, or an atomic one that is recorded, guarded, or leaves something; what it
    returns, by name. It gives what is to be awaited and is no coroutine itself: a step that waits
    is woken through each one that is around it."""
    journal = session.journal
    if isinstance(flow, AtomicFlow):
        if journal is not None:
            return _recorded(session, journal, flow, inputs, run)
        return _unrecorded(session, flow, inputs, run)
    if not flow.guarded:
        made: Awaitable[Any] = flow.run(inputs, run)
        return made
    if journal is None:
        return run_in_time(flow, inputs, run)
    return _timed(session, journal, flow, inputs, run)


async def _timed(
    session: Session, journal: Journal, flow: Flow, inputs: Any, run: CallScope
) -> Mapping[str, Any]:
    """A composite with a time limit, or that a person can stop: that it ended so is recorded, as
    time will not tell it again. Then the steps that were done are taken, and none is begun."""
    row = journal.steps.pop(run.address, None)
    if row is None and (prepared := journal.prepared.pop(run.address, None)) is not None:
        row = prepared.row
    if row is not None:
        before = session.frozen
        session.frozen = (*before, f"{run.address}/" if run.address else "")
        error = recorded_error(row.data())
        with suppress(StepFailed, NotRecorded):
            await flow.run(inputs, run)
        session.frozen = before
        raise error
    try:
        result: Mapping[str, Any] = await run_in_time(flow, inputs, run)
    except (StepTimeout, StepStopped) as error:
        text = failure_text(error, run.used_seconds(), None)
        await journal.write("failure", run.address, "", text)
        raise
    return result


def settle_step(
    session: Session, flow: AtomicFlow, inputs: Any, result: Any, run: CallScope
) -> Values:
    """What an atomic call leaves in the session: folded state and artifacts. Gives its outputs."""
    if flow.folds:
        run.states[flow.path] = flow.apply(run.state, inputs, result)
    if flow.judged:
        before = session.shortfalls.get(flow.path, "")
        session.shortfalls[flow.path] = flow.shortfall(before, inputs, result)
    for artifact in run.saved:
        session.artifacts.register(artifact)
        if session.listeners:
            session.emit(
                ArtifactSaved(
                    session.run_id,
                    session.next_seq(),
                    run.address,
                    run.round,
                    artifact.name,
                    artifact.path,
                    artifact.description,
                )
            )

    outputs: Values = result.__dict__
    return outputs


async def _unrecorded(session: Session, flow: AtomicFlow, inputs: Any, run: CallScope) -> Values:
    """An atomic call of a run without a journal."""
    timed = session.wall_time
    work = run_with_retries(flow, inputs, run) if flow.guarded else flow.run(inputs, run)
    result: Any = await (work if timed is None else timed.limit(run, work, flow.goes_on))
    if type(result) is not flow.outputs_type:
        raise not_outputs(flow, result)
    return settle_step(session, flow, inputs, result, run)


async def _recorded(
    session: Session, journal: Journal, flow: AtomicFlow, inputs: Any, run: CallScope
) -> Values:
    """Reuse what is recorded for this address, or do it, and record what came of it."""
    address, effect = run.address, flow.effect
    digest = blake2b(to_json(inputs), digest_size=12).hexdigest()
    if session.editions is not None:
        digest = session.editions.digest_at(address, digest, journal.steps)
    prepared = _take_prepared(journal, flow, digest, run) if journal.prepared else None
    row = prepared or journal.take(address, digest, flow, run.states)
    if row is not None and row.kind != "intent":
        if inner := journal.history.inner.get(address):
            tell_again(inner, run)
        done = _reuse(row, flow, run, again=prepared is None)
        return settle_step(session, flow, inputs, done, run)
    if session.frozen and address.startswith(session.frozen):
        raise NotRecorded
    if effect == "once":
        if row is not None and (settled := await _ask_outcome(row, flow, inputs, run)) is not None:
            body = outcome_text(flow, settled, run.used_seconds(), None, ())
            await journal.write("outcome", address, digest, body)
            return settle_step(session, flow, inputs, settled, run)
        await journal.write("intent", address, digest, "{}")
    elif effect == "idempotent" and (commit := journal.pending()) is not None:
        await commit
    session.at_work += 1
    given = inputs if flow.inner else None
    try:
        timed = session.wall_time
        work = run_with_retries(flow, inputs, run) if flow.guarded else flow.run(inputs, run)
        result: Any = await (work if timed is None else timed.limit(run, work, flow.goes_on))
        if type(result) is not flow.outputs_type:
            raise not_outputs(flow, result)
        body = outcome_text(flow, result, run.used_seconds(), run.usage, run.saved, given)
    except (JournalError, StepFailed):
        raise
    except (Exception, SystemExit) as error:
        text = failure_text(error, run.used_seconds(), run.usage, given)
        await journal.write("failure", address, digest, text)
        raise
    finally:
        session.at_work -= 1
    commit = journal.append("outcome", address, digest, body, durable=effect != "pure")
    if commit is not None:
        await commit
    return settle_step(session, flow, inputs, result, run)


def _take_prepared(journal: Journal, flow: AtomicFlow, digest: str, run: CallScope) -> Row | None:
    """The row of the step if a worker has done it; what it told there is told now. Errors:
    `JournalError` for one that was given other inputs there and must not be done twice."""
    step = journal.prepared.pop(run.address, None)
    if step is None:
        return None
    if step.row.digest != digest:
        text = f"{run.address} was given other inputs by a worker than here"
        if flow.effect == "once":
            raise JournalError(f"{text}, and must not be done twice")
        run.notice(f"{text}; it is done again here")
        return None
    session = run.session
    if session.listeners:
        tell_again(step.inner, run, reused=False)
        for each in step.events:
            session.emit(each._replace(run=session.run_id, seq=session.next_seq()))
    return step.row


async def _ask_outcome(row: Row, flow: AtomicFlow, inputs: Any, run: CallScope) -> Ports | None:
    """What a person says of a step that began, must not be done twice, and of which nothing more
    is known: its outputs, or None to do it again. Errors: `Waiting`; `StepError` if it failed."""
    question = outcome_question(row, flow, inputs, run.address, run.effect_key)
    while True:
        answer = await ask_person(run, run.session.human, question)
        try:
            return read_outcome(flow, answer.text)
        except ValueError as error:
            run.notice(f"This is no answer to it: {error}")
            question = question.model_copy(update={"id": f"{question.id}+"})


def not_outputs(flow: AtomicFlow, result: object) -> PortError:
    """The error of a flow that returned something else than its declared outputs."""
    return PortError(f"{flow.name}: run must return its Outputs, not a {type(result).__name__}")


def tell_again(rows: Sequence[Row], run: CallScope, *, reused: bool = True) -> None:
    """Tell what a step had called itself, such as a model by a class: it is not run again, and the
    record alone knows of it. It is `reused` unless a worker has done it in this session."""
    session = run.session
    if not session.listeners:
        return
    for row in rows:
        body = row.data()
        name = row.address.rpartition("/")[2].partition("#")[0]
        about = (session.run_id, session.next_seq(), row.address, run.round, name)
        session.emit(StepStarted(*about, name, body.get("inputs", {})))
        about = (session.run_id, session.next_seq(), row.address, run.round, name)
        if row.kind == "failure":
            session.emit(StepErred(*about, body["type"], body["message"]))
            continue
        usage = Usage.model_validate(body["usage"]) if "usage" in body else None
        session.emit(StepFinished(*about, body["outputs"], 0.0, usage, reused))


def _reuse(row: Row, flow: AtomicFlow, run: CallScope, *, again: bool) -> Ports:
    """A recorded outcome as if it had just happened, or the recorded failure raised again. `again`
    says that it did so before this session."""
    run.reused = again
    body = from_json(row.body)
    if "usage" in body:
        run.usage = Usage.model_validate(body["usage"])
    if row.kind == "failure":
        raise recorded_error(body)
    run.saved = tuple(Artifact.model_validate(each) for each in body.get("saved", ()))
    text = to_json(body["outputs"], inf_nan_mode="constants")
    return flow.outputs_adapter.validate_json(text)
