"""What goes between the host and the process that reads documents: lengths, JSON, bytes."""

from __future__ import annotations

import socket
import struct

from pydantic import BaseModel, ConfigDict

from flows.data.documents.blocks import Block

_LENGTH = struct.Struct(">Q")
# Far above what `MOST_CHARACTERS` can become as JSON.
_LONGEST = 200 << 20


class ReadOrder(BaseModel):
    """A document of `size` bytes, which follow, to be read within so many seconds; by its `layout`
    if that tells more of its tables and headings than its text."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    size: int
    seconds: float
    layout: bool = False


class ReadReport(BaseModel):
    """Its paragraphs, or why it cannot be read."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    blocks: tuple[Block, ...] = ()
    problem: str = ""


class BrokenFrame(Exception):
    """The other end sent what is no message, or went away inside of one."""


def send(other: socket.socket, head: bytes, rest: bytes = b"") -> None:
    other.sendall(_LENGTH.pack(len(head)) + head)
    if rest:
        other.sendall(rest)


def receive_head(other: socket.socket) -> bytes | None:
    """The next message; None when the other end has closed. Errors: `BrokenFrame`."""
    first = other.recv(1)
    if not first:
        return None
    [length] = _LENGTH.unpack(first + receive_rest(other, _LENGTH.size - 1))
    if length > _LONGEST:
        raise BrokenFrame("the message is too long")
    return receive_rest(other, length)


def receive_rest(other: socket.socket, size: int) -> bytes:
    """So many bytes. Errors: `BrokenFrame`."""
    parts: list[bytes] = []
    while size:
        part = other.recv(min(size, 1 << 20))
        if not part:
            raise BrokenFrame("the message was cut")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
