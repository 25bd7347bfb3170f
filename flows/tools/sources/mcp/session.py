"""A session with an MCP server: one task opens it, holds it, and closes it."""

from __future__ import annotations

import asyncio
import logging
import tempfile
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from flows.config.redaction import as_cause, redact_pieces
from flows.errors import ToolError
from flows.tools.network import check_reachable, network_reason
from flows.tools.text import cap, plain

if TYPE_CHECKING:
    from mcp import Client
    from mcp_types import CallToolResult, Tool

_MOST_PAGES: Final = 50
_MOST_TOOLS: Final = 2_000
_MOST_SAID: Final = 600


@dataclass(frozen=True)
class McpServer:
    """A server and its name for messages, and how it is reached: the command that starts it, with
    `env` and in `folder`, or its `url`, with the `headers` that carry the key."""

    name: str
    command: tuple[str, ...] = ()
    folder: Path = Path()
    env: Mapping[str, str] = field(default_factory=dict)
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    max_bytes: int = 0


class McpSession:
    """Opened when it is first used. After the server has ended it is opened again. Errors:
    `ToolError`, in words."""

    def __init__(self, server: McpServer, connect_timeout_s: float) -> None:
        self._server = server
        self._timeout_s = connect_timeout_s
        self._owner: asyncio.Task[None] | None = None
        self._client: Client | None = None
        self._closing = asyncio.Event()
        self._ready = asyncio.Event()
        self._fault: BaseException | None = None

    async def tools(self) -> list[Tool]:
        """All tools of the server."""
        client = await self._opened()
        found: list[Tool] = []
        cursor: str | None = None
        try:
            async with asyncio.timeout(self._timeout_s):
                for _ in range(_MOST_PAGES):
                    page = await client.list_tools(cursor=cursor, cache_mode="refresh")
                    found += page.tools
                    cursor = page.next_cursor
                    if cursor is None or len(found) >= _MOST_TOOLS:
                        break
        except Exception as error:  # noqa: BLE001 - the border to a server and its protocol
            raise self._failed(error) from as_cause(error)
        return found[:_MOST_TOOLS]

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> CallToolResult:
        """Call a tool. The result is not checked against the server's own schema of it."""
        from mcp_types import CallToolRequest, CallToolRequestParams, CallToolResult

        client = await self._opened()
        params = CallToolRequestParams(name=tool, arguments=dict(arguments))
        try:
            return await client.session.send_request(CallToolRequest(params=params), CallToolResult)
        except Exception as error:  # noqa: BLE001 - the border to a server and its protocol
            if _is_closed(error):
                await self.aclose()
            raise self._failed(error) from as_cause(error)

    async def aclose(self) -> None:
        """End the session, and the process of a server that was started for it."""
        owner, self._owner, self._client = self._owner, None, None
        if owner is None or owner.get_loop() is not asyncio.get_running_loop():
            return
        self._closing.set()
        await asyncio.wait({owner})

    async def _opened(self) -> Client:
        """The client of the open session. Whoever comes while it is being opened waits too."""
        if self._owner is None or self._owner.done():
            self._closing, self._ready, self._fault = asyncio.Event(), asyncio.Event(), None
            self._owner = asyncio.create_task(self._own(self._ready, self._closing))
        owner = self._owner
        waiting = asyncio.create_task(self._ready.wait())
        try:
            done, _ = await asyncio.wait(
                {waiting, owner}, timeout=self._timeout_s, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            waiting.cancel()
        if not done:
            owner.cancel()
            await asyncio.wait({owner})
            raise ToolError(
                f"{self._server.name} does not answer as an MCP server in {self._timeout_s:g} s"
            )
        if self._client is None:
            raise self._failed(self._fault or RuntimeError("it has ended at once"))
        return self._client

    async def _own(self, ready: asyncio.Event, closing: asyncio.Event) -> None:
        """Hold the session open until it is closed: its streams belong to this task."""
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said:
            try:
                async with AsyncExitStack() as stack:
                    self._client = await self._connected(stack, said)
                    ready.set()
                    await closing.wait()
            except Exception as error:  # noqa: BLE001 - told to whoever uses the session
                self._fault = _with_words(error, said)
            finally:
                self._client = None

    async def _connected(self, stack: AsyncExitStack, said: IO[str]) -> Client:
        logger = logging.getLogger("mcp")
        if not logger.handlers:  # its errors are raised too, and told from here
            logger.addHandler(logging.NullHandler())
        from mcp import Client, StdioServerParameters
        from mcp.client.stdio import stdio_client
        from mcp.client.streamable_http import streamable_http_client

        server = self._server
        if server.command:
            program, *arguments = server.command
            started = StdioServerParameters(
                command=program, args=arguments, env=dict(server.env), cwd=server.folder
            )
            return await stack.enter_async_context(
                Client(stdio_client(started, errlog=said), cache=None)  # type: ignore[arg-type]
            )
        from flows.tools.sources.mcp.http import bounded_client

        await check_reachable(server.url, self._timeout_s)
        http = await stack.enter_async_context(
            bounded_client(server.url, server.headers, server.max_bytes)
        )
        return await stack.enter_async_context(
            Client(streamable_http_client(server.url, http_client=http), cache=None)
        )

    def _failed(self, error: BaseException) -> ToolError:
        """What went wrong, in words."""
        inner = _innermost(error)
        if isinstance(inner, ToolError):
            return inner
        name = self._server.name
        if isinstance(inner, TimeoutError):
            return ToolError(f"{name} did not answer in {self._timeout_s:g} s")
        if self._server.command and isinstance(inner, FileNotFoundError):
            return ToolError(f"{name}: there is no command {self._server.command[0]!r}")
        reason = network_reason(inner, name) if self._server.url else None
        said = plain(redact_pieces(str(inner))) or type(inner).__name__
        return ToolError(reason or cap(f"{name}: {said}", _MOST_SAID))


def _with_words(error: BaseException, said: IO[str]) -> BaseException:
    """The error with the last lines that the server wrote on its standard error."""
    inner = _innermost(error)
    if isinstance(inner, OSError | ToolError):
        return inner
    said.seek(0)
    words = plain(said.read()[-_MOST_SAID:])
    return RuntimeError(f"{inner}: {words}" if words else str(inner) or type(inner).__name__)


def _is_closed(error: BaseException) -> bool:
    """Whether the connection is gone, and not only the call has failed."""
    from mcp import MCPError
    from mcp_types import CONNECTION_CLOSED

    inner = _innermost(error)
    return not isinstance(inner, MCPError) or inner.code == CONNECTION_CLOSED


def _innermost(error: BaseException) -> BaseException:
    """The first error of a group, and of the groups inside."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
