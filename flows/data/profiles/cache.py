"""Profiles that were made before, by the content of their source; in a folder, as JSON."""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from flows.data.files.sources import Fingerprint, Source, content_hash, fingerprint
from flows.data.tables import Table

# Where it is, from the folder that one works in.
PROFILES = Path(".flows") / "profiles"
# Another number for each change of what a profile says, or of how files are read.
VERSION = 4
_ENTRIES = 400
_PART = "part-"
# A file that was changed this lately may be changed again without a new time.
_SETTLED_NS = 2_000_000_000


class _Profiles(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int
    digest: str
    reading: str
    tables: tuple[Table, ...]


class _Known(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int
    fingerprint: Fingerprint
    digest: str


M = TypeVar("M", _Profiles, _Known)


class ProfileCache:
    """Profiles in a folder that several processes may use at once.

    An entry is written whole or not at all; a damaged one counts as not there and is written again.
    Where the folder cannot be written, nothing is kept.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, digest: str, reading: str) -> tuple[Table, ...] | None:
        """The tables of a source with this SHA-256, read in this way (`Source.reading`)."""
        found = self._read(self._place("profile", digest, reading), _Profiles)
        if found is None or (found.digest, found.reading) != (digest, reading):
            return None
        return found.tables

    def keep(self, digest: str, reading: str, tables: Sequence[Table]) -> bool:
        """Remember the tables; False where that is not possible."""
        entry = _Profiles(version=VERSION, digest=digest, reading=reading, tables=tuple(tables))
        return self._write(self._place("profile", digest, reading), entry)

    def content_hash(self, source: Source) -> str:
        """The SHA-256 of a source's content; read again only when its files were changed.

        Raises SourceError for a file that cannot be read.
        """
        before = fingerprint(source)
        place = self._place("hash", *(str(path) for path in source.paths))
        found = self._read(place, _Known)
        if found is not None and found.fingerprint == before:
            return found.digest
        digest = content_hash(source)
        settled = time.time_ns() - max(changed for _, changed, _ in before) > _SETTLED_NS
        if settled and fingerprint(source) == before:
            known = _Known(version=VERSION, fingerprint=before, digest=digest)
            self._write(place, known)
        return digest

    def _place(self, kind: str, *parts: str) -> Path:
        name = hashlib.sha256("\x00".join((str(VERSION), *parts)).encode()).hexdigest()
        return self._folder / f"{kind}-{name}.json"

    def _read(self, place: Path, kind: type[M]) -> M | None:
        """An entry, checked by the sum that stands before it."""
        try:
            content = place.read_bytes()
            os.utime(place)
        except OSError:  # not there, or not ours: then it is made again
            return None
        total, _, body = content.partition(b"\n")
        if total != _sum(body):
            return None
        try:
            entry = kind.model_validate_json(body)
        except ValidationError:
            return None
        return entry if entry.version == VERSION else None

    def _write(self, place: Path, entry: BaseModel) -> bool:
        body = entry.model_dump_json().encode()
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            number, part = tempfile.mkstemp(prefix=_PART, dir=self._folder)
            try:
                with os.fdopen(number, "wb") as file:
                    file.write(_sum(body) + b"\n" + body)
                Path(part).replace(place)
            except BaseException:
                Path(part).unlink(missing_ok=True)
                raise
        except OSError:  # a full disk or a closed folder costs time, not the answer
            return False
        self._prune()
        return True

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
