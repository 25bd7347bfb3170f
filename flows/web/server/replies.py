"""Answers in JSON, and errors as answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic_core import to_json
from starlette.responses import Response

from flows.config.redaction import redact, redact_pieces
from flows.errors import (
    CheckError,
    ConfigError,
    FlowsError,
    JournalError,
    NotFound,
    QueueFull,
    ServiceEnds,
    StateConflict,
    UsageError,
)


class JsonReply(Response):
    """An answer in JSON, without secrets."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return redact(to_json(content, fallback=str, inf_nan_mode="null").decode()).encode()


def error_reply(status: int, what: str, where: str = "", allowed: Sequence[str] = ()) -> JsonReply:
    """An error: what is wrong, where, and what is allowed."""
    error = {"what": redact_pieces(what), "where": where or None, "allowed": list(allowed) or None}
    return JsonReply({"error": error}, status)


def fault_reply(error: FlowsError) -> JsonReply:
    """An error of this package as an answer."""
    if isinstance(error, CheckError):
        error = error.errors[0]
    if isinstance(error, ConfigError):
        where = ": ".join(each for each in (str(error.place or ""), error.path) if each)
        return error_reply(422, error.problem, where, error.allowed)
    if isinstance(error, NotFound):
        return error_reply(404, str(error), allowed=error.allowed)
    if isinstance(error, StateConflict):
        return error_reply(409, str(error))
    if isinstance(error, QueueFull):
        reply = error_reply(429, str(error))
        reply.headers["retry-after"] = str(error.retry_after)
        return reply
    if isinstance(error, ServiceEnds):
        return error_reply(503, str(error))
    if isinstance(error, UsageError):
        return error_reply(422, str(error))
    return error_reply(409 if isinstance(error, JournalError) else 500, str(error))
