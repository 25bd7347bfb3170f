"""Calls of tools: each is a run of its flow, or goes on with one that waits for an answer."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Final

import anyio
from mcp.server import ServerRequestContext
from mcp_types import CallToolRequestParams, CallToolResult, InputRequiredResult

from flows.core.values import Values
from flows.errors import FlowsError, StateConflict, UsageError
from flows.human.answers import escaped
from flows.services.hosting.run_index import RunState
from flows.services.hosting.service import RunService
from flows.services.hosting.view import run_json
from flows.services.recorded_reply import recorded_reply
from flows.services.run_reply import PersonQuestion, RunReply
from flows.web.mcp.elicitation import (
    FIELD,
    asked_form,
    asked_question,
    asked_run,
    can_ask,
    form_answer,
    form_result,
    is_form_result,
    is_modern,
)
from flows.web.mcp.progress import ProgressReport
from flows.web.mcp.results import refusal, run_result
from flows.web.mcp.tools import ANSWER, check_answer_call, flow_tools

ToolResult = CallToolResult | InputRequiredResult

_ASKED: Final = 100  # questions that one call asks
_TRIES: Final = 5  # answers to one question that are refused
_REMEMBERED: Final = 1_000  # runs whose artifacts are listed
_LOOK_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class ToolRun:
    """A run, and the request that waits for it."""

    id: str
    context: ServerRequestContext[Any, Any]


@dataclass(frozen=True, slots=True)
class RunEnd:
    """What a run came to: as a reply, and whole in JSON."""

    reply: RunReply
    whole: Values

    @property
    def question(self) -> PersonQuestion | None:
        """What the person is to be asked; none where a conversation goes on with what they say."""
        asked = self.reply.question
        return None if asked is None or (self.reply.open_ended and not asked.options) else asked


class ToolCalls:
    """Carries calls out, over a service of runs. A call that is cancelled cancels its run, which
    can be resumed."""

    def __init__(self, service: RunService) -> None:
        self.flows = flow_tools(service.flows.values())
        self.service = service
        self._begun: dict[str, None] = {}

    @property
    def begun(self) -> tuple[str, ...]:
        """The runs that were begun or gone on with here, the last one last."""
        return tuple(self._begun)

    async def call(
        self, context: ServerRequestContext[Any, Any], params: CallToolRequestParams
    ) -> ToolResult:
        """What a call of a tool comes to. What goes wrong is a result too, in words. Errors:
        `KeyError` for an unknown tool."""
        given = params.arguments or {}
        flow = None if params.name == ANSWER else self.flows[params.name]
        try:
            if flow is None:
                check_answer_call(given)
                run = ToolRun(str(given["run"]), context)
                answer = escaped(str(given[ANSWER]))
                await self.service.answer(run.id, answer, given.get("step"))
                return await self._asked(run, await self._end(run))
            if params.request_state is not None:
                return await self._answered_form(
                    ToolRun(asked_run(params.request_state), context), params
                )
            started = await self.service.start(flow.name, given, caller=_caller(context))
            run = ToolRun(started.run_id, context)
            return await self._asked(run, await self._end(run))
        except FlowsError as error:
            return refusal(str(error))

    async def state(self, run_id: str) -> RunState:
        """How a run stands. Errors: `NotFound`, `JournalError`."""
        return await asyncio.to_thread(self.service.runs.state, run_id)

    async def _asked(self, run: ToolRun, end: RunEnd) -> ToolResult:
        """What a call comes to. A question to the person is asked while the client can do so; one
        that gets no answer is the result, and the run waits with it."""
        for _ in range(_ASKED):
            question = end.question
            if question is None or not can_ask(run.context):
                break
            if is_modern(run.context):
                return form_result(run.id, question)
            if not await self._answered(run, question):
                break
            end = await self._end(run)
        return run_result(end.reply, end.whole)

    async def _answered(self, run: ToolRun, question: PersonQuestion) -> bool:
        """Whether the person gave an answer that the run goes on with."""
        refused = ""
        for _ in range(_TRIES):
            answer = form_answer(question, await asked_form(run.context, question, refused))
            if answer is None:
                return False
            try:
                await self.service.answer(run.id, escaped(answer), question.step)
                return True
            except StateConflict:
                raise
            except UsageError as error:
                refused = str(error)
        return False

    async def _answered_form(self, run: ToolRun, params: CallToolRequestParams) -> ToolResult:
        """Go on with a run by a form that comes back with the call that has asked it."""
        end = await self._told(run.id)
        question = end.question
        if question is None:
            return run_result(end.reply, end.whole)
        given = (params.input_responses or {}).get(FIELD)
        if asked_question(params.request_state) != question.id or not is_form_result(given):
            return form_result(run.id, question)
        answer = form_answer(question, given)
        if answer is None:
            return run_result(end.reply, end.whole)
        try:
            await self.service.answer(run.id, escaped(answer), question.step)
        except StateConflict:
            raise
        except UsageError as error:
            return form_result(run.id, question, str(error))
        return await self._asked(run, await self._end(run))

    async def _end(self, run: ToolRun) -> RunEnd:
        """Wait until the run is over or asks, and tell the client how far it is."""
        self._note(run.id)
        report = run.context.session.report_progress
        try:
            async with ProgressReport(self.service.watch(run.id), report, f"Run {run.id}"):
                while run.id in self.service.live:
                    await self.service.wait(run.id, _LOOK_SECONDS)
        except asyncio.CancelledError:
            with anyio.CancelScope(shield=True):
                await self._cancel(run.id)
            raise
        return await self._told(run.id)

    async def _cancel(self, run_id: str) -> None:
        """Cancel a run that nobody waits for; one of a service that ends goes on with the next."""
        if self.service.is_open:
            try:
                await self.service.cancel(run_id)
            except StateConflict:  # it was over before
                return

    async def _told(self, run_id: str) -> RunEnd:
        state = await self.state(run_id)
        if state.record is None:
            reason = state.stored.reason if state.stored is not None else ""
            raise UsageError(reason or f"the run {run_id} is {state.status}")
        return RunEnd(await asyncio.to_thread(recorded_reply, state.record), run_json(state))

    def _note(self, run_id: str) -> None:
        self._begun.pop(run_id, None)
        self._begun[run_id] = None
        if len(self._begun) > _REMEMBERED:
            del self._begun[next(iter(self._begun))]


def _caller(context: ServerRequestContext[Any, Any]) -> str:
    """Whose token the request was sent with; nobody's over the standard streams."""
    access = getattr(getattr(context.request, "state", None), "access", None)
    return access.name if access is not None else ""
