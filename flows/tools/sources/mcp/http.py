"""The HTTP client of an MCP session: one address, none of this machine's inner ones, bounded."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Mapping
from functools import cache
from typing import Final

import httpx2

from flows.core.destination import origin_of
from flows.errors import ToolError
from flows.tools.sources.addresses import checked_address

_PORTS: Final = {"https": 443, "http": 80}


class _BoundedStream(httpx2.AsyncByteStream):
    """A reply's bytes, of which there may not be more than a limit."""

    def __init__(self, stream: httpx2.AsyncByteStream, limit: int, origin: str) -> None:
        self._stream = stream
        self._limit = limit
        self._origin = origin

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._limit
        async for piece in self._stream:
            left -= len(piece)
            if left < 0:
                raise httpx2.ReadError(f"{self._origin} sends more than {self._limit:,} bytes")
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


class _CheckedTransport(httpx2.AsyncBaseTransport):
    """As `flows.tools.sources.web.CheckedTransport`, for the client library of MCP's package."""

    def __init__(self, origin: str, limit: int) -> None:
        verify = _certificates() if origin.startswith("https:") else False
        self._inner = httpx2.AsyncHTTPTransport(verify=verify, retries=0)
        self._origin = origin
        self._limit = limit

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if origin_of(str(request.url)) != self._origin:
            raise ToolError(f"{request.url.host} is not the allowed address {self._origin}")
        host = request.url.host
        address = await checked_address(host, request.url.port or _PORTS[request.url.scheme])
        request.extensions["sni_hostname"] = host
        request.url = request.url.copy_with(host=address)
        response = await self._inner.handle_async_request(request)
        coding = response.headers.get("content-encoding", "identity").strip().lower()
        if coding not in ("", "identity"):
            await response.aclose()
            raise ToolError(f"{self._origin} answers in {coding}, which it was not asked for")
        kind = response.headers.get("content-type", "")
        # A stream of events has no end; the session bounds each of its events.
        if not kind.lower().startswith("text/event-stream"):
            assert isinstance(response.stream, httpx2.AsyncByteStream)
            response.stream = _BoundedStream(response.stream, self._limit, self._origin)
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


@cache
def _certificates() -> ssl.SSLContext:
    """The certificates that servers are checked by, read once a process."""
    return httpx2.create_ssl_context()


def bounded_client(url: str, headers: Mapping[str, str], max_bytes: int) -> httpx2.AsyncClient:
    """A client for the address of one server."""
    return httpx2.AsyncClient(
        transport=_CheckedTransport(origin_of(url), max_bytes),
        headers={**headers, "User-Agent": "analyst-flows", "Accept-Encoding": "identity"},
        timeout=httpx2.Timeout(None, connect=10.0),
        follow_redirects=False,
        trust_env=False,
    )
