"""Where an endpoint is, the key that it wants, and within which bounds it answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Address:
    """Where an endpoint is and the key it wants, which no representation shows."""

    base_url: str
    key: str = field(repr=False)

    @property
    def host(self) -> str:
        return host_of(self.base_url)


@dataclass(frozen=True, slots=True)
class EndpointBounds:
    """Seconds to connect and of silence in a stream, and bytes of the reply's text."""

    connect: float
    idle: float
    max_reply_bytes: int

    @property
    def max_body_bytes(self) -> int:
        """Room for JSON's escapes and for the fields around the text."""
        return 8 * self.max_reply_bytes + 65_536


def host_of(url: str) -> str:
    return urlsplit(url).netloc.rpartition("@")[2]


def check_address(url: str) -> None:
    """Errors: ValueError, without the address, when it is none or when it holds a password."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("base_url has to begin with http:// or https:// and name a host")
    if parts.username is not None or parts.password is not None:
        raise ValueError("base_url must not hold a user or password; give the key as api_key")
