"""A proxy on the loopback that adds a bearer token to each request, for clients that send none."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

_SECONDS = 30.0


@contextmanager
def token_proxy(url: str, token: str) -> Iterator[str]:
    """The address of the proxy for a server at a URL. A Host that is not the proxy's own is passed
    on as it is."""
    target = urlsplit(url)
    assert target.port is not None
    loop = asyncio.new_event_loop()
    proxy = _Proxy(target.port, token)
    server = loop.run_until_complete(asyncio.start_server(proxy.serve, "127.0.0.1", 0))
    port = proxy.port = server.sockets[0].getsockname()[1]
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{port}{target.path}"
    finally:
        asyncio.run_coroutine_threadsafe(_end(server), loop).result(_SECONDS)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_SECONDS)
        loop.close()


async def _end(server: asyncio.Server) -> None:
    server.close()
    others = [each for each in asyncio.all_tasks() if each is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


class _Proxy:
    """Takes one request a connection."""

    def __init__(self, target: int, token: str) -> None:
        self._target, self._token = target, token
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            size = re.search(rb"(?i)\ncontent-length: *(\d+)", head)
            body = await reader.readexactly(int(size[1])) if size else b""
            answer, to_server = await asyncio.open_connection("127.0.0.1", self._target)
            to_server.write(self._changed(head) + body)
            left = asyncio.create_task(reader.read())
            try:
                while True:
                    coming = asyncio.create_task(answer.read(65_536))
                    await asyncio.wait({left, coming}, return_when=asyncio.FIRST_COMPLETED)
                    if not coming.done() or not coming.result():
                        coming.cancel()
                        break
                    writer.write(coming.result())
                    await writer.drain()
            finally:
                left.cancel()
                to_server.close()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            return
        finally:
            writer.close()

    def _changed(self, head: bytes) -> bytes:
        own, servers = (f"127.0.0.1:{each}".encode() for each in (self.port, self._target))
        kept = re.sub(rb"(?i)\r\nconnection:[^\r]*", b"", head.replace(own, servers))
        added = f"Authorization: Bearer {self._token}\r\nConnection: close\r\n\r\n".encode()
        return kept[:-2] + added
