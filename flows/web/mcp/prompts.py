"""Flows as prompts: what the person picks in a client, made of a run of the flow."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from mcp_types import (
    GetPromptRequestParams,
    GetPromptResult,
    InputRequiredResult,
    Prompt,
    PromptArgument,
    PromptMessage,
    ResourceLink,
)

from flows.errors import UsageError
from flows.services.hosting.hosted_flow import HostedFlow
from flows.services.reply_markdown import reply_markdown
from flows.web.mcp.content import reply_content
from flows.web.mcp.runs import ClientRuns, Context, RunEnd
from flows.web.mcp.tools import flow_about, flow_input_schema, flow_tools


class PromptCalls:
    """The prompts, and what they say: each message is of the user."""

    def __init__(self, runs: ClientRuns) -> None:
        self.flows: dict[str, HostedFlow] = flow_tools(
            each for each in runs.service.flows.values() if each.mcp.kind == "prompt"
        )
        self._runs = runs

    def prompts(self) -> list[Prompt]:
        return [_prompt(name, flow) for name, flow in self.flows.items()]

    async def get(
        self, context: Context, params: GetPromptRequestParams
    ) -> GetPromptResult | InputRequiredResult:
        """What a prompt says. Errors: `FlowsError`, `MCPError`; `UsageError` for a run that came
        to no end."""
        flow = self.flows[params.name]
        end = await self._runs.carry_out(context, flow, params.arguments or {}, params)
        if not isinstance(end, RunEnd):
            return end
        if end.whole["status"] in ("failed", "waiting"):
            raise UsageError(reply_markdown(end.reply))
        text = reply_markdown(end.reply)
        blocks = await asyncio.to_thread(reply_content, text, end.reply, end.record)
        shown = [each for each in blocks if not isinstance(each, ResourceLink)] or blocks
        return GetPromptResult(
            description=flow_about(flow.plan.flow),
            messages=[PromptMessage(role="user", content=each) for each in shown],
        )


def _prompt(name: str, flow: HostedFlow) -> Prompt:
    schema = flow_input_schema(name, flow)
    return Prompt(
        name=name,
        title=flow.name if flow.name != name else None,
        description=flow_about(flow.plan.flow),
        arguments=[_argument(key, each, schema) for key, each in schema["properties"].items()],
    )


def _argument(name: str, schema: Mapping[str, Any], inputs: Mapping[str, Any]) -> PromptArgument:
    return PromptArgument(
        name=name, description=schema.get("description"), required=name in inputs["required"]
    )
