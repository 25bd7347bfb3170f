"""One connection to an MCP server: a task opens it, holds it, and closes it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Final

from flows.config.redaction import redact_pieces
from flows.errors import ToolError
from flows.tools.network import check_reachable, network_reason
from flows.tools.sources.mcp.server import McpServer
from flows.tools.sources.mcp.words import ServerWords
from flows.tools.text import cap, plain

if TYPE_CHECKING:
    from mcp import Client
    from mcp.client._transport import Transport

_MOST_SAID: Final = 1_000


class McpConnection:
    """Opened at once, in a task that its streams belong to. `on_change` is called when the server
    says that its tools are others now."""

    def __init__(self, server: McpServer, timeout_s: float, on_change: Callable[[], None]) -> None:
        self._on_change = on_change
        self._server = server
        self._timeout_s = timeout_s
        self._client: Client | None = None
        self._fault: BaseException | None = None
        self._ready, self._closing = asyncio.Event(), asyncio.Event()
        self.words = ServerWords()
        self._owner = asyncio.create_task(self._own())

    @property
    def is_usable(self) -> bool:
        """Whether it is open, or being opened, in the running event loop."""
        return not self._owner.done() and self._owner.get_loop() is asyncio.get_running_loop()

    async def client(self) -> Client:
        """The client, once it is connected. Errors: `ToolError` where it cannot be, or not in
        time."""
        waiting = asyncio.create_task(self._ready.wait())
        try:
            done, _ = await asyncio.wait(
                {waiting, self._owner}, timeout=self._timeout_s, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            waiting.cancel()
        if not done:
            self._owner.cancel()
            await asyncio.wait({self._owner})
            silent = f"does not answer as an MCP server in {self._timeout_s:g} s"
            raise ToolError(self._with_words(f"{self._server.name} {silent}"))
        if self._client is None:
            raise self.failure(RuntimeError("it has ended at once"))
        return self._client

    async def aclose(self) -> None:
        """End the connection, and the process of a server that was started for it."""
        if self._owner.get_loop() is asyncio.get_running_loop():
            self._closing.set()
            await asyncio.wait({self._owner})

    def failure(self, error: BaseException) -> ToolError:
        """Why a request that got the error has failed, in words: the server's own, if it ended."""
        inner = _innermost(error)
        if _is_lost(inner):
            inner = self._fault or inner
            if self.words.fault:
                inner = RuntimeError(self._with_words(self.words.fault))
        if isinstance(inner, ToolError):
            return inner
        name = self._server.name
        if isinstance(inner, TimeoutError):
            return ToolError(self._with_words(f"{name} did not answer in {self._timeout_s:g} s"))
        if self._server.command and isinstance(inner, FileNotFoundError):
            return ToolError(f"{name}: there is no command {self._server.command[0]!r}")
        reason = network_reason(inner, name) if self._server.url else None
        said = plain(redact_pieces(str(inner))) or type(inner).__name__
        return ToolError(reason or cap(f"{name}: {said}", _MOST_SAID))

    async def _own(self) -> None:
        try:
            async with AsyncExitStack() as stack:
                self._client = client = await self._connected(stack)
                self._ready.set()
                listening = asyncio.create_task(self._listen(client))
                try:
                    await self._closing.wait()
                finally:
                    listening.cancel()
                    await asyncio.wait({listening})
        except Exception as error:  # noqa: BLE001 - told to whoever uses the connection
            inner = _innermost(error)
            is_told = isinstance(inner, OSError | ToolError)
            told = self.words.fault or str(inner) or type(inner).__name__
            self._fault = inner if is_told else RuntimeError(self._with_words(told))
        finally:
            self._client = None

    def _with_words(self, told: str) -> str:
        """The text with the last lines that the server wrote on its standard error."""
        return f"{told}: {self.words.last}" if self.words.last else told

    async def _connected(self, stack: AsyncExitStack) -> Client:
        logger = logging.getLogger("mcp")
        if not logger.handlers:  # its errors are raised too, and told from here
            logger.addHandler(logging.NullHandler())
        from mcp.client.streamable_http import streamable_http_client

        server = self._server
        if server.command:
            from flows.tools.sources.mcp.stdio import started_server

            if not server.folder.is_dir():
                raise ToolError(f"{server.name}: there is no folder {str(server.folder)!r}")
            started = started_server(server, self.words)
            return await stack.enter_async_context(self._client_of(started))
        from flows.tools.sources.mcp.http import bounded_client

        await check_reachable(server.url, self._timeout_s)
        http = await stack.enter_async_context(
            bounded_client(server.url, server.headers, server.max_bytes)
        )
        reached = streamable_http_client(
            server.url, http_client=http, max_sse_event_size=server.max_bytes
        )
        return await stack.enter_async_context(self._client_of(reached))

    def _client_of(self, transport: Transport) -> Client:
        from mcp import Client

        return Client(transport, cache=None, message_handler=self._heard)

    async def _heard(self, message: object) -> None:
        """Take a message that answers no request."""
        from mcp_types import ToolListChangedNotification

        if isinstance(message, ToolListChangedNotification):
            self._on_change()

    async def _listen(self, client: Client) -> None:
        """Ask a server of a newer protocol to say when its tools change. One that does not is asked
        for its list before each call all the same."""
        tools = client.server_capabilities.tools
        if tools is None or not tools.list_changed:
            return
        from mcp import MCPError
        from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost

        try:
            async with client.listen(tools_list_changed=True) as heard:
                async for _ in heard:
                    self._on_change()
        except (ListenNotSupportedError, SubscriptionLost, MCPError, TimeoutError):
            return


def is_useless(error: BaseException) -> bool:
    """Whether the connection of a request that got the error is gone or silent. An answer that
    says an error, or is of another shape, is none of these."""
    inner = _innermost(error)
    return isinstance(inner, TimeoutError) or _is_lost(inner)


def _is_lost(error: BaseException) -> bool:
    from mcp import MCPError
    from mcp_types import CONNECTION_CLOSED

    if isinstance(error, MCPError):
        return error.code == CONNECTION_CLOSED
    return not isinstance(error, TimeoutError | ValueError)


def _innermost(error: BaseException) -> BaseException:
    """The first error of a group, and of the groups inside."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
