"""The page as a way into the service."""

from __future__ import annotations

from flows.services.hosting.chats import ChatSessions
from flows.services.hosting.service import RunService
from flows.web.page.assets import PUBLIC, asset_routes
from flows.web.page.contents import content_routes
from flows.web.page.sessions import UPLOAD_BODY, UPLOADS, session_routes
from flows.web.server.application import Door


def page_door(service: RunService, chats: ChatSessions) -> Door:
    """The page, what it shows of runs, and its conversations."""
    routes = [*asset_routes(), *content_routes(service), *session_routes(chats)]
    return Door(routes, public=PUBLIC, bodies={UPLOADS: UPLOAD_BODY})
