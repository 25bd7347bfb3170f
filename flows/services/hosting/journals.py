"""Journals that many runs of a service share: their commits are shared too, and each is opened
once."""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from flows.core.journal import Journal, has_begun, read_rows
from flows.core.row_log import LOG, LogIndex
from flows.core.rows import Row
from flows.core.store import CACHE_KB, FILE, UNREADABLE, Durability, JournalFile
from flows.errors import JournalError
from flows.records.lookup import RunPlace

RUNS_A_FILE: Final = 250  # after so many runs a process begins another file
MOST_OPEN: Final = 2  # files that stay open though nobody uses them


def journal_name(owner: str, number: int) -> str:
    """The folder of the journal that the run of that number, from 0, of a process stands in."""
    return f"{owner}-{number // RUNS_A_FILE:04}"


@dataclass(slots=True)
class _OpenFile:
    file: JournalFile
    users: int = 0


class SharedJournals:
    """The files that are open for writing, for one event loop."""

    def __init__(self) -> None:
        self._files: OrderedDict[Path, _OpenFile] = OrderedDict()

    @contextmanager
    def journal(self, folder: Path, run_id: str, durability: Durability) -> Iterator[Journal]:
        """The journal of a run in the folder's file, which is made if there is none yet.

        Errors: `JournalError`, also while another process holds the file.
        """
        held = self._held(folder, durability)
        held.users += 1
        try:
            yield Journal(held.file, run_id)
        finally:
            held.users -= 1
            self._close_unused()

    def close(self) -> None:
        """Write what waits, and give all files up. Errors: `JournalError`."""
        files, self._files = self._files, OrderedDict()
        for each in files.values():
            each.file.close()

    def _held(self, folder: Path, durability: Durability) -> _OpenFile:
        held = self._files.get(folder)
        if held is not None and held.file.is_broken and not held.users:
            held.file.close()
            held = None
        if held is None:
            folder.mkdir(parents=True, exist_ok=True)
            new = not has_begun(folder)
            held = _OpenFile(JournalFile(folder, new=new, durability=durability, grouped=True))
            self._files[folder] = held
        self._files.move_to_end(folder)
        return held

    def _close_unused(self) -> None:
        unused = [folder for folder, each in self._files.items() if not each.users]
        for folder in unused[:-MOST_OPEN]:
            self._files.pop(folder).file.close()


class _Reader(NamedTuple):
    connection: sqlite3.Connection
    log: LogIndex


class JournalReaders:
    """The same files open for reading: for the rows of one run after the other, from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: OrderedDict[Path, _Reader] = OrderedDict()

    def place(self, folder: Path, run_id: str) -> RunPlace | None:
        """Where the run stands in the folder's file, once something is recorded of it."""
        select = "SELECT number, began FROM runs WHERE name = ?"
        with self._lock:
            reader = self._reader(folder)
            if reader is None:
                return None
            for number, began in reader.connection.execute(select, (run_id,)):
                return RunPlace(run_id, folder / run_id, folder, True, number, began)
            return None

    def rows(self, place: RunPlace) -> list[Row]:
        """The rows of a run, each checked. Errors: `JournalError`."""
        with self._lock:
            reader = self._reader(place.journal)
            if reader is None:
                raise JournalError(f"there is no run in {place.journal}")
            return read_rows(reader.connection, place.journal / FILE, place.number, reader.log)

    def close(self) -> None:
        with self._lock:
            for each in self._open.values():
                each.connection.close()
            self._open.clear()

    def _reader(self, folder: Path) -> _Reader | None:
        found = self._open.get(folder)
        if found is None:
            if not has_begun(folder):
                return None
            found = _Reader(_open(folder / FILE), LogIndex(folder / LOG))
            self._open[folder] = found
            while len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)[1].connection.close()
        self._open.move_to_end(folder)
        return found


def _open(path: Path) -> sqlite3.Connection:
    """A connection that sees what others write later. Errors: `JournalError`."""
    try:
        uri = f"{path.absolute().as_uri()}?mode=rw"
        connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
        connection.execute("PRAGMA query_only=1")
        connection.execute(f"PRAGMA cache_size=-{CACHE_KB}")
    except UNREADABLE as error:
        raise JournalError(f"{path} cannot be read: {error}") from error
    return connection
