"""Entries of a folder that several processes may use at once, each in a file of its own."""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

_ENTRIES = 400
_PART = "part-"
E = TypeVar("E", bound=BaseModel)


class Entries:
    """Data that was computed once, as JSON with a sum before it.

    An entry is written whole or not at all; a damaged one counts as not there. Where the folder
    cannot be written, nothing is kept. Of many, those that were not used for longest are removed.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, kind: str, key: tuple[str, ...], model: type[E]) -> E | None:
        """An entry of a kind by its key; None where there is none that is whole."""
        place = self._place(kind, key)
        try:
            content = place.read_bytes()
            os.utime(place)
        except OSError:  # not there, or not ours: then it is made again
            return None
        total, _, body = content.partition(b"\n")
        if total != _sum(body):
            return None
        try:
            return model.model_validate_json(body)
        except ValidationError:
            return None

    def keep(self, kind: str, key: tuple[str, ...], entry: BaseModel) -> bool:
        """Write an entry; False where that is not possible."""
        body = entry.model_dump_json().encode()
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            number, part = tempfile.mkstemp(prefix=_PART, dir=self._folder)
            try:
                with os.fdopen(number, "wb") as file:
                    file.write(_sum(body) + b"\n" + body)
                Path(part).replace(self._place(kind, key))
            except BaseException:
                Path(part).unlink(missing_ok=True)
                raise
        except OSError:  # a full disk or a closed folder costs time, not the answer
            return False
        self._prune()
        return True

    def _place(self, kind: str, key: tuple[str, ...]) -> Path:
        name = hashlib.sha256("\x00".join(key).encode()).hexdigest()
        return self._folder / f"{kind}-{name}.json"

    def _prune(self) -> None:
        """Remove the entries that were not used for longest, and parts of a process that died."""
        entries = sorted(self._folder.glob("*.json"), key=_used)
        old = time.time() - 3600
        parts = [each for each in self._folder.glob(f"{_PART}*") if _used(each) < old]
        for each in (*entries[: max(0, len(entries) - _ENTRIES)], *parts):
            each.unlink(missing_ok=True)


def _used(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # another process has just removed it
        return 0.0


def _sum(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest().encode()
