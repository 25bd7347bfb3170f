"""A session with an MCP server: its tools and their calls, over one connection after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from flows.config.redaction import as_cause
from flows.errors import ToolError
from flows.tools.sources.mcp.connection import McpConnection, is_useless
from flows.tools.sources.mcp.server import McpServer

if TYPE_CHECKING:
    from mcp_types import CallToolResult, Tool

_MOST_PAGES: Final = 50
_MOST_TOOLS: Final = 2_000
_DOUBTED_S: Final = 5.0  # for a server to answer that did not in the call before


class McpSession:
    """Connected when it is first used, and again after the server has ended, or was silent in a
    call and stays so. Errors: `ToolError`, in words."""

    def __init__(self, server: McpServer, connect_timeout_s: float) -> None:
        self._server = server
        self._timeout_s = connect_timeout_s
        self._connection: McpConnection | None = None
        self._is_doubted = False  # a call was given up, and nothing was heard since
        self.announced = 0  # how often a server has said that its tools are others now

    @property
    def name(self) -> str:
        return self._server.name

    @property
    def last_words(self) -> str:
        """The last lines that the server wrote beside its messages."""
        return "" if self._connection is None else self._connection.words.last

    async def tools(self) -> list[Tool]:
        """All tools of the server."""
        was_doubted, self._is_doubted = self._is_doubted, False
        within_s = min(_DOUBTED_S, self._timeout_s) if was_doubted else self._timeout_s
        try:
            return await self._listed(within_s)
        except ToolError:
            if not was_doubted:
                raise
            return await self._listed(self._timeout_s)

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> CallToolResult:
        """Call a tool. The result is not checked against the server's own schema of it."""
        from mcp_types import CallToolRequest, CallToolRequestParams, CallToolResult

        connection = self._opened()
        client = await connection.client()
        params = CallToolRequestParams(name=tool, arguments=dict(arguments))
        try:
            return await client.session.send_request(CallToolRequest(params=params), CallToolResult)
        except asyncio.CancelledError:
            self._is_doubted = True
            raise
        except Exception as error:  # noqa: BLE001 - the border to a server and its protocol
            raise await self._after(error, connection) from as_cause(error)

    async def aclose(self) -> None:
        """End the session, and the process of a server that was started for it."""
        connection, self._connection, self._is_doubted = self._connection, None, False
        if connection is not None:
            await connection.aclose()

    async def _listed(self, within_s: float) -> list[Tool]:
        connection = self._opened()
        client = await connection.client()
        found: list[Tool] = []
        cursor: str | None = None
        try:
            async with asyncio.timeout(within_s):
                for _ in range(_MOST_PAGES):
                    page = await client.list_tools(cursor=cursor, cache_mode="refresh")
                    found += page.tools
                    cursor = page.next_cursor
                    if cursor is None or len(found) >= _MOST_TOOLS:
                        break
        except Exception as error:  # noqa: BLE001 - the border to a server and its protocol
            raise await self._after(error, connection) from as_cause(error)
        return found[:_MOST_TOOLS]

    def _opened(self) -> McpConnection:
        """The open connection. Whoever comes while it is being opened shares it."""
        if self._connection is None or not self._connection.is_usable:
            self._connection = McpConnection(self._server, self._timeout_s, self._note_change)
        return self._connection

    def _note_change(self) -> None:
        self.announced += 1

    async def _after(self, error: BaseException, connection: McpConnection) -> ToolError:
        """What went wrong in a request. A connection that is gone, or silent, is given up."""
        if is_useless(error):
            if self._connection is connection:
                self._connection = None
            await connection.aclose()
        return connection.failure(error)
