"""Calls of tools: each is a run of its flow, or goes on with one that waits for an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mcp.server import ServerRequestContext
from mcp_types import CallToolRequestParams, CallToolResult, InputRequiredResult

from flows.core.artifacts import Artifact
from flows.core.events import Listener
from flows.core.result import RunResult
from flows.errors import FlowsError, ToolError, UsageError
from flows.library.csv_chat.reply import TurnReply
from flows.records.lookup import RunPlace, find_run
from flows.records.record import read_record
from flows.runners.local import new_run_id
from flows.services.conversation import TurnListener
from flows.services.hosting.hosted_flow import HostedFlow
from flows.services.hosting.run_host import RunHost
from flows.services.run_reply import PersonQuestion, RunReply, reply_of
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
from flows.web.mcp.resources import ArtifactUri
from flows.web.mcp.results import refusal, run_result, waiting_result
from flows.web.mcp.tools import ANSWER

ToolResult = CallToolResult | InputRequiredResult
Work = Coroutine[Any, Any, RunResult]

TOOL: Final = "tool"  # in the record of a run: the tool that began it
_ASKED: Final = 100  # questions that one call asks
_TRIES: Final = 5  # answers to one question that are refused
_REMEMBERED: Final = 1_000  # runs whose artifacts are listed


@dataclass(frozen=True, slots=True)
class RunEnd:
    """What a run came to, as a reply and whole."""

    reply: RunReply
    result: RunResult

    @property
    def question(self) -> PersonQuestion | None:
        """What the person is to be asked; none where a conversation goes on with what they say."""
        asked = self.reply.question
        return None if asked is None or (self.reply.open_ended and not asked.options) else asked


@dataclass(frozen=True, slots=True)
class ToolRun:
    """A run of a tool: its id, the tool's flow, and the request that waits for it."""

    id: str
    flow: HostedFlow
    context: ServerRequestContext[Any, Any]


class ToolCalls:
    """Carries calls out. A call that is cancelled stops its run, which can be gone on with."""

    def __init__(self, host: RunHost, flows: Mapping[str, HostedFlow]) -> None:
        self.flows = flows
        self._host = host
        self._begun: dict[str, HostedFlow] = {}
        self._at_work: set[asyncio.Task[Any]] = set()

    @property
    def begun(self) -> Sequence[str]:
        """The runs that this process has begun or gone on with, the last one last."""
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
                flow, _ = await self._found(str(given.get("run", "")))
                run = ToolRun(str(given["run"]), flow, context)
                end = await self._go_on(run, str(given.get(ANSWER, "")), given.get("step"))
                return await self._asked(run, end)
            if params.request_state is not None:
                run = ToolRun(asked_run(params.request_state), flow, context)
                return await self._answered_form(run, params)
            flow.check_inputs(given)
        except FlowsError as error:
            return refusal(str(error))
        return await self._begin(ToolRun(new_run_id(), flow, context), params.name, given)

    async def artifact(self, uri: ArtifactUri) -> tuple[Artifact, Path]:
        """An artifact and the folder of its run. Errors: `ToolError` where there is none."""
        try:
            _, place = await self._found(uri.run)
            record = await asyncio.to_thread(lambda: read_record(place, place.rows()))
        except FlowsError as error:
            raise ToolError(str(error)) from error
        for each in record.artifacts:
            if each.name == uri.name:
                return each, place.folder
        raise ToolError(f"the run {uri.run} has no artifact {uri.name!r}")

    async def artifacts(self, run_id: str) -> Sequence[Artifact]:
        """The artifacts of a run that this process has begun; none of one that is not recorded."""
        try:
            _, place = await self._found(run_id)
            return (await asyncio.to_thread(lambda: read_record(place, place.rows()))).artifacts
        except FlowsError:
            return ()

    async def aclose(self) -> None:
        """Stop what is at work; each run can be gone on with."""
        for task in self._at_work:
            task.cancel()
        await asyncio.gather(*self._at_work, return_exceptions=True)

    async def _begin(self, run: ToolRun, tool: str, inputs: Mapping[str, Any]) -> ToolResult:
        self._note(run)

        def work(listeners: Sequence[Listener]) -> Work:
            return self._host.begin(
                run.flow.file, inputs, run_id=run.id, more={TOOL: tool}, listeners=listeners
            )

        try:
            return await self._asked(run, await self._worked(run, work))
        except FlowsError as error:
            return refusal(str(error))

    async def _go_on(self, run: ToolRun, answer: str, step: str | None) -> RunEnd:
        """Errors: `UsageError` for an answer that is refused, and other `FlowsError`."""
        self._note(run)

        def work(listeners: Sequence[Listener]) -> Work:
            return self._host.go_on(
                run.flow.file, run.id, answer=answer, step=step, listeners=listeners
            )

        return await self._worked(run, work)

    async def _asked(self, run: ToolRun, end: RunEnd) -> ToolResult:
        """What a call comes to. A question to the person is asked while the client can do so; one
        that gets no answer is the result, and the run waits with it."""
        for _ in range(_ASKED):
            question = end.question
            if question is None or not can_ask(run.context):
                break
            if is_modern(run.context):
                return form_result(run.id, question)
            answered = await self._answered(run, question)
            if answered is None:
                break
            end = answered
        return run_result(end.reply, end.result)

    async def _answered(self, run: ToolRun, question: PersonQuestion) -> RunEnd | None:
        """Go on with what the person says to a form; None where they give no answer."""
        refused = ""
        for _ in range(_TRIES):
            answer = form_answer(question, await asked_form(run.context, question, refused))
            if answer is None:
                return None
            try:
                return await self._go_on(run, answer, question.step)
            except UsageError as error:
                refused = str(error)
        return None

    async def _answered_form(self, run: ToolRun, params: CallToolRequestParams) -> ToolResult:
        """Go on with a run by a form that comes back with the call that has asked it."""
        question = await self._host.open_question(run.flow.file, run.id)
        if question is None:
            return refusal(f"the run {run.id} waits for no answer any more")
        given = (params.input_responses or {}).get(FIELD)
        if asked_question(params.request_state) != question.id or not is_form_result(given):
            return form_result(run.id, question)
        answer = form_answer(question, given)
        if answer is None:
            return waiting_result(run.id, question)
        try:
            end = await self._go_on(run, answer, question.step)
        except UsageError as error:
            return form_result(run.id, question, str(error))
        return await self._asked(run, end)

    async def _worked(self, run: ToolRun, work: Callable[[Sequence[Listener]], Work]) -> RunEnd:
        """The end of a run, or of a part of it, of which the client is told how far it is."""
        turns: list[TurnReply] = []
        progress = ProgressReport(run.context.session.report_progress, f"Run {run.id}")
        listeners = (progress, TurnListener(lambda reply, _: turns.append(reply)))
        task = asyncio.create_task(work(listeners))
        self._at_work.add(task)
        task.add_done_callback(self._at_work.discard)
        try:
            result = await task
        finally:
            await progress.aclose()
        return RunEnd(reply_of(result, turns[-1] if turns else None), result)

    def _note(self, run: ToolRun) -> None:
        self._begun.pop(run.id, None)
        self._begun[run.id] = run.flow
        if len(self._begun) > _REMEMBERED:
            del self._begun[next(iter(self._begun))]

    async def _found(self, run_id: str) -> tuple[HostedFlow, RunPlace]:
        """A run of a tool and where it is kept. Errors: `UsageError` for one that is none."""
        return await asyncio.to_thread(self._find, run_id)

    def _find(self, run_id: str) -> tuple[HostedFlow, RunPlace]:
        for folder in {each.plan.runs_folder for each in self.flows.values()}:
            with suppress(UsageError):
                place = find_run(folder, run_id)
                flow = self.flows.get(place.rows()[0].data().get(TOOL, ""))
                if flow is not None and place.run_id == run_id:
                    return flow, place
        raise UsageError(f"there is no run {run_id!r} of these tools")
