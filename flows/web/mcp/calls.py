"""Calls of tools: each is a run of its flow, or goes on with one that waits for an answer."""

from __future__ import annotations

import asyncio
from typing import Final

from mcp_types import CallToolRequestParams, CallToolResult, InputRequiredResult

from flows.core.values import Values
from flows.errors import FlowsError
from flows.human.answers import escaped
from flows.services.hosting.hosted_flow import HostedFlow
from flows.web.mcp.results import refusal, run_result
from flows.web.mcp.runs import ClientRuns, Context, RunEnd, RunTask
from flows.web.mcp.tasks import RunTasks, check_task, takes_tasks
from flows.web.mcp.tools import ANSWER, check_answer_call, flow_tools

ToolResult = CallToolResult | InputRequiredResult | Values

_TASK_SECONDS: Final = 0.8  # after which a call is a task, for clients that take tasks


class ToolCalls:
    """Carries calls out. What goes wrong is a result too, in words."""

    def __init__(self, runs: ClientRuns, tasks: RunTasks) -> None:
        self.flows: dict[str, HostedFlow] = flow_tools(
            each for each in runs.service.flows.values() if each.mcp.kind == "tool"
        )
        self._runs, self._tasks = runs, tasks

    async def call(self, context: Context, params: CallToolRequestParams) -> ToolResult:
        """What a call of a tool comes to. Errors: `KeyError` for an unknown tool; `MCPError` for
        a client that cannot what the flow needs."""
        given = params.arguments or {}
        flow = None if params.name == ANSWER else self.flows[params.name]
        try:
            if flow is None:
                check_answer_call(given)
                answer = escaped(str(given[ANSWER]))
                end = await self._runs.answer(context, str(given["run"]), answer, given.get("step"))
            else:
                check_task(context, flow)
                after = _task_after(context, flow)
                end = await self._runs.carry_out_or_leave(context, flow, given, params, after)
            if isinstance(end, RunTask):
                return await self._tasks.created(context, end.run_id)
            if not isinstance(end, RunEnd):
                return end
            return await asyncio.to_thread(run_result, end.reply, end.whole, end.record)
        except FlowsError as error:
            return refusal(str(error))


def _task_after(context: Context, flow: HostedFlow) -> float | None:
    """The seconds after which a call is a task; None where it is none."""
    if flow.mcp.task == "never" or not takes_tasks(context):
        return None
    return 0.0 if flow.mcp.task == "always" else _TASK_SECONDS
