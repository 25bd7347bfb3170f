"""Errors as clients of OpenAI's API read them: those of the guard and of the service too."""

from __future__ import annotations

import json
from typing import Final

from pydantic_core import to_json
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from flows.core.values import Values

PREFIX: Final = "/v1/"
NO_RETRY: Final = {"x-should-retry": "false"}
_KINDS: Final = {
    401: ("invalid_request_error", "invalid_api_key"),
    403: ("invalid_request_error", "permission_denied"),
    404: ("invalid_request_error", "model_not_found"),
    429: ("rate_limit_error", "rate_limit_exceeded"),
}
_OTHER: Final = ("invalid_request_error", "invalid_request")
_BROKEN: Final = ("server_error", "server_error")
_UNPROCESSABLE: Final = 422
_BAD: Final = 400


def openai_error(status: int, message: str, param: str | None = None, code: str = "") -> Values:
    """An error in OpenAI's shape."""
    kind, usual = _BROKEN if status >= 500 else _KINDS.get(status, _OTHER)
    told = {"message": message, "type": kind, "param": param, "code": code or usual}
    return {"error": told}


class OpenAIErrors:
    """An ASGI application around another, whose errors below `/v1/` it tells in OpenAI's shape."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(PREFIX):
            await self._app(scope, receive, send)
            return
        begun: list[Message] = []
        body = bytearray()

        async def send_told(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] >= _BAD:
                begun.append(message)
            elif not begun:
                await send(message)
            else:
                body.extend(message.get("body", b""))
                if not message.get("more_body", False):
                    for each in _told(begun[0], bytes(body)):
                        await send(each)

        await self._app(scope, receive, send_told)


def _told(start: Message, body: bytes) -> tuple[Message, Message]:
    """The messages of an error, in OpenAI's shape."""
    try:
        error = json.loads(body)["error"]
        status, told = start["status"], error
        if "message" not in error:
            status = _BAD if status == _UNPROCESSABLE else status
            told = openai_error(status, _words(error), error.get("where"))["error"]
    except (ValueError, KeyError, TypeError):  # a text of somebody else
        status = start["status"]
        told = openai_error(status, body.decode("utf-8", "replace") or "it failed")["error"]
    content = to_json({"error": told})
    headers = MutableHeaders(raw=list(start["headers"]))
    headers["content-type"], headers["content-length"] = "application/json", str(len(content))
    begin: Message = {**start, "status": status, "headers": headers.raw}
    return begin, {"type": "http.response.body", "body": content, "more_body": False}


def _words(error: Values) -> str:
    allowed = f" (allowed: {', '.join(error['allowed'])})" if error.get("allowed") else ""
    what, where = error["what"], error.get("where")
    return (
        f"{what}{allowed}"
        if not where or what.startswith(f"{where} ")
        else f"{where}: {what}{allowed}"
    )
