"""Runs on behalf of clients: begun, gone on with, and asking the client for what it can give."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import anyio
from mcp import MCPError
from mcp.server import ServerRequestContext
from mcp.shared.message import ServerMessageMetadata
from mcp_types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    CreateMessageResult,
    CreateMessageResultWithTools,
    ElicitResult,
    InputRequiredResult,
    InputResponse,
    InputResponseRequestParams,
)

from flows.core.values import Values
from flows.errors import NotFound, StateConflict, UsageError
from flows.human.answers import escaped
from flows.models.client import ClientModel, answered_by
from flows.records.record import RunRecord
from flows.services.hosting.hosted_flow import HostedFlow
from flows.services.hosting.run_index import RunState
from flows.services.hosting.service import RunService
from flows.services.hosting.view import run_json
from flows.services.recorded_reply import recorded_reply
from flows.services.run_reply import RunReply, person_question
from flows.web.mcp.elicitation import FIELD, PersonForm, asked_form, can_ask, form_answer, is_modern
from flows.web.mcp.logs import ClientLogs
from flows.web.mcp.progress import ProgressReport
from flows.web.mcp.sampling import ModelCall, ModelCalls, can_sample
from flows.web.server.access import Access, check_open_runs

Context = ServerRequestContext[Any, Any]
Want = PersonForm | ModelCall

_ASKED: Final = 100  # times that one call asks
_TRIES: Final = 5  # answers to one question that are refused
_REMEMBERED: Final = 1_000  # runs whose artifacts are listed
_LOOK_SECONDS: Final = 60.0
_GATHER_SECONDS: Final = 0.05  # how long the first call of a model waits for those beside it


@dataclass(slots=True)
class ClientRun:
    """A run, the request that waits for it, and what came with that of what the run asks: the
    `answers` by their keys, each to the question whose id is in `asked`, if that is known. After
    `task_after` seconds the request is over, and the run a task."""

    id: str
    context: Context
    answers: dict[str, InputResponse] = field(default_factory=dict)
    asked: Mapping[str, str] | None = None
    refused: dict[str, str] = field(default_factory=dict)
    tries: int = 0
    task_after: float | None = None


@dataclass(frozen=True, slots=True)
class RunTask:
    """A run that goes on without the request that has begun it."""

    run_id: str


@dataclass(frozen=True, slots=True)
class RunEnd:
    """What a run came to: as a reply, whole in JSON, and as it is recorded."""

    reply: RunReply
    whole: Values
    record: RunRecord


class ClientRuns:
    """Carries runs out for clients, over a service of runs. A request that is cancelled cancels
    its run, which can be resumed."""

    def __init__(self, service: RunService) -> None:
        self.service = service
        self.logs = ClientLogs()
        self._begun: dict[str, str] = {}  # runs, and who has begun or gone on with each
        self._models: dict[str, ModelCalls] = {}

    def begun(self, context: Context) -> tuple[str, ...]:
        """The runs that the client's token has begun or gone on with here, the last one last."""
        caller = _caller(context)
        return tuple(run_id for run_id, each in self._begun.items() if each == caller)

    def check_own(self, context: Context, run_id: str) -> None:
        """Over HTTP a run is its token's alone. Errors: `NotFound` for one that another has
        started, as for one that is not there."""
        if _access(context) is None:
            return
        stored = self.service.store.find(run_id)
        if stored is None or stored.caller != _caller(context):
            raise NotFound(f"there is no run {run_id[:100]!r}")

    def check_answers(self, context: Context, run_id: str) -> None:
        """Errors: as of `check_own`; `UsageError` for a token that may not answer."""
        self.check_own(context, run_id)
        access = _access(context)
        if access is not None and "answer" not in access.scopes:
            raise UsageError(f"the token {access.name} lacks the scope answer")

    async def carry_out(
        self,
        context: Context,
        flow: HostedFlow,
        given: Mapping[str, Any],
        params: InputResponseRequestParams,
    ) -> RunEnd | InputRequiredResult:
        """Run a flow, or go on with the run that an earlier request of the same kind has begun.
        Errors: as of `carry_out_or_leave`."""
        end = await self.carry_out_or_leave(context, flow, given, params, None)
        assert not isinstance(end, RunTask)
        return end

    async def carry_out_or_leave(
        self,
        context: Context,
        flow: HostedFlow,
        given: Mapping[str, Any],
        params: InputResponseRequestParams,
        task_after: float | None,
    ) -> RunEnd | RunTask | InputRequiredResult:
        """The same; after `task_after` seconds, if any, the run goes on without the request.

        Errors: `FlowsError`; `MCPError` for a client without a model that the flow needs.
        """
        check_abilities(context, flow)
        answers = dict(params.input_responses or {})
        if params.request_state is not None:
            state = json.loads(params.request_state)
            self.check_own(context, str(state["run"]))
            run = ClientRun(str(state["run"]), context, answers, state["asked"])
            run.task_after = task_after
            return await self._to_end(run)
        if (access := _access(context)) is not None:
            check_open_runs(self.service, access)
        model = ModelCalls()
        with answered_by(model):
            started = await self.service.start(flow.name, given, caller=_caller(context))
        self._keep_model(started.run_id, model)
        return await self._to_end(
            ClientRun(started.run_id, context, answers, task_after=task_after)
        )

    async def answer(
        self, context: Context, run_id: str, text: str, step: str | None
    ) -> RunEnd | RunTask | InputRequiredResult:
        """Answer the question of a run, and go on with it. Errors: `FlowsError`."""
        self.check_answers(context, run_id)
        await self._answer(run_id, text, step)
        return await self._to_end(ClientRun(run_id, context))

    async def state(self, context: Context, run_id: str) -> RunState:
        """How a run of the client stands. Errors: `NotFound`, `JournalError`."""
        self.check_own(context, run_id)
        return await asyncio.to_thread(self.service.runs.state, run_id)

    async def end_of(self, run_id: str) -> RunEnd:
        """What a run came to so far. Errors: `NotFound`, `JournalError`; `UsageError` for one that
        has recorded nothing."""
        state = await asyncio.to_thread(self.service.runs.state, run_id)
        if state.record is None:
            reason = state.stored.reason if state.stored is not None else ""
            raise UsageError(reason or f"the run {run_id} is {state.status}")
        reply = await asyncio.to_thread(recorded_reply, state.record)
        return RunEnd(reply, run_json(state), state.record)

    async def give(
        self, context: Context, run_id: str, answers: Mapping[str, InputResponse], seconds: float
    ) -> None:
        """Give a run what it asks, by its keys, without waiting for its end; between two questions
        it is waited for so long. Errors: `FlowsError`."""
        self.check_answers(context, run_id)
        run = ClientRun(run_id, context, dict(answers))
        for _ in range(_ASKED):
            wants: Sequence[Want] = self.open_calls(run_id)
            if not wants:
                await self.service.wait(run_id, seconds)
                wants = self._forms(run, await self.end_of(run_id))
            given = [each for each in wants if each.key in run.answers]
            if not given:
                return
            for want in given:
                if not await self._give(run, want):
                    return
                if isinstance(want, PersonForm):
                    break
            if len(wants) == 1:
                return

    def open_calls(self, run_id: str) -> list[ModelCall]:
        """The calls of the client's model that a run waits for."""
        model = self._models.get(run_id)
        return list(model.open.values()) if model is not None else []

    def forms(self, context: Context, end: RunEnd) -> Sequence[PersonForm]:
        """What a run asks the person, as far as the client can ask them."""
        return self._forms(ClientRun(end.reply.run_id, context), end)

    async def _to_end(self, run: ClientRun) -> RunEnd | RunTask | InputRequiredResult:
        """Wait for a run, and ask the client for what it wants meanwhile, as long as the client
        gives it. A question that gets no answer is left open, and the run waits with it."""
        for _ in range(_ASKED):
            await self._until_idle(run)
            calls = self.open_calls(run.id)
            if not calls and run.id in self.service.live:
                return RunTask(run.id)
            end = await self.end_of(run.id) if not calls else None
            wants: Sequence[Want] = calls if end is None else self._forms(run, end)
            if not wants:
                break
            if is_modern(run.context):
                given = [each for each in wants if each.key in run.answers]
                if not given:
                    return input_required(run.id, wants)
                wants = given
            for want in wants:
                if not await self._give(run, want):
                    return await self.end_of(run.id)
                if isinstance(want, PersonForm):  # the run goes on, and may ask something else
                    break
        return await self.end_of(run.id)

    def _forms(self, run: ClientRun, end: RunEnd) -> Sequence[PersonForm]:
        """What the person is to be asked; nothing where a conversation goes on with what they say,
        or the client shows no forms."""
        first = end.reply.question
        if first is None or (end.reply.open_ended and not first.options):
            return ()
        if not can_ask(run.context):
            return ()
        forms: dict[str, PersonForm] = {}
        for asked in end.record.questions:
            question = first if asked.question.id == first.id else person_question(asked)
            name, _, number = question.step.rpartition("/")[2].partition("#")
            key = (name or FIELD) if number in ("", "1") else f"{name}_{number}"
            if key in forms:
                key = question.step
            forms[key] = PersonForm(key, question, run.refused.get(question.id, ""))
        return list(forms.values())

    async def _give(self, run: ClientRun, want: Want) -> bool:
        """Give the run what it wants of the client; False where the person gives no answer."""
        given = await self._given(run, want)
        if isinstance(want, ModelCall):
            if isinstance(given, CreateMessageResult | CreateMessageResultWithTools):
                want.take(given)
                await asyncio.sleep(0)  # it is no longer open after this
            return True
        if not isinstance(given, ElicitResult):
            return True
        answer = form_answer(want.question, given)
        if answer is None:
            return False
        try:
            await self._answer(run.id, escaped(answer), want.question.step)
        except StateConflict:
            raise
        except UsageError as error:
            run.refused[want.id] = str(error)
            run.tries += 1
            return run.tries < _TRIES
        run.tries = 0
        return True

    async def _given(self, run: ClientRun, want: Want) -> object:
        """What the client gives: what came with its request, or what it is asked for now. Nothing
        of what answers an earlier question."""
        if is_modern(run.context):
            given = run.answers.pop(want.key, None)
            known = run.asked is None or run.asked.get(want.key) == want.id
            return given if known else None
        if isinstance(want, PersonForm):
            return await asked_form(run.context, want)
        try:
            return await run.context.session.send_request(
                want.request(),
                CreateMessageResult,
                metadata=ServerMessageMetadata(related_request_id=run.context.request_id),
            )
        except (MCPError, ValueError) as error:
            want.refuse(str(error))
            await asyncio.sleep(0)
            return None

    async def _answer(self, run_id: str, text: str, step: str | None) -> None:
        """Errors: as of `RunService.answer`."""
        model = self._models.get(run_id) or ModelCalls()
        self._keep_model(run_id, model)
        with answered_by(model):
            await self.service.answer(run_id, text, step)

    async def _until_idle(self, run: ClientRun) -> None:
        """Wait until the run is over, asks the person or the client's model, or becomes a task;
        the client is told how far it is."""
        self._note(run.id, _caller(run.context))
        model = self._models.get(run.id)
        report = run.context.session.report_progress
        log = self.logs.log(run.context)
        try:
            async with (
                ProgressReport(self.service.watch(run.id), report, f"Run {run.id}", log),
                asyncio.timeout(run.task_after),
            ):
                while run.id in self.service.live:
                    if await self._asks_model(run.id, model):
                        await asyncio.sleep(_GATHER_SECONDS)
                        return
        except TimeoutError:
            return
        except asyncio.CancelledError:
            with anyio.CancelScope(shield=True):
                await self._cancel(run.id)
            raise
        self._models.pop(run.id, None)

    async def _asks_model(self, run_id: str, model: ModelCalls | None) -> bool:
        """Whether the run asks the client's model, after a while, or when it is over."""
        over = asyncio.create_task(self.service.wait(run_id, _LOOK_SECONDS))
        asks = asyncio.create_task(model.asked.wait()) if model is not None else None
        waiting = [each for each in (over, asks) if each is not None]
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waiting:
                each.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
        return model is not None and model.asked.is_set() and run_id in self.service.live

    async def _cancel(self, run_id: str) -> None:
        """Cancel a run that nobody waits for; one of a service that ends goes on with the next."""
        if self.service.is_open:
            try:
                await self.service.cancel(run_id)
            except StateConflict:  # it was over before
                return

    def _keep_model(self, run_id: str, model: ModelCalls) -> None:
        """Keep what a run asks its client's model, as long as it runs, or may soon."""
        if len(self._models) > _REMEMBERED:
            live = self.service.live
            self._models = {key: each for key, each in self._models.items() if key in live}
        self._models[run_id] = model

    def _note(self, run_id: str, caller: str) -> None:
        self._begun.pop(run_id, None)
        self._begun[run_id] = caller
        if len(self._begun) > _REMEMBERED:
            del self._begun[next(iter(self._begun))]


def check_abilities(context: Context, flow: HostedFlow) -> None:
    """Errors: `MCPError` for a client without a model, where the flow asks the client's."""
    asks = any(isinstance(each, ClientModel) for each in flow.plan.services)
    if asks and not can_sample(context):
        raise MCPError(
            code=MISSING_REQUIRED_CLIENT_CAPABILITY,
            message=f"{flow.name} asks the model of the client (sampling), and this one offers "
            "none; serve it with a model of its own, such as model=openai",
            data={"requiredCapabilities": {"sampling": {}}},
        )


def input_required(run_id: str, wants: Sequence[Want]) -> InputRequiredResult:
    """What a run wants of the client, as the result of a request, which is to be made again with
    what comes of it. Its state is sealed on the way."""
    state = json.dumps({"run": run_id, "asked": {each.key: each.id for each in wants}})
    return InputRequiredResult(
        input_requests={each.key: each.request() for each in wants}, request_state=state
    )


def _access(context: Context) -> Access | None:
    """By which token the request was sent; None over the standard streams."""
    access: Access | None = getattr(getattr(context.request, "state", None), "access", None)
    return access


def _caller(context: Context) -> str:
    access = _access(context)
    return access.name if access is not None else ""
