"""What an MCP server says beside its messages, for whoever asks why it did not answer."""

from __future__ import annotations

from typing import Final

from flows.config.redaction import redact_pieces
from flows.tools.text import plain

_MOST_BYTES: Final = 16 * 1024
_MOST_SHOWN: Final = 600
_MOST_LINES: Final = 8


class ServerWords:
    """The end of what a server wrote on its standard error, 16 KB of it, and of lines on its output
    that are no messages. `fault` says why its connection has ended, "" while it is open."""

    def __init__(self) -> None:
        self._said = bytearray()
        self._stray = bytearray()
        self.fault = ""

    def add(self, piece: bytes) -> None:
        _keep_end(self._said, piece)

    def add_stray(self, line: bytes) -> None:
        _keep_end(self._stray, line + b"\n")

    def fail(self, why: str) -> None:
        """Note why the connection ends; the first reason stays."""
        self.fault = self.fault or why

    @property
    def last(self) -> str:
        """The last lines, without secrets; what was written in place of messages if there are
        none on the standard error."""
        return _last_lines(self._said) or _last_lines(self._stray)


def _keep_end(kept: bytearray, piece: bytes) -> None:
    kept += piece[-_MOST_BYTES:]
    del kept[:-_MOST_BYTES]


def _last_lines(said: bytearray) -> str:
    text = redact_pieces(plain(said.decode("utf-8", "replace")))
    lines = [each.strip() for each in text.splitlines() if each.strip()]
    return "\n".join(lines[-_MOST_LINES:])[-_MOST_SHOWN:]
