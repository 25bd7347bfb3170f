"""What each tool of a server said of itself when a person allowed the server."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from flows.config.own_files import read_own, write_own
from flows.config.places import state_folder
from flows.tools.sources.mcp.change import tool_text

_MOST_BYTES: Final = 4 * 1024 * 1024


class Pin(BaseModel):
    """A tool as it was allowed: the digest of all that it said of itself, and that as a text, ""
    where it was not kept."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    digest: str
    text: str = ""

    @classmethod
    def of(cls, told: Mapping[str, object]) -> Pin:
        """The pin of a tool that says this of itself."""
        said = json.dumps(told, sort_keys=True, ensure_ascii=False, default=str)
        digest = hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()
        return cls(digest=digest, text=tool_text(told))


# A digest alone is what earlier versions kept of a tool; the server's own name has the key "".
_KEPT: Final = TypeAdapter(dict[str, str | Pin])


def pin_folder() -> Path | None:
    """Where pins are kept; None without a home folder."""
    folder = state_folder()
    return None if folder is None else folder / "functions"


class Pins:
    """The pins of a server's tools by their names, in a file of the user's state.

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

    def holds(self, tool: str, now: Pin) -> bool:
        """Whether the tool said the same when it was allowed."""
        known = self._pin(tool)
        return known is not None and known.digest == now.digest

    def knows(self, tool: str) -> bool:
        """Whether there was a tool of that name."""
        return self._pin(tool) is not None

    def text(self, tool: str) -> str:
        """What the tool said when it was allowed; "" where that is not known."""
        known = self._pin(tool)
        return "" if known is None else known.text

    def keep(self, pins: Mapping[str, Pin]) -> None:
        """Note that a person allows these tools as they are now."""
        self._kept = {**(self._read() or {}), **(self._kept or {}), **pins}
        if self._file is None:
            return
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_own(self._file, self._as_json(self._kept))
        except OSError:
            return  # a home that cannot be written: the next run begins anew

    def _pin(self, tool: str) -> Pin | None:
        return None if self._kept is None else self._kept.get(tool)

    def _as_json(self, pins: Mapping[str, Pin]) -> str:
        """The file's text; where it would get too long to be read, without the texts."""
        whole = {name: each.model_dump() for name, each in pins.items()}
        told = json.dumps({"": self._server, **whole}, indent=1, ensure_ascii=True)
        if len(told) <= _MOST_BYTES:
            return told
        digests = {name: each.digest for name, each in pins.items()}
        return json.dumps({"": self._server, **digests}, indent=1, ensure_ascii=True)

    def _read(self) -> dict[str, Pin] | None:
        text = None if self._file is None else read_own(self._file, _MOST_BYTES)
        try:
            kept = None if text is None else _KEPT.validate_json(text)
        except ValidationError:
            return None
        if kept is None:
            return None
        pins = {name: each for name, each in kept.items() if name}
        return {
            name: Pin(digest=each) if isinstance(each, str) else each for name, each in pins.items()
        }
