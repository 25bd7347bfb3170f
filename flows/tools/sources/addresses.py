"""The address that a host's name stands for, checked before anything connects to it."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from typing import Any

from flows.errors import ToolError


async def checked_address(host: str, port: int) -> str:
    """The address to connect to. Errors: `ToolError` for an inner one; `OSError` for an unknown
    name."""
    bare = host.strip("[]")
    try:
        written = ipaddress.ip_address(bare)
    except ValueError:
        written = None
    if written is not None:
        if _is_never_allowed(written):
            raise ToolError(f"{host} is an inner address, which is never asked")
        return bare
    found: list[Any] = await asyncio.get_running_loop().getaddrinfo(
        bare, port, type=socket.SOCK_STREAM
    )
    is_local = bare == "localhost" or bare.endswith(".localhost")
    for *_, place in found:
        address = ipaddress.ip_address(str(place[0]).partition("%")[0])
        if _is_never_allowed(address) or (address.is_loopback and not is_local):
            raise ToolError(f"{host} stands for the inner address {address}, which is never asked")
    if not found:
        raise OSError(f"{host} has no address")
    return str(found[0][4][0])


def _is_never_allowed(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    mapped = getattr(address, "ipv4_mapped", None)
    if mapped is not None:
        return _is_never_allowed(mapped)
    return address.is_link_local or address.is_multicast or address.is_unspecified
