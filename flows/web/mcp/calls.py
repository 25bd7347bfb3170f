"""Calls of tools: each is a run of its flow, or goes on with one that waits for an answer."""

from __future__ import annotations

import asyncio

from mcp_types import CallToolRequestParams, CallToolResult, InputRequiredResult

from flows.errors import FlowsError
from flows.human.answers import escaped
from flows.services.hosting.hosted_flow import HostedFlow
from flows.web.mcp.results import refusal, run_result
from flows.web.mcp.runs import ClientRuns, Context, RunEnd
from flows.web.mcp.tools import ANSWER, check_answer_call, flow_tools

ToolResult = CallToolResult | InputRequiredResult


class ToolCalls:
    """Carries calls out. What goes wrong is a result too, in words."""

    def __init__(self, runs: ClientRuns) -> None:
        self.flows: dict[str, HostedFlow] = flow_tools(
            each for each in runs.service.flows.values() if each.mcp.kind == "tool"
        )
        self._runs = runs

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
                end = await self._runs.carry_out(context, flow, given, params)
            if not isinstance(end, RunEnd):
                return end
            return await asyncio.to_thread(run_result, end.reply, end.whole, end.record)
        except FlowsError as error:
            return refusal(str(error))
