"""An MCP server that is started by a command: its messages bounded, its words kept to the last."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final

import anyio
import anyio.abc

from flows.tools.sources.mcp.server import McpServer
from flows.tools.sources.mcp.words import ServerWords
from flows.tools.text import plain

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.client._transport import TransportStreams
    from mcp.shared.message import SessionMessage

_GONE: Final = (anyio.ClosedResourceError, anyio.BrokenResourceError, OSError)
_END_S: Final = 2.0  # for a server to end by itself, and again after it was asked to
_LAST_WORDS_S: Final = 0.5  # for what it wrote before it ended to arrive
_POLL_S: Final = 0.01
_MOST_SHOWN: Final = 120


@asynccontextmanager
async def started_server(server: McpServer, words: ServerWords) -> AsyncIterator[TransportStreams]:
    """The messages from and to a server, which ends with the context.

    A message that is longer than `max_bytes`, or that is no message of the protocol, ends the
    connection, and `words.fault` says why. Errors: `OSError` where the command cannot be run.
    """
    from mcp.client.stdio import get_default_environment

    process = await anyio.open_process(
        [*server.command],
        env=get_default_environment() | dict(server.env),
        cwd=server.folder,
        start_new_session=True,
    )
    # Nothing is awaited before the group is there: a cancelled caller would leave the process.
    connection = _Connection(process, server.max_bytes, words)
    async with anyio.create_task_group() as group:
        group.start_soon(connection.read_words)
        group.start_soon(connection.read_messages)
        group.start_soon(connection.write_messages)
        try:
            yield connection.received, connection.to_send
        finally:
            with anyio.CancelScope(shield=True):
                await connection.close()
            group.cancel_scope.cancel()


class _Connection:
    """The pipes of a server's process, and the streams of messages that its session has."""

    def __init__(self, process: anyio.abc.Process, max_bytes: int, words: ServerWords) -> None:
        self._process = process
        self._max_bytes = max_bytes
        self._words = words
        self._words_read = anyio.Event()
        self._is_closing = False
        self._arrived: MemoryObjectSendStream[SessionMessage | Exception]
        self.received: MemoryObjectReceiveStream[SessionMessage | Exception]
        self._arrived, self.received = anyio.create_memory_object_stream(0)
        self.to_send: MemoryObjectSendStream[SessionMessage]
        self._sending: MemoryObjectReceiveStream[SessionMessage]
        self.to_send, self._sending = anyio.create_memory_object_stream(0)

    async def read_words(self) -> None:
        """Keep the end of what the server writes on its standard error."""
        assert self._process.stderr is not None
        try:
            async for piece in self._process.stderr:
                self._words.add(piece)
        except _GONE:
            return
        finally:
            self._words_read.set()

    async def read_messages(self) -> None:
        """Give the session each message. What ends the connection is a fault that is noted."""
        assert self._process.stdout is not None
        line = bytearray()
        async with self._arrived:
            with suppress(*_GONE):
                async for piece in self._process.stdout:
                    head, *others = piece.split(b"\n")
                    line += head
                    for each in others:
                        if not await self._take(bytes(line)):
                            return
                        line[:] = each
                    if self._is_too_long(line):
                        return
            await self._note_end()

    async def write_messages(self) -> None:
        assert self._process.stdin is not None
        try:
            async with self._sending:
                async for each in self._sending:
                    text = each.message.model_dump_json(by_alias=True, exclude_unset=True)
                    await self._process.stdin.send(f"{text}\n".encode("utf-8", "replace"))
        except _GONE:
            return  # the reader sees the end, and what the server said

    async def close(self) -> None:
        """End the server: its input first, then it and all that it has started."""
        self._is_closing = True
        for stream in (self.received, self.to_send, self._sending, self._arrived):
            stream.close()
        assert self._process.stdin is not None
        with suppress(*_GONE):
            await self._process.stdin.aclose()
        if self._words.fault or not await self._has_ended(_END_S):
            await self._kill()
        # Its pipes stay open while something that it has started holds their other ends.
        transport = getattr(getattr(self._process, "_process", None), "_transport", None)
        if transport is not None:
            with suppress(PermissionError):  # it may be another user's by now
                transport.close()

    async def _kill(self) -> None:
        if sys.platform == "win32":
            with suppress(ProcessLookupError):
                self._process.kill()
        else:
            from mcp.os.posix.utilities import terminate_posix_process_tree

            await terminate_posix_process_tree(self._process, _END_S)
        await self._has_ended(_END_S)

    async def _has_ended(self, within_s: float) -> bool:
        """Whether the process ends in time. Waiting for it would wait for those that hold its
        pipes, too."""
        with anyio.move_on_after(within_s):
            while self._process.returncode is None:  # noqa: ASYNC110 - it tells nobody
                await anyio.sleep(_POLL_S)
        return self._process.returncode is not None

    async def _note_end(self) -> None:
        """Note that the server has closed its output, once its last words are there."""
        if self._is_closing:
            return
        with anyio.move_on_after(_LAST_WORDS_S):
            await self._words_read.wait()
        code = self._process.returncode if await self._has_ended(_LAST_WORDS_S) else None
        self._words.fail("it has ended" if code is None else f"it has ended with the code {code}")

    def _is_too_long(self, line: bytes | bytearray) -> bool:
        if len(line) > self._max_bytes:
            self._words.fail(f"it sends more than {self._max_bytes:,} bytes in one message")
        return len(line) > self._max_bytes

    async def _take(self, line: bytes) -> bool:
        """Give one line to the session; False where it ends the connection."""
        from mcp.shared.message import SessionMessage
        from mcp_types import jsonrpc_message_adapter

        if self._is_too_long(line):
            return False
        if not line.strip():
            return True
        try:
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError:
            if not _is_meant_as_message(line):
                self._words.add_stray(line)
                return True
            shown = plain(line[:_MOST_SHOWN].decode("utf-8", "replace"))
            self._words.fail(f"it sends a message that cannot be read: {shown}")
            return False
        try:
            await self._arrived.send(SessionMessage(message))
        except _GONE:
            return False
        return True


def _is_meant_as_message(line: bytes) -> bool:
    """Whether a line that is no message was meant as one, and is not just something printed."""
    if not line.lstrip().startswith(b"{"):
        return False
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return True
    return isinstance(value, dict) and "jsonrpc" in value
