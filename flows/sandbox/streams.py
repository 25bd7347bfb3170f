"""What a child writes to its standard output and error: read as it comes, kept up to a limit."""

from __future__ import annotations

import asyncio
import os

_PIECE = 1 << 16
_MOST_BYTES_A_CHARACTER = 4


class Stream:
    """The reading end of a pipe. What is over the limit is read and thrown away."""

    def __init__(self, descriptor: int, characters: int) -> None:
        os.set_blocking(descriptor, False)
        self._descriptor = descriptor
        self._characters = characters
        self._kept = bytearray()
        self._cut = False
        self._open = True
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(descriptor, self._read)

    def take(self) -> tuple[str, bool]:
        """What has been written since the last time, and whether some of it was thrown away."""
        for _ in range(64):  # at most what a pipe holds, were it the largest
            if not self._read():
                break
        text = self._kept.decode("utf-8", "replace")
        cut = self._cut or len(text) > self._characters
        self._kept.clear()
        self._cut = False
        return text[: self._characters], cut

    def close(self) -> None:
        """Read what is there, and no more; by its number it may soon be another's."""
        if not self._open:
            return
        while self._read():
            continue
        self._open = False
        if not self._loop.is_closed():
            self._loop.remove_reader(self._descriptor)
        os.close(self._descriptor)

    def _read(self) -> bool:
        if not self._open:
            return False
        try:
            piece = os.read(self._descriptor, _PIECE)
        except (BlockingIOError, InterruptedError):
            return False
        if not piece:
            self._loop.remove_reader(self._descriptor)
            return False
        room = self._characters * _MOST_BYTES_A_CHARACTER - len(self._kept)
        self._kept += piece[:room]
        self._cut = self._cut or len(piece) > room
        return True
