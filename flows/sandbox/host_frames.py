"""The host's side of messages: it does not block, and believes nothing of what comes."""

from __future__ import annotations

import array
import asyncio
import socket
from collections.abc import Mapping, Sequence
from typing import Any

from flows.sandbox import frames


def send_at_once(
    channel: socket.socket, message: Mapping[str, Any], passed: Sequence[int] = ()
) -> None:
    """Send a short message on a socket that does not block, or raise OSError."""
    packed = frames.packed(message)
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", passed))] if passed else []
    if channel.sendmsg([packed], rights) < len(packed):
        raise BlockingIOError("the other side does not read")


async def send_from_host(
    channel: socket.socket, message: Mapping[str, Any], passed: Sequence[int] = ()
) -> None:
    """Send on a socket that does not block. Raises OSError when the other side is gone."""
    packed = frames.packed(message)
    if passed:
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", passed))]
        sent = channel.sendmsg([packed[: frames.LENGTH.size]], rights)
        packed = packed[sent:]
    await asyncio.get_running_loop().sock_sendall(channel, packed)


async def receive_at_host(channel: socket.socket) -> bytes:
    """The bytes of the next message, unread: who sent it is not trusted. Raises FrameError."""
    loop = asyncio.get_running_loop()
    try:
        head = await _exactly(loop, channel, frames.LENGTH.size)
        return await _exactly(loop, channel, frames.length_of(head))
    except OSError as error:
        raise frames.FrameError(str(error)) from error


async def _exactly(loop: asyncio.AbstractEventLoop, channel: socket.socket, size: int) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        parts += frames.some(await loop.sock_recv(channel, min(1 << 20, size - len(parts))))
    return bytes(parts)
