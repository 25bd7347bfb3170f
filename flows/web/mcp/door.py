"""MCP over HTTP: a route of the application, behind its guard."""

from __future__ import annotations

from typing import Final

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

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
    return Door([Route(PATH, _SessionsOfTokens(sessions))], open=sessions.run)


class _SessionsOfTokens(StreamableHTTPASGIApp):
    """Says to the package whose token a request was sent with: it keeps a session to the one that
    has begun it."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        name = scope["state"]["access"].name
        scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=name, scopes=[]))
        await super().__call__(scope, receive, send)
