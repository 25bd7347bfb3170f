"""What requests are told that were under way when the time of a service that ends was over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from flows.errors import ServiceEnds
from flows.web.server.replies import fault_reply


class EndedRequests:
    """An ASGI application around another: a request that is cut off because the service ends is
    answered so, if its answer has not begun. `is_open` says whether the service goes on."""

    def __init__(self, app: ASGIApp, is_open: Callable[[], bool]) -> None:
        self._app, self._is_open = app, is_open

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def send_noted(message: Message) -> None:
            nonlocal begun
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, send_noted)
        except asyncio.CancelledError:
            if scope["type"] != "http" or self._is_open():
                raise
            if not begun:
                reply = fault_reply(ServiceEnds("the service ended before the request was done"))
                reply.headers["connection"] = "close"
                await reply(scope, receive, send)
