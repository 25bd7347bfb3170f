"""Messages between the host and its children: JSON behind a length, with file descriptors."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Mapping
from typing import Any

LIMIT = 16 << 20  # bytes of one message
MOST_DESCRIPTORS = 240  # of one message; the kernel's own limit is 253

LENGTH = struct.Struct("!I")


# What each message says under which key is agreed on by those who send and read it.
Message = dict[str, Any]


class FrameError(Exception):
    """The other side is gone, or what it sent is no message."""


def send(channel: socket.socket, message: Mapping[str, Any]) -> None:
    channel.sendall(packed(message))


def receive(channel: socket.socket) -> tuple[Message, list[int]]:
    """The next message and its descriptors. Raises FrameError at the end of the stream."""
    head, passed, _, _ = socket.recv_fds(channel, LENGTH.size, MOST_DESCRIPTORS)
    while len(head) < LENGTH.size:
        head += some(channel.recv(LENGTH.size - len(head)))
    length = length_of(head)
    parts = bytearray()
    while len(parts) < length:
        parts += some(channel.recv(min(1 << 20, length - len(parts))))
    return _unpacked(bytes(parts)), passed


def packed(message: Mapping[str, Any]) -> bytes:
    body = json.dumps(message, allow_nan=False, ensure_ascii=False).encode("utf-8", "replace")
    if len(body) > LIMIT:
        raise FrameError(f"a message of {len(body):,} bytes is over the limit of {LIMIT:,}")
    return LENGTH.pack(len(body)) + body


def _unpacked(body: bytes) -> Message:
    message = json.loads(body)
    if not isinstance(message, dict):
        raise FrameError("a message has to be an object")
    return message


def length_of(head: bytes) -> int:
    length: int = LENGTH.unpack(head)[0]
    if length > LIMIT:
        raise FrameError(f"a message of {length:,} bytes is over the limit of {LIMIT:,}")
    return length


def some(received: bytes) -> bytes:
    if not received:
        raise FrameError("the other side has closed")
    return received
