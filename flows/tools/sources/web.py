"""Requests to a server that a person has allowed: one address, bounded replies, no redirects away.

The name of a host is looked up once for a request, the address is checked, and that address is
connected to: a name cannot stand for another machine between the two.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from typing import Final
from urllib.parse import urlencode

import httpx

from flows.core.destination import origin_of
from flows.errors import ToolError
from flows.tools.network import network_reason
from flows.tools.sources.addresses import checked_address

MAX_BYTES: Final = 8 * 1024 * 1024
_MOST_REDIRECTS: Final = 3
_AGENT: Final = "analyst-flows"


@dataclass(frozen=True)
class WebReply:
    """What a server answered. `kind` is the media type in lower case, without parameters."""

    status: int
    reason: str
    kind: str
    charset: str
    body: bytes

    @property
    def text(self) -> str:
        """The body as text; bytes that are none become U+FFFD."""
        try:
            return self.body.decode(self.charset, "replace")
        except LookupError:
            return self.body.decode("utf-8", "replace")


class CheckedTransport(httpx.AsyncBaseTransport):
    """Connects to the address that a host's name stands for, once that is seen to be no inner one.

    `localhost` and an address that is written out are what the person has allowed; any other name
    that stands for this machine, or for the link that clouds hand out keys at, is refused.
    """

    def __init__(self, *, is_secure: bool) -> None:
        # Certificates are read once a process: that takes longer than most calls.
        verify = _certificates() if is_secure else False
        self._inner = httpx.AsyncHTTPTransport(verify=verify, retries=0)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        host = request.url.host
        address = await checked_address(host, request.url.port or _port_of(request.url.scheme))
        request.extensions["sni_hostname"] = host
        request.url = request.url.copy_with(host=address)
        return await self._inner.handle_async_request(request)

    async def aclose(self) -> None:
        await self._inner.aclose()


class WebClient:
    """Requests to one origin (scheme, host and port). Errors: `ToolError`, in words."""

    def __init__(self, base_url: str, max_bytes: int = MAX_BYTES) -> None:
        self._origin = origin_of(base_url)
        self._max_bytes = max_bytes
        self._client: httpx.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def request(
        self,
        method: str,
        url: str,
        *,
        params: Sequence[tuple[str, str]],
        headers: dict[str, str],
        content: bytes | None = None,
    ) -> WebReply:
        """Send a request and read its reply, after redirects to the same origin."""
        host = httpx.URL(url).host
        try:
            query = f"?{urlencode(params)}" if params else ""
            made = self._opened().build_request(
                method, f"{url}{query}", headers=headers, content=content
            )
            for _ in range(_MOST_REDIRECTS + 1):
                async with self._sent(made) as response:
                    if not response.has_redirect_location:
                        return await self._read(response)
                    made = self._redirected(made, response)
        except httpx.InvalidURL as error:
            raise ToolError(f"{host}: the address is not valid: {error}") from error
        except (httpx.HTTPError, OSError) as error:
            reason = network_reason(error, host) or f"{host}: {_said(error)}"
            raise ToolError(reason) from None
        raise ToolError(f"{host} redirects again and again")

    async def aclose(self) -> None:
        client, self._client = self._client, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.aclose()

    def _opened(self) -> httpx.AsyncClient:
        """The client of the running event loop, whose connections are its own."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._loop = loop
            self._client = httpx.AsyncClient(
                transport=CheckedTransport(is_secure=self._origin.startswith("https:")),
                follow_redirects=False,
                timeout=httpx.Timeout(None, connect=10.0),
                headers={"User-Agent": _AGENT, "Accept-Encoding": "identity"},
                trust_env=False,
            )
        return self._client

    @asynccontextmanager
    async def _sent(self, request: httpx.Request) -> AsyncIterator[httpx.Response]:
        if origin_of(str(request.url)) != self._origin:
            raise ToolError(f"{request.url.host} is not the allowed address {self._origin}")
        response = await self._opened().send(request, stream=True)
        try:
            yield response
        finally:
            await response.aclose()

    def _redirected(self, request: httpx.Request, response: httpx.Response) -> httpx.Request:
        """The request that a redirect asks for. Errors: `ToolError` for one to another origin, and
        for one that would send again what must not be sent twice."""
        host = response.url.host
        target = _location(response)
        try:
            is_own = target is not None and origin_of(str(target)) == self._origin
        except ValueError:
            is_own = False
        if target is None or not is_own:
            where = "nowhere" if target is None else f"{target.scheme}://{target.host}"
            raise ToolError(f"{self._origin} redirects to {where}, which nobody has allowed")
        if request.method not in ("GET", "HEAD") and response.status_code not in (307, 308):
            raise ToolError(f"{host} answers a {request.method} with a redirect")
        return self._opened().build_request(
            request.method,
            target,
            headers={**request.headers, "host": request.headers["host"]},
            content=request.content or None,
        )

    async def _read(self, response: httpx.Response) -> WebReply:
        coding = response.headers.get("content-encoding", "identity").strip().lower()
        if coding not in ("", "identity"):
            raise ToolError(f"{response.url.host} answers in {coding}, which it was not asked for")
        body = bytearray()
        async for piece in response.aiter_raw():
            body += piece
            if len(body) > self._max_bytes:
                raise ToolError(
                    f"{self._origin} sends more than {self._max_bytes:,} bytes; ask for less of it"
                )
        kind, _, _ = response.headers.get("content-type", "").partition(";")
        return WebReply(
            response.status_code,
            response.reason_phrase,
            kind.strip().lower(),
            response.charset_encoding or "utf-8",
            bytes(body),
        )


@cache
def _certificates() -> ssl.SSLContext:
    """The certificates that servers are checked by."""
    return httpx.create_ssl_context()


def _location(response: httpx.Response) -> httpx.URL | None:
    """Where a redirect leads; None for what is no address."""
    try:
        return response.url.join(response.headers["location"])
    except (httpx.InvalidURL, ValueError):
        return None


def _port_of(scheme: str) -> int:
    return 443 if scheme == "https" else 80


def _said(error: BaseException) -> str:
    return str(error) or type(error).__name__
