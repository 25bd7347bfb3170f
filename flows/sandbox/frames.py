"""Messages between the host and its children: JSON behind a length, with file descriptors."""

from __future__ import annotations

import array
import asyncio
import json
import socket
import struct
from collections.abc import Mapping, Sequence
from typing import Any

LIMIT = 16 << 20  # bytes of one message
MOST_DESCRIPTORS = 240  # of one message; the kernel's own limit is 253

_LENGTH = struct.Struct("!I")


class FrameError(Exception):
    """The other side is gone, or what it sent is no message."""


def send(channel: socket.socket, message: Mapping[str, Any]) -> None:
    channel.sendall(_packed(message))


def receive(channel: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """The next message and its descriptors. Raises FrameError at the end of the stream."""
    head, passed, _, _ = socket.recv_fds(channel, _LENGTH.size, MOST_DESCRIPTORS)
    while len(head) < _LENGTH.size:
        head += _some(channel.recv(_LENGTH.size - len(head)))
    length = _length(head)
    parts = bytearray()
    while len(parts) < length:
        parts += _some(channel.recv(min(1 << 20, length - len(parts))))
    return _unpacked(bytes(parts)), passed


def send_at_once(
    channel: socket.socket, message: Mapping[str, Any], passed: Sequence[int] = ()
) -> None:
    """Send a short message on a socket that does not block, or raise OSError."""
    packed = _packed(message)
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", passed))] if passed else []
    if channel.sendmsg([packed], rights) < len(packed):
        raise BlockingIOError("the other side does not read")


async def send_from_host(
    channel: socket.socket, message: Mapping[str, Any], passed: Sequence[int] = ()
) -> None:
    """Send on a socket that does not block. Raises OSError when the other side is gone."""
    packed = _packed(message)
    if passed:
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", passed))]
        sent = channel.sendmsg([packed[: _LENGTH.size]], rights)
        packed = packed[sent:]
    await asyncio.get_running_loop().sock_sendall(channel, packed)


async def receive_at_host(channel: socket.socket) -> bytes:
    """The bytes of the next message, unread: who sent it is not trusted. Raises FrameError."""
    loop = asyncio.get_running_loop()
    try:
        head = await _exactly(loop, channel, _LENGTH.size)
        return await _exactly(loop, channel, _length(head))
    except OSError as error:
        raise FrameError(str(error)) from error


async def _exactly(loop: asyncio.AbstractEventLoop, channel: socket.socket, size: int) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        parts += _some(await loop.sock_recv(channel, min(1 << 20, size - len(parts))))
    return bytes(parts)


def _packed(message: Mapping[str, Any]) -> bytes:
    body = json.dumps(message, allow_nan=False, ensure_ascii=False).encode("utf-8", "replace")
    if len(body) > LIMIT:
        raise FrameError(f"a message of {len(body):,} bytes is over the limit of {LIMIT:,}")
    return _LENGTH.pack(len(body)) + body


def _unpacked(body: bytes) -> dict[str, Any]:
    message = json.loads(body)
    if not isinstance(message, dict):
        raise FrameError("a message has to be an object")
    return message


def _length(head: bytes) -> int:
    length: int = _LENGTH.unpack(head)[0]
    if length > LIMIT:
        raise FrameError(f"a message of {length:,} bytes is over the limit of {LIMIT:,}")
    return length


def _some(received: bytes) -> bytes:
    if not received:
        raise FrameError("the other side has closed")
    return received
