"""Profiles that were made before, by the content of their source; in a folder, as JSON."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from flows.data.files.sources import Fingerprint, Source, content_hash, fingerprint
from flows.data.profiles.entries import Entries
from flows.data.tables import Table

# Where it is, from the folder that one works in.
PROFILES = Path(".flows") / "profiles"
# Another number for each change of what a profile says, or of how files are read.
VERSION = 8
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


class ProfileCache:
    """Profiles in a folder that several processes may use at once, see `Entries`."""

    def __init__(self, folder: Path) -> None:
        self._entries = Entries(folder)

    def find(self, digest: str, reading: str) -> tuple[Table, ...] | None:
        """The tables of a source with this SHA-256, read in this way (`Source.reading`)."""
        found = self._entries.find("profile", _key(digest, reading), _Profiles)
        known = None if found is None else (found.version, found.digest, found.reading)
        return found.tables if found and known == (VERSION, digest, reading) else None

    def keep(self, digest: str, reading: str, tables: Sequence[Table]) -> bool:
        """Remember the tables; False where that is not possible."""
        entry = _Profiles(version=VERSION, digest=digest, reading=reading, tables=tuple(tables))
        return self._entries.keep("profile", _key(digest, reading), entry)

    def content_hash(self, source: Source) -> str:
        """The SHA-256 of a source's content; read again only when its files were changed.

        Raises SourceError for a file that cannot be read.
        """
        before = fingerprint(source)
        key = _key(*(str(path) for path in source.paths))
        found = self._entries.find("hash", key, _Known)
        if found is not None and found.version == VERSION and found.fingerprint == before:
            return found.digest
        digest = content_hash(source)
        settled = time.time_ns() - max(changed for _, changed, _ in before) > _SETTLED_NS
        if settled and fingerprint(source) == before:
            known = _Known(version=VERSION, fingerprint=before, digest=digest)
            self._entries.keep("hash", key, known)
        return digest


def _key(*parts: str) -> tuple[str, ...]:
    return (str(VERSION), *parts)
