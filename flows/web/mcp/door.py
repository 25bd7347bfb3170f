"""MCP over HTTP: a route of the application, behind its guard."""

from __future__ import annotations

from typing import Final

from mcp.server.streamable_http_manager import StreamableHTTPASGIApp
from starlette.routing import Route

from flows.services.hosting.service import RunService
from flows.web.mcp.event_store import ResumableSessions
from flows.web.mcp.server import FlowServer
from flows.web.server.application import Door
from flows.web.server.guard import MAX_BODY

PATH: Final = "/mcp"


def mcp_door(service: RunService) -> Door:
    """The flows of a service as tools, over streamable HTTP."""
    server = FlowServer(service).server()
    sessions = ResumableSessions(server, MAX_BODY)
    return Door([Route(PATH, StreamableHTTPASGIApp(sessions))], open=sessions.run)
