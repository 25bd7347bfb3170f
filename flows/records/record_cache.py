"""What was read of runs that are over, kept beside them: a list of many reads no journal twice.

It is a file in the folder of the runs that can be deleted at any time. What it has of a journal
counts as long as the journal's file is the same (its inode, time and size) and nobody writes it.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError, from_json, to_json

from flows.core.row_log import LOG
from flows.core.store import FILE
from flows.records.lookup import RunPlace, newest, places_in
from flows.records.record import RunRecord, records_of

CACHE: Final = ".records.sqlite"
EDITION: Final = 1  # of what is kept; to be counted up with each change of how a record is read
MOST_BYTES: Final = 64 * 1024  # of a record; larger ones are read again
_PASSING: Final = ("running", "damaged")
_SCHEMA: Final = f"""
DROP TABLE IF EXISTS folders;
DROP TABLE IF EXISTS records;
CREATE TABLE folders (folder TEXT PRIMARY KEY, state TEXT NOT NULL, places TEXT NOT NULL) STRICT;
CREATE TABLE records (
  folder TEXT NOT NULL, run_id TEXT NOT NULL, state TEXT NOT NULL, record BLOB NOT NULL,
  PRIMARY KEY (folder, run_id)) STRICT;
PRAGMA user_version = {EDITION};
"""

_Place = tuple[str, bool, int, float]


def newest_records(runs: Path) -> Iterator[RunRecord]:
    """The runs of a folder without their steps, newest first, each read when it is wanted, if it is
    not known from before. One that cannot be read is a `damaged` run with the reason."""
    with closing(RecordCache(runs)) as known:
        for place in newest(runs, known.places):
            yield known.record(place) or known.read(place)


class RecordCache:
    """The file in a folder of runs. One that cannot be used is as one that is empty."""

    def __init__(self, runs: Path) -> None:
        self._runs = runs
        self._states: dict[Path, str] = {}
        self._new_folders: list[tuple[str, str, str]] = []
        self._new_records: list[tuple[str, str, str, bytes]] = []
        self._db = _open(runs / CACHE)
        self._folders: dict[str, tuple[str, str]] = {}
        if self._db is not None:
            for folder, *found in self._db.execute("SELECT folder, state, places FROM folders"):
                self._folders[folder] = (found[0], found[1])

    def places(self, folder: Path, runs: Path) -> Iterable[RunPlace]:
        """The runs of the journal in a folder, as of `places_in`."""
        name, state = self._name(folder), _state_of(folder)
        self._states[folder] = state
        kept = self._folders.get(name)
        if state and kept is not None and kept[0] == state:
            places: list[_Place] = from_json(kept[1])
            return [
                RunPlace(run_id, folder / run_id if shared else folder, folder, shared, number, at)
                for run_id, shared, number, at in places
            ]
        found = list(places_in(folder, runs))
        if state and found:
            plain = [(each.run_id, each.shared, each.number, each.began) for each in found]
            self._new_folders.append((name, state, to_json(plain).decode()))
        return found

    def record(self, place: RunPlace) -> RunRecord | None:
        """The record of a run, if it is known and still holds."""
        if self._db is None or not (state := self._states.get(place.journal)):
            return None
        select = "SELECT record FROM records WHERE folder = ? AND run_id = ? AND state = ?"
        values = (self._name(place.journal), place.run_id, state)
        for (text,) in self._db.execute(select, values):
            return replace(_adapter().validate_json(text), place=place)
        return None

    def read(self, place: RunPlace) -> RunRecord:
        """Read the record of a run, to be known from now on if it is over."""
        [found] = records_of([place])
        record = replace(found, steps=())
        state = self._states.get(place.journal)
        if state and record.status not in _PASSING and (text := _text_of(record)) is not None:
            self._new_records.append((self._name(place.journal), place.run_id, state, text))
        return record

    def close(self) -> None:
        """Keep what is new, and forget folders that are gone; where that cannot be written, what is
        kept stays as it is."""
        if self._db is None:
            return
        gone = [(each,) for each in self._folders if not (self._runs / each).is_dir()]
        try:
            self._db.execute("BEGIN IMMEDIATE")
            for table in ("folders", "records"):
                self._db.executemany(f"DELETE FROM {table} WHERE folder = ?", gone)
            self._db.executemany("INSERT OR REPLACE INTO folders VALUES (?,?,?)", self._new_folders)
            records = "INSERT OR REPLACE INTO records VALUES (?,?,?,?)"
            self._db.executemany(records, self._new_records)
            self._db.execute("COMMIT")
        except sqlite3.OperationalError:  # another lists the runs, or the disk is full
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
        finally:
            self._db.close()

    def _name(self, folder: Path) -> str:
        return "" if folder == self._runs else folder.name


@cache
def _adapter() -> TypeAdapter[RunRecord]:
    return TypeAdapter(RunRecord)


def _text_of(record: RunRecord) -> bytes | None:
    """A record as JSON; None of one that would not be read back the same, or is large."""
    if record.changes:
        return None
    try:
        text = _adapter().dump_json(record)
    except PydanticSerializationError:
        return None
    is_same = len(text) <= MOST_BYTES and _adapter().validate_json(text) == record
    return text if is_same else None


def _state_of(folder: Path) -> str:
    """What tells a journal's file from what it was or will be; "" while somebody may write it."""
    path = f"{folder}/{FILE}"
    try:
        found = os.stat(path)  # noqa: PTH116 - of a thousand folders
    except OSError:
        return ""
    if os.path.exists(f"{path}-wal") or os.path.exists(f"{folder}/{LOG}"):  # noqa: PTH110
        return ""
    return f"{found.st_ino}-{found.st_mtime_ns}-{found.st_size}"


def _open(path: Path) -> sqlite3.Connection | None:
    """The file, made where there is none; None where that cannot be. One that is damaged is
    deleted, and made by the next who lists the runs."""
    if not path.parent.is_dir():
        return None
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        connection = sqlite3.connect(path, isolation_level=None)
        if connection.execute("PRAGMA user_version").fetchone()[0] != EDITION:
            connection.executescript(_SCHEMA)
    except (OSError, sqlite3.OperationalError):
        return None
    except sqlite3.DatabaseError:
        path.unlink(missing_ok=True)
        return None
    return connection
