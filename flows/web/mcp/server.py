"""The MCP server: its tools and resources, for any way of reaching it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any, Final

from mcp import MCPError
from mcp.server import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    ResourceTemplate,
)

from flows.config.redaction import redact_pieces
from flows.core.artifacts import Artifact
from flows.errors import FlowsError, NotFound
from flows.web.mcp.calls import ToolCalls, ToolResult
from flows.web.mcp.resources import (
    ABOUT,
    TEMPLATE,
    ArtifactUri,
    artifact_content,
    artifact_resource,
)
from flows.web.mcp.tools import ANSWER, answer_tool, flow_tool

Context = ServerRequestContext[Any, Any]

NAME: Final = "analyst-flows"
_HOW: Final = (
    "Each tool runs a flow. A result whose status is `waiting` asks the person: the tool `answer` "
    "goes on with it. Tables and figures are resources; a table is CSV."
)
_STATE_SECONDS: Final = 24 * 3600.0  # how long a person may look at a form
_LISTED_RUNS: Final = 20


class FlowServer:
    """Answers requests by the calls of tools."""

    def __init__(self, calls: ToolCalls) -> None:
        self._calls = calls

    def server(self) -> Server[Any]:
        """The server of the package that speaks the protocol."""
        from mcp.server.lowlevel import Server

        server: Server[Any] = Server(
            NAME,
            version=version(NAME),
            title="Flows",
            instructions=_HOW,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
        )
        sealed = RequestStateSecurity.ephemeral(ttl=_STATE_SECONDS)
        server.middleware.append(RequestStateBoundary(sealed, default_audience=NAME))
        return server

    async def _list_tools(
        self, context: Context, params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        from mcp_types import ListToolsResult

        del context, params
        tools = [flow_tool(name, flow) for name, flow in self._calls.flows.items()]
        return ListToolsResult(tools=[*tools, answer_tool()])

    async def _call_tool(self, context: Context, params: CallToolRequestParams) -> ToolResult:
        names = (*self._calls.flows, ANSWER)
        if params.name not in names:
            raise _invalid(f"there is no tool {params.name[:200]!r}; the tools: {', '.join(names)}")
        return await self._calls.call(context, params)

    async def _list_resources(
        self, context: Context, params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        from mcp_types import ListResourcesResult

        del context, params
        runs = self._calls.begun[-_LISTED_RUNS:]
        found = [(run, each) for run in runs for each in await self._artifacts(run)]
        return ListResourcesResult(resources=[artifact_resource(*each) for each in found])

    async def _list_templates(
        self, context: Context, params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        from mcp_types import ListResourceTemplatesResult

        del context, params
        template = ResourceTemplate(name="artifact", uri_template=TEMPLATE, description=ABOUT)
        return ListResourceTemplatesResult(resource_templates=[template])

    async def _read_resource(
        self, context: Context, params: ReadResourceRequestParams
    ) -> ReadResourceResult:
        from mcp_types import ReadResourceResult

        del context
        try:
            uri = ArtifactUri(params.uri)
            record = (await self._calls.state(uri.run)).record
            if record is None:
                raise NotFound(f"the run {uri.run} has made nothing yet")
            content = await asyncio.to_thread(artifact_content, uri, record)
        except (FlowsError, ValueError, OSError) as error:
            said = str(error) if isinstance(error, FlowsError) else "the artifact is gone"
            raise _invalid(redact_pieces(said), uri=params.uri) from error
        return ReadResourceResult(contents=[content])

    async def _artifacts(self, run_id: str) -> Sequence[Artifact]:
        """The artifacts of a run; none of one that cannot be read any more."""
        try:
            record = (await self._calls.state(run_id)).record
        except FlowsError:
            return ()
        return record.artifacts if record is not None else ()


def _invalid(text: str, **data: str) -> Exception:
    """A request that means nothing here, as an error of the protocol."""
    return MCPError(code=INVALID_PARAMS, message=text, data=data or None)
