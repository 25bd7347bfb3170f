"""Lines of standard input when it is not a terminal: a pipe, a file, or nothing."""

from __future__ import annotations

import asyncio
import io
import os
import select
import sys

from flows.human.prompt import clear_line, echo, is_terminal, prompt_text, show

MAX_LINE_BYTES = 1024 * 1024
_TURN_BYTES = 4096


class StandardLines:
    """Reads one line for each question, and not a byte more.

    Like the `read` of a shell it leaves the rest to whoever reads next: another run in the same
    process, or the next command of a script. A line longer than `MAX_LINE_BYTES` is cut there.
    """

    async def read(self, question: str) -> str | None:
        """The next line without its end, or None at the end of the input."""
        clear_line()
        show(prompt_text(question))
        line = await _next_line()
        text = None if line is None else line.decode("utf-8", "replace")
        if not is_terminal(sys.stdin):
            echo(text)
        return text


async def _next_line() -> bytes | None:
    if sys.stdin is None or sys.stdin.closed:
        return None
    try:
        descriptor = sys.stdin.fileno()
    except io.UnsupportedOperation:
        # Somebody put a stream of text in the place of standard input.
        line = sys.stdin.readline()
        return line.rstrip("\r\n").encode("utf-8", "surrogatepass") if line else None
    return await read_line(descriptor)


async def read_line(descriptor: int) -> bytes | None:
    """The next line of a file descriptor, without its end; None at the end of the input.

    Waits in the event loop, so that cancelling ends it at once and no thread is left behind.
    """
    line = bytearray()
    seen = 0
    while True:
        await _readable(descriptor)
        try:
            byte = os.read(descriptor, 1)
        except BlockingIOError:
            continue
        except OSError:
            byte = b""  # A terminal that is gone, a descriptor that was closed: nobody is there.
        if not byte:
            return bytes(line) if seen else None
        seen += 1
        if byte == b"\n":
            return bytes(line).removesuffix(b"\r")
        if seen <= MAX_LINE_BYTES:
            line += byte
        if seen % _TURN_BYTES == 0:
            await asyncio.sleep(0)  # A long line must not keep other tasks, or Ctrl-C, from a turn.


async def _readable(descriptor: int) -> None:
    """Wait until reading would not block; for a file or /dev/null that is at once."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    if poll.poll(0):
        return
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(descriptor, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(descriptor)
