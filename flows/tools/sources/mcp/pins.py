"""What each tool of a server said of itself when a person allowed the server."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from flows.config.own_files import read_own, write_own
from flows.config.places import state_folder

_MOST_BYTES: Final = 4 * 1024 * 1024
_DIGESTS: Final = TypeAdapter(dict[str, str])


def tool_digest(told: Mapping[str, Any]) -> str:
    """What a tool's description is known by: SHA-256 of all that its server says of it."""
    text = json.dumps(told, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def pin_folder() -> Path | None:
    """Where pins are kept; None without a home folder."""
    folder = state_folder()
    return None if folder is None else folder / "functions"


class Pins:
    """The digests of a server's tools by their names, in a file of the user's state.

    `server` is what the server is known by: its address or its command. One that cannot be written
    holds for this process; a file that another user could have written counts for nothing.
    """

    def __init__(self, server: str, folder: Path | None = None) -> None:
        name = hashlib.sha256(server.encode()).hexdigest()
        folder = folder or pin_folder()
        self._file = None if folder is None else folder / f"{name}.json"
        self._server = server
        self._kept = self._read()

    @property
    def are_there(self) -> bool:
        """Whether the server was allowed before."""
        return self._kept is not None

    def holds(self, tool: str, digest: str) -> bool:
        """Whether the tool said the same when it was allowed."""
        return self._kept is not None and self._kept.get(tool) == digest

    def knows(self, tool: str) -> bool:
        """Whether there was a tool of that name."""
        return self._kept is not None and tool in self._kept

    def keep(self, digests: Mapping[str, str]) -> None:
        """Note that a person allows these tools as they are now."""
        self._kept = {**(self._read() or {}), **(self._kept or {}), **digests}
        if self._file is None:
            return
        told = json.dumps({"": self._server, **self._kept}, indent=1, ensure_ascii=False)
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_own(self._file, told)
        except OSError:
            return  # a home that cannot be written: the next run begins anew

    def _read(self) -> dict[str, str] | None:
        text = None if self._file is None else read_own(self._file, _MOST_BYTES)
        try:
            kept = None if text is None else _DIGESTS.validate_json(text)
        except ValidationError:
            return None
        return None if kept is None else {name: each for name, each in kept.items() if name}
