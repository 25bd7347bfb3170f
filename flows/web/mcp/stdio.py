"""The standard streams of the process as a connection: nothing but protocol is written to stdout.

The reader is a daemon thread, so that the process can end while its stdin is still open; that of
the package waits for the next line.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final, cast

from mcp.server.stdio import stdio_server
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage

Streams = tuple[ReadStream[SessionMessage | Exception], WriteStream[SessionMessage]]

_CHUNK: Final = 1 << 16
_LONGEST: Final = 64 << 20  # bytes of a line
_LINES: Final = 64  # that wait to be handled


class StdinLines:
    """The lines of a file descriptor, until its end, or one that is longer than `_LONGEST`."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[str | None] = asyncio.Queue(_LINES)
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    async def __aiter__(self) -> AsyncIterator[str]:
        while (line := await self._lines.get()) is not None:
            yield line

    def _read(self) -> None:
        held = bytearray()
        try:
            while (piece := os.read(self._descriptor, _CHUNK)) and len(held) < _LONGEST:
                held += piece
                if b"\n" in piece:
                    *lines, rest = held.split(b"\n")
                    held = rest
                    for each in lines:
                        self._put(each.decode("utf-8", "replace"))
        except OSError:  # the other end is gone
            held.clear()
        if held and len(held) < _LONGEST:
            self._put(held.decode("utf-8", "replace"))
        self._put(None)

    def _put(self, line: str | None) -> None:
        """Hand a line over; waits while too many are not handled yet."""
        putting = self._lines.put(line)
        try:
            asyncio.run_coroutine_threadsafe(putting, self._loop).result()
        except (RuntimeError, asyncio.CancelledError):  # the loop has ended
            putting.close()


class StdoutText:
    """Text that is written to a file descriptor at once."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    async def write(self, text: str) -> None:
        await asyncio.to_thread(self._write, text.encode())

    async def flush(self) -> None:
        """Nothing is held back."""

    def _write(self, left: bytes) -> None:
        while left:
            left = left[os.write(self._descriptor, left) :]


@contextmanager
def own_streams() -> Iterator[tuple[int, int]]:
    """The process's stdin and stdout as file descriptors for the protocol alone. What else is
    written to stdout meanwhile, by a flow or a process that it starts, goes to stderr; whoever
    reads stdin is at its end."""
    inlet, outlet = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    try:
        yield inlet, outlet
    finally:
        sys.stdout.flush()  # what a flow has printed
        os.dup2(outlet, 1)


@asynccontextmanager
async def connection(inlet: int, outlet: int) -> AsyncIterator[Streams]:
    """The messages that are read from one file descriptor and written to another."""
    lines, text = cast(Any, StdinLines(inlet)), cast(Any, StdoutText(outlet))
    async with stdio_server(lines, text) as streams:
        yield streams
