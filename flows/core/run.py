"""The one door: every call of a flow goes through `Run.call`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from pydantic_core import ValidationError, from_json, to_json

from flows.config.redaction import redact_pieces
from flows.core.artifacts import Artifact, Origin, What
from flows.core.chat import ChatModel, ChatReply, ChatRequest, Usage
from flows.core.events import (
    ArtifactSaved,
    ModelCalled,
    Retrying,
    RoundStarted,
    StepErred,
    StepFinished,
    StepStarted,
    TextArrived,
)
from flows.core.flow import AtomicFlow, Flow, Ports, Retry
from flows.core.human import Answer, Human, Question
from flows.core.journal import Journal
from flows.core.limits import Worst
from flows.core.recording import body_digest, failure_text, outcome_text, recorded_error
from flows.core.rows import Row
from flows.core.sandbox import Execution, Sandbox
from flows.core.session import Session
from flows.core.unknown import outcome_question, read_outcome
from flows.errors import (
    JournalError,
    LimitReached,
    ModelError,
    PortError,
    StepFailed,
    StepTimeout,
    StopAsked,
    ToolError,
    Waiting,
)

if TYPE_CHECKING:
    from tenacity import RetryCallState

# A named tuple's own constructor takes twice the time, and there are two events a step.
_new = tuple.__new__
_SIGNALS = (LimitReached, Waiting, JournalError, StepFailed)
YIELD_SECONDS = 0.02


class CodeSession:
    """A session of the sandbox that belongs to a run, and ends with it."""

    def __init__(self, sandbox: Sandbox, name: str) -> None:
        self.sandbox = sandbox
        self.name = name

    async def aclose(self) -> None:
        await self.sandbox.forget(self.name)


class NotRecorded(Exception):
    """A step below a composite whose time limit was reached, that had not been done by then."""


class Run:
    """A flow's view of the run while it is called: its address, its state, the door to subflows.

    `address` is the path of names and call counters, as in `Executor#2/sql#1`; "" for the top flow.
    """

    # Defaults on the class: few calls set these.
    saved: tuple[Artifact, ...] = ()
    usage: Usage | None = None
    reused = False
    _counters: dict[str, int] | None = None

    def __init__(
        self, session: Session, flow: Flow | None, address: str, round_number: int
    ) -> None:
        self.session = session
        self.address = address
        self.round = round_number
        self._flow = flow

    # What a composite uses.

    async def call(
        self, subflow: Any, payload: Mapping[str, Any], goal: str = "", *, pick: bool = False
    ) -> dict[str, Any]:
        """Call a subflow with the payload as its inputs, and return its outputs by name.

        `goal` is the step's label, the subflow's own description without one. With `pick` the
        payload may hold other keys, which are left out; else they are an error. Errors:
        `StepFailed` with the step's address; `LimitReached`, `Waiting`, `JournalError` as they are.
        """
        # One body, though a long one: this is the hot path, and each frame costs a fortieth of it.
        session = self.session
        outputs: dict[str, Any]
        started = perf_counter()
        name = subflow.name
        above, round_number = self.address, self.round
        if self._flow is None:  # this is the top, and the call is that of the top flow
            address = ""
        else:
            counters = self._counters
            if counters is None:
                counters = self._counters = {}
            count = counters[name] = counters.get(name, 0) + 1
            address = f"{above}/{name}#{count}" if above else f"{name}#{count}"
        if started >= session.deadline:
            started = await session.before_step(address)
        run = Run(session, subflow, address, round_number)
        tell = session.tell
        try:
            if pick:
                try:
                    inputs = subflow.pick(payload)
                except ValidationError as error:
                    raise subflow.port_error(error) from error
            else:
                inputs = subflow.read_inputs(payload)
            if tell is not None:
                session.seq = seq = session.seq + 1
                label = goal or subflow.label
                told = (session.run_id, seq, address, round_number, name, label, inputs.__dict__)
                try:
                    tell(_new(StepStarted, told))
                except Exception as error:  # noqa: BLE001 - a listener's fault is not the step's
                    session.lose(tell, error)
                    tell = session.tell
            if subflow.plain and session.journal is None:
                result = await subflow.run(inputs, run)
                if type(result) is not subflow.outputs_type:
                    raise _not_outputs(subflow, result)
                if run.saved:
                    _settle(session, subflow, inputs, result, run)
                outputs = result.__dict__
            else:
                outputs = await _do(session, subflow, inputs, run)
        except _SIGNALS:
            raise
        except (Exception, SystemExit) as error:  # code of a user's own may call sys.exit
            _tell(run, subflow, error)
            raise StepFailed(address or name, error) from error
        if tell is not None:
            ms = (perf_counter() - started) * 1000.0
            session.seq = seq = session.seq + 1
            done = (
                session.run_id,
                seq,
                address,
                round_number,
                name,
                outputs,
                ms,
                run.usage,
                run.reused,
            )
            try:
                tell(_new(StepFinished, done))
            except Exception as error:  # noqa: BLE001 - a listener's fault is not the step's
                session.lose(tell, error)
        return outputs

    def begin_round(self, number: int, max_rounds: int | None) -> bool:
        """Count a round of a circular flow. Errors: `LimitReached`.

        True says that others have waited long: steps that never wait would keep timeouts, Ctrl-C
        and other runs from having their turn, so the flow has to let them.
        """
        session = self.session
        session.meter.begin_round()
        self.round = number
        if session.listeners:
            session.seq = seq = session.seq + 1
            told = (session.run_id, seq, self.address, number, max_rounds or 0)
            session.emit(_new(RoundStarted, told))
        if (now := perf_counter()) - session.turn.at < YIELD_SECONDS:
            return False
        session.turn.at = now
        return True

    def reset(self, subflow: Flow) -> None:
        """Forget the folded state of a subflow and of all below it."""
        self.session.reset(subflow)

    def stop_unfinished(self, reason: str) -> None:
        """Say that this flow ends without having come to its end. At the top, the run does."""
        if self.address == "":
            self.session.unfinished = reason
        else:
            self.notice(reason)

    def begin_final(self) -> bool:
        """Ask for what was kept for a last answer; only the top flow gets it, and once."""
        if self.address or self.session.meter.final:
            return False
        self.session.extend()
        return True

    @property
    def stopped(self) -> bool:
        """Whether a person has ended this run early, at a step of it."""
        return self.session.stopped

    def take_stop(self) -> None:
        """Said by a flow that caught `StopAsked`: what it does next, it does as usual."""
        self.session.stop_wanted = False
        self.session.set_deadline()

    async def call_at_end(self, subflow: Flow, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Call a subflow that makes something of what there is: a wish to stop is no reason not to.

        Errors: as for `call`, without `StopAsked`.
        """
        try:
            return await self.call(subflow, payload)
        except StopAsked:
            self.take_stop()
            return await self.call(subflow, payload)

    def repeated(self, command: str) -> int:
        """How often this command was given in the run, this time included."""
        self.session.given[command] += 1
        return self.session.given[command]

    def count_command(self, kind: str) -> None:
        """Count the outcome of a command (ok, empty, error); all of them failing is `degraded`."""
        self.session.commands[kind] += 1

    # What an atomic flow uses.

    @property
    def state(self) -> Any:
        """The folded state of this flow: what `apply` made of all calls so far."""
        flow = self._flow
        assert flow is not None  # only the scope above the top flow has none, and no flow sees it
        if flow.path in self.session.states:
            return self.session.states[flow.path]
        return flow.initial_state() if isinstance(flow, AtomicFlow) else None

    def state_of(self, flow: AtomicFlow) -> Any:
        """The folded state of another flow, to be read only."""
        states = self.session.states
        return states[flow.path] if flow.path in states else flow.initial_state()

    @property
    def effect_key(self) -> str:
        """The same for this step each time it is tried, and for no other: 32 hex digits."""
        text = f"{self.session.run_id}\x1f{self.address}"
        return blake2b(text.encode(), digest_size=16).hexdigest()

    async def ask_model(self, model: ChatModel, request: ChatRequest) -> ChatReply:
        """Ask a model: claimed from the budgets, recorded before it is sent, counted after.

        Errors: `LimitReached` before anything is sent; `ModelError`.
        """
        session = self.session
        meter = session.meter
        request = meter.bounded(request, model)
        worst = meter.worst_of(request, model)
        meter.claim(worst)
        if session.journal is not None:
            body = model.body(request)
            await session.journal.write(
                "call", self.address, body_digest(body), self._call_text(model, request, worst)
            )
        used = Usage(model_calls=1)
        reply: ChatReply | None = None
        started = perf_counter()
        try:
            reply = await model.reply(request, self.stream)
            used = meter.priced(reply.usage, model)
        finally:
            meter.release(worst)
            self.spend(used)
            self._tell_call(model, request, reply, used, started)
        return reply.model_copy(update={"usage": used})

    def _tell_call(
        self,
        model: ChatModel,
        request: ChatRequest,
        reply: ChatReply | None,
        used: Usage,
        started: float,
    ) -> None:
        """Tell of a call that is over; without a reply the error is on its way."""
        session = self.session
        if session.listeners:
            session.emit(
                ModelCalled(
                    session.run_id,
                    session.next_seq(),
                    self.address,
                    self.round,
                    kind=type(model).__name__,
                    model=model.name,
                    answered_as=reply.model if reply else "",
                    messages=request.messages,
                    text=reply.text if reply else "",
                    finish=reply.finish if reply else "",
                    error="" if reply else type(sys.exception()).__name__,
                    usage=used,
                    elapsed_ms=(perf_counter() - started) * 1000.0,
                )
            )

    def _call_text(self, model: ChatModel, request: ChatRequest, worst: Worst) -> str:
        """What is recorded of a call: nothing that the record holds already, so the prompt only
        when it is not that of the flow's call before."""
        body: dict[str, Any] = {"model": model.name, "worst": worst._asdict()}
        if request.max_tokens is not None:
            body["max_tokens"] = request.max_tokens
        system = "".join(each.content for each in request.messages if each.role == "system")
        path = self._flow.path if self._flow is not None else ""
        if self.session.prompts.get(path) != system:
            self.session.prompts[path] = body["system"] = system
        return to_json(body).decode()

    async def ask_person(self, human: Human | None, question: Question) -> Answer:
        """Ask a person, or take the answer that was recorded; the first that is counts.

        Errors: `Waiting` when nobody is there and the run does not go on without.
        """
        journal = self.session.journal
        if journal is not None and (row := journal.history.answers.get(question.id)) is not None:
            return Answer.model_validate(row.data())
        answer = await human.ask(question) if human is not None else Answer(kind="nobody")
        if answer.kind != "text" and not question.takes_text:
            answer = Answer(kind="nobody")
        if answer.kind == "nobody":
            if answer.go_on:
                return answer
            if journal is not None and question.id not in journal.history.questions:
                text = to_json(question).decode()
                await journal.write("question", self.address, question.id, text)
            raise Waiting(question.text.strip())
        if journal is not None:
            await journal.write("answer", self.address, question.id, to_json(answer).decode())
        return answer

    def spend(self, usage: Usage) -> None:
        """Count what a model call cost, at once: it is spent even if the step fails later."""
        self.usage = usage if self.usage is None else self.usage + usage
        self.session.meter.spend(usage)

    def stream(self, text: str) -> None:
        """Show a piece of text that is still being made."""
        if self.session.listeners:
            session = self.session
            session.emit(
                TextArrived(session.run_id, session.next_seq(), self.address, self.round, text)
            )

    async def execute(
        self,
        sandbox: Sandbox,
        code: str,
        *,
        tables: Mapping[str, Path] = {},
        session: str | None = None,
        past: Sequence[str] = (),
        seconds: float | None = None,
    ) -> Execution:
        """Run code that nobody trusts, as `Sandbox.execute` does. What holds it is told once a run,
        and no run gets the `session` of another. Errors: `SandboxUnsafe`, `SandboxError`."""
        await self.session.find_walls(sandbox, self.address, self.round)
        own = None if session is None else f"{self.session.run_id}/{session}"
        if own is not None:
            self.session.hold((CodeSession, own), lambda: CodeSession(sandbox, own))
        return await sandbox.execute(code, tables=tables, session=own, past=past, seconds=seconds)

    async def forget(self, sandbox: Sandbox, session: str) -> None:
        """Throw a session of `execute` away."""
        await sandbox.forget(f"{self.session.run_id}/{session}")

    def save(
        self,
        stem: str,
        kind: str,
        content: bytes,
        description: str,
        origin: Origin | None = None,
        *,
        what: What = "file",
        forms: Mapping[str, bytes] | None = None,
    ) -> Artifact:
        """Write a file to the run's folder, with other `forms` of it by their extensions. It
        belongs to the run once this step ends."""
        saved = self.session.artifacts.save
        artifact = saved(
            self.address, stem, kind, content, description, origin, what=what, forms=forms
        )
        self.saved = (*(each for each in self.saved if each.name != artifact.name), artifact)
        return artifact

    def used_seconds(self) -> float:
        """Wall time that the run has used so far, those before a resume included."""
        return round(self.session.meter.elapsed(), 3)

    # What both use.

    def notice(self, text: str) -> None:
        """Tell the person something, in a sentence."""
        self.session.notice(self.address, self.round, text)


def begin(
    session: Session, flow: Flow, inputs: Mapping[str, Any]
) -> Coroutine[Any, Any, dict[str, Any]]:
    """Call the top flow of a run. Errors: as for `Run.call`."""
    session.title = flow.name
    return Run(session, None, "", 0).call(flow, inputs)


async def _do(session: Session, flow: Flow, inputs: Any, run: Run) -> dict[str, Any]:
    """A composite's call, or an atomic one that is recorded, guarded, or leaves something."""
    result: Any
    if not isinstance(flow, AtomicFlow):
        if not flow.guarded:
            result = await flow.run(inputs, run)
        elif session.journal is None:
            result = await _within(flow, inputs, run)
        else:
            result = await _timed(session, session.journal, flow, inputs, run)
        return result if type(result) is dict else dict(result)
    if session.journal is not None:
        result = await _journalled(session.journal, flow, inputs, run)
    else:
        result = await (_attempt(flow, inputs, run) if flow.guarded else flow.run(inputs, run))
    if type(result) is not flow.outputs_type:
        raise _not_outputs(flow, result)
    _settle(session, flow, inputs, result, run)
    outputs: dict[str, Any] = result.__dict__
    return outputs


async def _timed(
    session: Session, journal: Journal, flow: Flow, inputs: Any, run: Run
) -> Mapping[str, Any]:
    """A composite with a time limit: that the limit was reached is recorded, as time will not
    tell it again. Then the steps that were done are taken, and none is begun."""
    row = journal.steps.pop(run.address, None)
    if row is not None:
        before = session.frozen
        session.frozen = (*before, f"{run.address}/" if run.address else "")
        error = recorded_error(row.data())
        with suppress(StepFailed, NotRecorded):
            await flow.run(inputs, run)
        session.frozen = before
        raise error
    try:
        result: Mapping[str, Any] = await _within(flow, inputs, run)
    except StepTimeout as error:
        text = failure_text(error, run.used_seconds(), None)
        await journal.write("failure", run.address, "", text)
        raise
    return result


def _settle(session: Session, flow: AtomicFlow, inputs: Any, result: Any, run: Run) -> None:
    """What an atomic call leaves in the session: folded state and artifacts."""
    if flow.folds:
        session.states[flow.path] = flow.apply(run.state, inputs, result)
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


async def _journalled(journal: Journal, flow: AtomicFlow, inputs: Any, run: Run) -> Ports:
    """Reuse what is recorded for this address, or do it, and record what came of it."""
    digest = blake2b(to_json(inputs), digest_size=12).hexdigest()
    row = journal.take(run.address, digest, flow)
    if row is not None and row.kind != "intent":
        return _reuse(row, flow, run)
    if run.session.frozen and run.address.startswith(run.session.frozen):
        raise NotRecorded
    if flow.effect == "once":
        if row is not None and (settled := await _ask_outcome(row, flow, inputs, run)) is not None:
            body = outcome_text(flow, settled, run.used_seconds(), None, ())
            await journal.write("outcome", run.address, digest, body)
            return settled
        await journal.write("intent", run.address, digest, "{}")
    elif flow.effect == "idempotent" and (commit := journal.pending()) is not None:
        await commit
    session = run.session
    session.at_work += 1
    try:
        result = await (_attempt(flow, inputs, run) if flow.guarded else flow.run(inputs, run))
        if type(result) is not flow.outputs_type:
            raise _not_outputs(flow, result)
        body = outcome_text(flow, result, run.used_seconds(), run.usage, run.saved)
    except (JournalError, StepFailed):
        raise
    except (Exception, SystemExit) as error:
        text = failure_text(error, run.used_seconds(), run.usage)
        await journal.write("failure", run.address, digest, text)
        raise
    finally:
        session.at_work -= 1
    commit = journal.append("outcome", run.address, digest, body, durable=flow.effect != "pure")
    if commit is not None:
        await commit
    return result


async def _ask_outcome(row: Row, flow: AtomicFlow, inputs: Any, run: Run) -> Ports | None:
    """What a person says of a step that began, must not be done twice, and of which nothing more
    is known: its outputs, or None to do it again. Errors: `Waiting`; `StepError` if it failed."""
    question = outcome_question(row, flow, inputs, run.address, run.effect_key)
    while True:
        answer = await run.ask_person(run.session.human, question)
        try:
            return read_outcome(flow, answer.text)
        except ValueError as error:
            run.notice(f"This is no answer to it: {error}")
            question = question.model_copy(update={"id": f"{question.id}+"})


def _not_outputs(flow: AtomicFlow, result: object) -> PortError:
    return PortError(f"{flow.name}: run must return its Outputs, not a {type(result).__name__}")


def _reuse(row: Row, flow: AtomicFlow, run: Run) -> Ports:
    """A recorded outcome as if it had just happened, or the recorded failure raised again."""
    run.reused = True
    body = from_json(row.body)
    if "usage" in body:
        run.usage = Usage.model_validate(body["usage"])
    if row.kind == "failure":
        raise recorded_error(body)
    run.saved = tuple(Artifact.model_validate(each) for each in body.get("saved", ()))
    text = to_json(body["outputs"], inf_nan_mode="constants")
    return flow.outputs_adapter.validate_json(text)


async def _within(flow: Flow, inputs: Any, run: Run) -> Any:
    """Run the flow within its time limit, if it has one. Errors: `StepTimeout`."""
    seconds = flow.config.timeout
    try:
        async with asyncio.timeout(seconds) as limit:
            return await flow.run(inputs, run)
    except TimeoutError as error:
        if limit.expired():
            raise StepTimeout(f"{flow.name} took more than {seconds:g} s") from error
        raise


async def _attempt(flow: AtomicFlow, inputs: Any, run: Run) -> Any:
    """Run an atomic flow as often as its `retry` allows while its errors may pass."""
    from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt

    retry = flow.config.retry

    def tell(state: RetryCallState) -> None:
        wait = state.next_action.sleep if state.next_action else 0.0
        cause = state.outcome.exception() if state.outcome else None
        _emit_retry(run, state.attempt_number, wait, str(cause))

    async for attempt in AsyncRetrying(
        stop=stop_after_attempt(retry.attempts),
        wait=_waits(retry),
        retry=retry_if_exception(_may_pass),
        before_sleep=tell,
        reraise=True,
    ):
        with attempt:
            await run.session.check_time(run.address)
            run.saved = ()
            return await _within(flow, inputs, run)
    raise AssertionError("tenacity ends by returning or raising")


def _waits(retry: Retry) -> Callable[[RetryCallState], float]:
    """A growing wait in seconds, or the one that the provider asked for if that is longer."""
    from tenacity.wait import wait_exponential

    growing = wait_exponential(multiplier=retry.wait, max=retry.wait_max)

    def wait(state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked = error.retry_after if isinstance(error, ModelError) else None
        return max(growing(state), min(asked or 0.0, retry.wait_max))

    return wait


def _may_pass(error: BaseException) -> bool:
    if isinstance(error, ModelError):
        return error.transient
    return isinstance(error, (ToolError, StepTimeout))


def _emit_retry(run: Run, attempt: int, wait: float, message: str) -> None:
    session = run.session
    if session.listeners:
        seq = session.next_seq()
        session.emit(Retrying(session.run_id, seq, run.address, run.round, attempt, wait, message))


def _tell(run: Run, flow: Flow, error: BaseException) -> None:
    session = run.session
    if session.listeners:
        session.emit(
            StepErred(
                session.run_id,
                session.next_seq(),
                run.address,
                run.round,
                flow.name,
                type(error).__name__,
                redact_pieces(str(error)),
            )
        )
