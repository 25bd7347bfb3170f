"""What the steps of a run tell, as log messages for a client that asked for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, get_args

from mcp.server import ServerRequestContext
from mcp.server.connection import allowed_log_levels
from mcp_types import (
    EmptyResult,
    LoggingLevel,
    LoggingMessageNotification,
    LoggingMessageNotificationParams,
    SetLevelRequestParams,
)

from flows.services.hosting.progress import progress_line
from flows.web.mcp.clients import ClientTable, client_of
from flows.web.mcp.elicitation import is_modern
from flows.web.mcp.progress import Log

LEVELS: Final[tuple[LoggingLevel, ...]] = get_args(LoggingLevel)


class ClientLogs:
    """Log messages, from the level on that a client has set for its session, or asks for with a
    request. One that has said nothing of it gets none."""

    def __init__(self) -> None:
        self._levels: ClientTable[LoggingLevel] = ClientTable()

    async def set_level(
        self, context: ServerRequestContext[Any, Any], params: SetLevelRequestParams
    ) -> EmptyResult:
        self._levels[client_of(context)] = params.level
        return EmptyResult()

    def log(self, context: ServerRequestContext[Any, Any]) -> Log | None:
        """What takes the events of a run for a request; None where nothing is to be told."""
        if is_modern(context):
            wanted = allowed_log_levels(context.protocol_version, context.meta)
        else:
            level = self._levels.get(client_of(context))
            wanted = frozenset(LEVELS[LEVELS.index(level) :] if level is not None else ())
        if not wanted:
            return None

        async def tell(event: Mapping[str, Any]) -> None:
            level, text = log_line(event)
            if text and level in wanted:
                params = LoggingMessageNotificationParams(
                    level=level, data=text, logger=event.get("flow") or "flow"
                )
                await context.session.send_notification(
                    LoggingMessageNotification(params=params), context.request_id
                )

        return tell


def log_line(event: Mapping[str, Any]) -> tuple[LoggingLevel, str]:
    """The level and the text of a live event of a run; no text for one that says nothing."""
    match event:
        case {"kind": "notice", "text": str(text), "alarm": alarm}:
            return ("warning" if alarm else "info"), text
        case {"kind": "progress", "state": "failed", "message": str(text)}:
            return "error", text
        case {"kind": "progress", "state": "retrying"}:
            return "warning", progress_line(event)
        case {"kind": "progress", "state": "begun", "goal": str(text)}:
            return "debug", text
        case {"kind": "artifact", "name": str(name), "description": about}:
            return "debug", f"{name} was saved: {about}"
    return "debug", ""
