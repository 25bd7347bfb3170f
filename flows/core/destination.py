"""Where services send something: the address, and the secret that goes with it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Destination:
    """An address that a service reaches, and the secret that it sends there.

    `address` is scheme://host:port, or the name of a package where only its code knows the address.
    `key` names the secret: an environment variable, "" if none is sent. `usual` says that the key
    belongs to the address: the provider's own, or the one that the environment names for it.
    `address_at` and `secret_at` are the paths in the service's config that name the two; () where
    the config does not. `written` says that the config holds the secret itself. With `is_command`
    the address is a command line that is run, with the secret in its environment. `files` are those
    that what is sent depends on, such as a script that the command runs.
    """

    address: str
    key: str = ""
    usual: bool = True
    address_at: tuple[str | int, ...] = ()
    secret_at: tuple[str | int, ...] = ()
    written: bool = False
    is_command: bool = False
    files: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider's environment variables: its keys, and those that name its address. `address` is
    its own, "" if it has none that is the same for all."""

    keys: tuple[str, ...]
    address: str = ""
    addresses: tuple[str, ...] = ()

    def set_key(self) -> str:
        """The variable that its key is taken from; "" if none is set."""
        return next((name for name in self.keys if os.environ.get(name)), "")

    def named_address(self) -> str:
        """The address that the environment names, else its own."""
        named = (os.environ.get(name) for name in self.addresses)
        return next((each for each in named if each), self.address)

    def owns(self, address: str) -> bool:
        """Whether a key may go to the address (scheme://host:port) without anybody's word."""
        return address in origins([self.address, *map(os.environ.get, self.addresses)])


def origins(addresses: Iterable[str | None]) -> frozenset[str]:
    """The origins of those that are addresses."""
    found = set()
    for each in addresses:
        try:
            found.add(origin_of(each or ""))
        except ValueError:
            continue  # not set, or something else than an address
    return frozenset(found)


def origin_of(url: str) -> str:
    """scheme://host:port of an address, in lower case and ASCII, without a port that is usual.

    Errors: `ValueError`, without the address, for one that clients could read in different ways.
    """
    if any(each in '\\^|<>"`' or not each.isprintable() or each.isspace() for each in url):
        raise ValueError("an address cannot hold blanks, backslashes or control characters")
    parts = urlsplit(url)
    host = parts.hostname
    if not parts.scheme or not host or "%" in host:
        raise ValueError("an address begins with a scheme, such as https://, and names a host")
    ascii_host = host if host.isascii() else host.encode("idna").decode()
    shown = f"[{ascii_host}]" if ":" in ascii_host else ascii_host.rstrip(".")
    port = parts.port
    is_usual = port is None or (parts.scheme, port) in (("http", 80), ("https", 443))
    return f"{parts.scheme}://{shown}" + ("" if is_usual else f":{port}")
