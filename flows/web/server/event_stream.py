"""Events to a client as they come (text/event-stream)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Final

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from flows.services.hosting.stream import StreamItem

PING_SECONDS: Final = 15.0
SEND_SECONDS: Final = 20.0  # that a client may take for what was sent to it
PING: Final = b": still here\n\n"
FIRST: Final = b"retry: 1000\n\n"


class EventStream(Response):
    """The answer to a client that watches. It ends with the events, when the client goes, and when
    it takes nothing for `SEND_SECONDS`. `first` is sent before them."""

    media_type = "text/event-stream"

    def __init__(self, items: AsyncGenerator[StreamItem, None], first: bytes = FIRST) -> None:
        super().__init__(headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        del self.headers["content-length"]
        self._items, self._first = items, first

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await send(start)
        sending = asyncio.create_task(self._send(send))
        leaving = asyncio.create_task(_left(receive))
        try:
            await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (sending, leaving):
                task.cancel()
            await asyncio.gather(sending, leaving, return_exceptions=True)
        if sending.done() and not sending.cancelled() and (error := sending.exception()):
            raise error

    async def _send(self, send: Send) -> None:
        async def give(body: bytes, *, more: bool = True) -> None:
            async with asyncio.timeout(SEND_SECONDS):
                await send({"type": "http.response.body", "body": body, "more_body": more})

        with suppress(TimeoutError):
            await give(self._first)
            next_item = asyncio.ensure_future(anext(self._items, None))
            try:
                while True:
                    done, _ = await asyncio.wait((next_item,), timeout=PING_SECONDS)
                    if not done:
                        await give(PING)
                        continue
                    item = next_item.result()
                    if item is None:
                        break
                    await give(_written(item))
                    next_item = asyncio.ensure_future(anext(self._items, None))
            finally:
                next_item.cancel()
                await asyncio.gather(next_item, return_exceptions=True)
                await self._items.aclose()
            await give(b"", more=False)


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _written(item: StreamItem) -> bytes:
    number = f"id: {item.id}\n" if item.id is not None else ""
    return f"{number}data: {item.text}\n\n".encode()
