"""Flows as resources: read at an address of their own, whose variables are the flow's inputs."""

from __future__ import annotations

import asyncio
from typing import Any

from mcp.shared.uri_template import InvalidUriTemplate, UriTemplate
from mcp_types import (
    InputRequiredResult,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)
from pydantic_core import to_json

from flows.config.redaction import redact
from flows.errors import ConfigError, UsageError
from flows.services.artifact_files import read_artifact
from flows.services.hosting.hosted_flow import HostedFlow
from flows.services.reply_markdown import reply_markdown
from flows.web.mcp.resources import MOST_BYTES, file_contents, media_type
from flows.web.mcp.runs import ClientRuns, Context, RunEnd
from flows.web.mcp.tools import flow_about


class FlowResource:
    """A flow at an address. Errors: `ConfigError` for an address that is none, or with a variable
    that is no input of the flow."""

    def __init__(self, flow: HostedFlow) -> None:
        self.flow, self.uri = flow, flow.mcp.uri
        try:
            self._template = UriTemplate.parse(self.uri)
        except InvalidUriTemplate as error:
            raise ConfigError(f"{flow.file.path}: mcp.uri: {error}", path="mcp.uri") from error
        known = flow.plan.flow.port_names
        for name in self._template.variable_names:
            if name not in known:
                raise ConfigError(
                    f"{flow.file.path}: mcp.uri: {{{name}}} is no input of the flow",
                    path="mcp.uri", allowed=known,
                )  # fmt: skip

    @property
    def is_template(self) -> bool:
        return bool(self._template.variable_names)

    def inputs(self, uri: str) -> dict[str, Any] | None:
        """The inputs that an address says; None for the address of something else."""
        return self._template.match(uri)

    def resource(self) -> Resource:
        return Resource(name=self.flow.name, uri=self.uri, description=self._about)

    def template(self) -> ResourceTemplate:
        return ResourceTemplate(name=self.flow.name, uri_template=self.uri, description=self._about)

    @property
    def _about(self) -> str:
        return flow_about(self.flow.plan.flow)


class FlowResources:
    """The flows that are resources. To read one is to run it."""

    def __init__(self, runs: ClientRuns) -> None:
        flows = runs.service.flows.values()
        self.all = [FlowResource(each) for each in flows if each.mcp.kind == "resource"]
        self._runs = runs

    def find(self, uri: str) -> FlowResource | None:
        """The flow at an address."""
        return next((each for each in self.all if each.inputs(uri) is not None), None)

    async def read(
        self, context: Context, found: FlowResource, params: ReadResourceRequestParams
    ) -> ReadResourceResult | InputRequiredResult:
        """The first file that the run made, else its text, else its outputs as JSON. Errors:
        `FlowsError`, `OSError`; `UsageError` for a run that came to no end."""
        given = found.inputs(params.uri) or {}
        end = await self._runs.carry_out(context, found.flow, given, params)
        if not isinstance(end, RunEnd):
            return end
        if end.whole["status"] in ("failed", "waiting"):
            raise UsageError(reply_markdown(end.reply))
        if end.reply.files:
            folder = end.record.place.folder
            file = await asyncio.to_thread(read_artifact, end.reply.files[0], folder, MOST_BYTES)
            content = file_contents(params.uri, media_type(file.kind), file.content)
            return ReadResourceResult(contents=[content])
        return ReadResourceResult(contents=[_said(params.uri, end)])


def _said(uri: str, end: RunEnd) -> TextResourceContents:
    """The one text that a run came to, or its outputs as JSON."""
    values = list(end.whole["outputs"].values())
    value = values[0] if len(values) == 1 else end.whole["outputs"]
    if isinstance(value, str):
        return TextResourceContents(uri=uri, mime_type="text/plain", text=redact(value))
    text = redact(to_json(value, inf_nan_mode="null", fallback=str).decode())
    return TextResourceContents(uri=uri, mime_type="application/json", text=text)
