"""The MCP server: its tools, prompts and resources, for any way of reaching it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any, Final

from mcp import MCPError
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CompleteRequestParams,
    CompleteResult,
    DiscoverResult,
    GetPromptRequestParams,
    GetPromptResult,
    InputRequiredResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    RequestParams,
    ResourceTemplate,
    SetLevelRequestParams,
    TextResourceContents,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic_core import to_json

from flows.config.redaction import redact, redact_pieces
from flows.core.artifacts import Artifact
from flows.errors import FlowsError, NotFound
from flows.services.hosting.service import RunService
from flows.services.hosting.view import run_json
from flows.web.mcp.calls import ToolCalls, ToolResult
from flows.web.mcp.completion import Completions
from flows.web.mcp.flow_resources import FlowResources
from flows.web.mcp.prompts import PromptCalls
from flows.web.mcp.resources import (
    ABOUT,
    ABOUT_RUN,
    RUN_TEMPLATE,
    TEMPLATE,
    ArtifactUri,
    artifact_content,
    artifact_resource,
    run_of,
)
from flows.web.mcp.runs import ClientRuns, Context
from flows.web.mcp.subscriptions import Subscriptions
from flows.web.mcp.tasks import EXTENSION, RunTasks, TaskParams, TaskUpdateParams
from flows.web.mcp.tools import ANSWER, answer_tool, flow_input_schema, flow_tool

NAME: Final = "analyst-flows"
_HOW: Final = (
    "Each tool runs a flow. A result whose status is `waiting` asks the person: the tool `answer` "
    "goes on with it. Tables and figures are resources; a table is CSV."
)
_STATE_SECONDS: Final = 24 * 3600.0  # how long a person may look at a form
_LISTED_RUNS: Final = 20


class FlowServer:
    """Answers requests by runs of the flows of a service.

    Errors: `ConfigError` for flows that cannot be offered as their run files say.
    """

    def __init__(self, service: RunService) -> None:
        self._runs = ClientRuns(service)
        self._tasks = RunTasks(self._runs)
        self._calls = ToolCalls(self._runs, self._tasks)
        self._prompts = PromptCalls(self._runs)
        self._resources = FlowResources(self._runs)
        self._completions = Completions(self._runs, self._prompts, self._resources)
        self._subscriptions = Subscriptions(self._runs, self._resources)

    def server(self) -> Server[Any]:
        """The server of the package that speaks the protocol."""
        server: Server[Any] = Server(
            NAME,
            version=version(NAME),
            title="Flows",
            instructions=_HOW,
            lifespan=self._open,
            get_tool_input_schema=self._input_schema,
            on_list_tools=self._list_tools,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_subscribe_resource=self._subscriptions.subscribe,
            on_unsubscribe_resource=self._subscriptions.unsubscribe,
            on_subscriptions_listen=self._subscriptions.listen,
            on_completion=self._complete,
        )
        # By these ways, as the package warns of its own way to log, which clients of before use.
        server.add_request_handler(
            "logging/setLevel", SetLevelRequestParams, self._runs.logs.set_level
        )
        # A call may be a task too, which the package does not know of.
        server.add_request_handler("tools/call", CallToolRequestParams, self._call_tool)
        server.extensions[EXTENSION] = {}
        server.add_request_handler("tasks/get", TaskParams, self._tasks.get)
        server.add_request_handler("tasks/update", TaskUpdateParams, self._tasks.update)
        server.add_request_handler("tasks/cancel", TaskParams, self._tasks.cancel)
        server.add_request_handler("server/discover", RequestParams, _discovery(server))
        sealed = RequestStateSecurity.ephemeral(ttl=_STATE_SECONDS)
        server.middleware.append(RequestStateBoundary(sealed, default_audience=NAME))
        return server

    @asynccontextmanager
    async def _open(self, _: Server[Any]) -> AsyncIterator[dict[str, Any]]:
        try:
            yield {}
        finally:
            self._subscriptions.close()

    def _input_schema(self, name: str) -> dict[str, Any] | None:
        flow = self._calls.flows.get(name)
        return flow_input_schema(name, flow) if flow is not None else None

    async def _list_tools(
        self, context: Context, params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        del context, params
        tools = [flow_tool(name, flow) for name, flow in self._calls.flows.items()]
        return ListToolsResult(tools=[*tools, answer_tool()])

    async def _call_tool(self, context: Context, params: CallToolRequestParams) -> ToolResult:
        names = (*self._calls.flows, ANSWER)
        if params.name not in names:
            raise _invalid(f"there is no tool {params.name[:200]!r}; the tools: {', '.join(names)}")
        return await self._calls.call(context, params)

    async def _list_prompts(
        self, context: Context, params: PaginatedRequestParams | None
    ) -> ListPromptsResult:
        del context, params
        return ListPromptsResult(prompts=self._prompts.prompts())

    async def _get_prompt(
        self, context: Context, params: GetPromptRequestParams
    ) -> GetPromptResult | InputRequiredResult:
        names = tuple(self._prompts.flows)
        if params.name not in names:
            known = ", ".join(names) or "none"
            raise _invalid(f"there is no prompt {params.name[:200]!r}; the prompts: {known}")
        try:
            return await self._prompts.get(context, params)
        except FlowsError as error:
            raise _invalid(redact_pieces(str(error))) from error

    async def _list_resources(
        self, context: Context, params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        del params
        own = [each.resource() for each in self._resources.all if not each.is_template]
        runs = self._runs.begun(context)[-_LISTED_RUNS:]
        found = [(run, each) for run in runs for each in await self._artifacts(context, run)]
        return ListResourcesResult(resources=[*own, *(artifact_resource(*each) for each in found)])

    async def _list_templates(
        self, context: Context, params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        del context, params
        own = [each.template() for each in self._resources.all if each.is_template]
        artifact = ResourceTemplate(name="artifact", uri_template=TEMPLATE, description=ABOUT)
        run = ResourceTemplate(
            name="run", uri_template=RUN_TEMPLATE, description=ABOUT_RUN,
            mime_type="application/json",
        )  # fmt: skip
        return ListResourceTemplatesResult(resource_templates=[*own, artifact, run])

    async def _read_resource(
        self, context: Context, params: ReadResourceRequestParams
    ) -> ReadResourceResult | InputRequiredResult:
        try:
            if (flow := self._resources.find(params.uri)) is not None:
                return await self._resources.read(context, flow, params)
            if (run_id := run_of(params.uri)) is not None:
                return ReadResourceResult(contents=[await self._run(context, params.uri, run_id)])
            uri = ArtifactUri(params.uri)
            record = (await self._runs.state(context, uri.run)).record
            if record is None:
                raise NotFound(f"the run {uri.run} has made nothing yet")
            content = await asyncio.to_thread(artifact_content, uri, record)
        except (FlowsError, ValueError, OSError) as error:
            said = str(error) if isinstance(error, FlowsError) else "the artifact is gone"
            raise _invalid(redact_pieces(said), uri=params.uri) from error
        return ReadResourceResult(contents=[content])

    async def _complete(self, context: Context, params: CompleteRequestParams) -> CompleteResult:
        return await self._completions.complete(context, params)

    async def _run(self, context: Context, uri: str, run_id: str) -> TextResourceContents:
        """How a run stands."""
        whole = run_json(await self._runs.state(context, run_id))
        text = redact(to_json(whole, inf_nan_mode="null", fallback=str).decode())
        return TextResourceContents(uri=uri, mime_type="application/json", text=text)

    async def _artifacts(self, context: Context, run_id: str) -> Sequence[Artifact]:
        """The artifacts of a run; none of one that cannot be read any more."""
        try:
            record = (await self._runs.state(context, run_id)).record
        except FlowsError:
            return ()
        return record.artifacts if record is not None else ()


def _discovery(server: Server[Any]) -> Any:
    """What the server can, for clients without a handshake. Its tools and prompts are those of the
    run files that it was started with, so only resources change."""

    async def discover(context: Context, params: RequestParams) -> DiscoverResult:
        del params
        can = server.get_capabilities(protocol_version=context.protocol_version)
        for each in (can.tools, can.prompts):
            if each is not None:
                each.list_changed = False
        if can.resources is not None:
            can.resources.list_changed = False
        return DiscoverResult(
            supported_versions=list(MODERN_PROTOCOL_VERSIONS),
            capabilities=can,
            instructions=server.instructions,
        )

    return discover


def _invalid(text: str, **data: str) -> Exception:
    """A request that means nothing here, as an error of the protocol."""
    return MCPError(code=INVALID_PARAMS, message=text, data=data or None)
