"""Secrets that are planted, and the search for them in all that a command leaves behind."""

from __future__ import annotations

import json
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from urllib.parse import quote, quote_plus

from tests.cli.command import Ended


def canary(name: str) -> str:
    """A secret of its own for a place, of characters that a header may carry and escapes change."""
    letters = "".join(chr(ord("a") + (7 * ord(each) + at) % 26) for at, each in enumerate(name))
    return f"sk-{letters}+Q7/{letters[::-1].upper()}&9="


def in_address(name: str) -> str:
    """One that can be the password in an address as it is."""
    return canary(name).replace("/", "-").replace("&", ".").replace("=", "_").replace("+", "~")


def in_base64(secret: str) -> Iterator[str]:
    """What a secret looks like in base64, wherever it begins in what was encoded."""
    for encode in (b64encode, urlsafe_b64encode):
        for before in range(3):
            whole = encode(b"x" * before + secret.encode()).decode()
            yield whole[4 if before else 0 : -4]


def forms(secret: str) -> set[str]:
    """All texts that would give it away."""
    return {
        secret,
        secret[::-1],
        *in_base64(secret),
        secret.encode().hex(),
        secret.encode().hex().upper(),
        quote(secret, safe=""),
        re.sub("%[0-9A-F]{2}", lambda escape: escape[0].lower(), quote(secret, safe="")),
        quote(secret),
        quote_plus(secret),
        json.dumps(secret)[1:-1],
        json.dumps(json.dumps(secret))[3:-3],
        secret.replace("&", "&amp;"),
    }


def left_behind(folder: Path, *ended: Ended, but: Iterable[str] = ()) -> dict[str, str]:
    """What commands printed, and every file below a folder but some, byte by byte."""
    found = {f"stdout {at}": each.out for at, each in enumerate(ended)}
    found |= {f"stderr {at}": each.err for at, each in enumerate(ended)}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name not in set(but):
            found[str(path.relative_to(folder))] = path.read_bytes().decode("latin-1")
    return found


def leaks(secrets: Iterable[str], texts: Mapping[str, str]) -> list[str]:
    """Where a secret can be read, in any form."""
    return [
        f"{where}: {form}"
        for secret in secrets
        for form in sorted(forms(secret))
        for where, text in texts.items()
        if form in text or form in text.encode("latin-1", "replace").decode("utf-8", "replace")
    ]
