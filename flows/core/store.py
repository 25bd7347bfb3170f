"""The files that rows of one run, or of many, are appended to; by one process at a time.

Every row is written to the log (`journal.log`) before the run goes on, so that a process that is
killed loses none. (In a file that many runs share a pure step does not wait for its row, which is
written soon.) Those that stand for an effect are also synced to the disk (`durability: full`), so
that a power cut loses none of them; the rows of pure steps are synced with the next such row. With
`normal` it is the operating system that decides when the disk gets them. The SQLite file takes the
rows of the log when these are many, when it is closed, and when it is opened after a kill.

A small file, `lock`, holds the process's claim to the file and how many rows were synced: files
that have lost their end look whole, and are told by that number.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import sqlite3
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, Literal

from flows.core.file_lock import head_of, head_text, hold
from flows.core.migration import SCHEMA, create, migrate, version_of
from flows.core.row_log import LOG, FiledRow, RowLog, read_log, record_of
from flows.errors import JournalError, JournalTaken

FILE: Final = "journal.sqlite"

CHECKPOINT_PAGES: Final = 4000  # what SQLite keeps beside the file, at most: 16 MB
CACHE_KB: Final = 128  # of pages that a connection keeps in memory
LOG_BYTES: Final = 512 * 1024  # with more in the log, the SQLite file takes its rows
CHECK_SECONDS: Final = 0.005
GROUP_SECONDS: Final = 0.002  # how long the first row of a group waits for others

# What a damaged file may raise; a name or a message in it may be no text any more.
UNREADABLE: Final = (sqlite3.Error, UnicodeDecodeError)

Durability = Literal["full", "normal"]
Values = FiledRow | tuple[int, str, str, str, str, float, str, int]

_INSERT = "INSERT INTO journal VALUES (?,?,?,?,?,?,?,?)"


class JournalFile:
    """A file in `folder`, open for writing. With `grouped` many runs share it and its commits.

    Errors: `JournalError` when it is not there (without `new`), damaged, or held by another.
    """

    def __init__(
        self,
        folder: Path,
        *,
        new: bool = False,
        durability: Durability = "full",
        grouped: bool = False,
        log_bytes: int = LOG_BYTES,
    ) -> None:
        self.path = folder / FILE
        if not new and not self.path.is_file():
            raise JournalError(f"there is no run in {folder}")
        self.grouped = grouped
        self._log_bytes = log_bytes
        self._lock = hold(folder)
        self._full = durability == "full"
        try:
            self._connection = _open(self.path, new=new, full=self._full)
        except BaseException:
            os.close(self._lock)
            raise
        try:
            check_whole(self._connection, self.path)
            self.runs = read_runs(self._connection, self.path)
            self._broken = False
            self._name = str(self.path)
            self._place = _place_of(self._name)
            # The values of the rows that stand in the log, one after the other: a tuple for each
            # row would be looked at by each collection of garbage.
            self._logged: list[Any] = []
            self._checked = 0.0  # when the files were last seen in their place
            self._open_log()
        except BaseException:
            self._connection.close()
            os.close(self._lock)
            raise
        self._names: list[tuple[int, str, float]] = []
        self._waiting: list[bytes] = []  # the records of the next write
        self._waiters: list[asyncio.Future[None]] = []
        self._durable = False
        self.groups = 0  # that were written

    def _open_log(self) -> None:
        """Take the rows that a killed process left in the log, and begin a new one. A row whose run
        is not known came when the machine lost the run's beginning; it ends the log."""
        path = self.path.with_name(LOG)
        try:
            count = count_rows(self._connection)
            left = [row for row in read_log(path) if row.id > count]
            known = set(self.runs.values())
            whole = itertools.takewhile(lambda row: row.run in known, left)
            self._take(whole if left and left[0].id == count + 1 else ())
            self.next_id = count_rows(self._connection)
            if self.next_id < head_of(self.path.parent):
                raise JournalError(f"{self.path} is damaged: names of runs are lost")
            self._log = RowLog(path, self.path.stat().st_mode & 0o777)
            if self._full:
                _sync_folder(self.path.parent)
        except (OSError, sqlite3.Error) as error:
            raise JournalError(f"{path} cannot be used: {error}") from error
        self._most = self._log_bytes

    @property
    def connection(self) -> sqlite3.Connection:
        return self._connection

    @property
    def is_broken(self) -> bool:
        """Whether a write has failed: nothing can be written any more."""
        return self._broken

    def number_of(self, run_id: str) -> int:
        """The number that the run's rows are kept under; a new one for a new run, whose name is
        written before its first row."""
        if run_id not in self.runs:
            self.runs[run_id] = len(self.runs) + self.grouped
            self._names.append((self.runs[run_id], run_id, time.time()))
        return int(self.runs[run_id])

    def add(
        self, kind: str, address: str, digest: str, body: str, at: float, checksum: str, run: int,
        *, text: bytes, durable: bool,
    ) -> asyncio.Future[None] | None:  # fmt: skip
        """Write a row, or give it to the next write of the group, which is then to be awaited; only
        who did something to the world waits for it, a pure step need not. `text` is what the
        checksum covers.

        Errors: `JournalError`, then for ever: what cannot be recorded must not go on.
        """
        if self._broken:
            raise JournalError(f"{self.path} could not be written before")
        # A check costs a third of a row: outcomes that come fast share one.
        if durable and (kind != "outcome" or abs(at - self._checked) > CHECK_SECONDS):
            self._check_place()
            self._checked = at
        self.next_id = id_ = self.next_id + 1
        record = record_of(id_, run, text, checksum)
        self._logged += (id_, kind, address, digest, body, at, checksum, run)
        if not self.grouped:
            self._write(record, durable)
            return None
        if not self._waiting:
            asyncio.get_running_loop().call_later(GROUP_SECONDS, self._end_group)
        self._waiting.append(record)
        if not durable:
            return None
        self._durable = True
        return self.pending()

    def pending(self) -> asyncio.Future[None] | None:
        """The write that rows wait for, if any do. Each waiter has a future of its own: one that
        is cancelled cancels no other."""
        if not self._waiting:
            return None
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        return waiter

    def _end_group(self) -> None:
        """Write what came together, and wake all that wait for it."""
        waiters, self._waiters = self._waiters, []
        failed: JournalError | None = None
        try:
            self.flush()
        except JournalError as error:
            failed = error
        for waiter in waiters:
            if waiter.done():  # it gave up
                continue
            if failed is None:
                waiter.set_result(None)
            else:
                waiter.set_exception(failed)

    def flush(self) -> None:
        """Write what waits for its group. Errors: `JournalError`."""
        records, self._waiting = self._waiting, []
        durable, self._durable = self._durable, False
        if not records:
            return
        self.groups += 1
        if self._broken:
            raise JournalError(f"{self.path} could not be written before")
        self._write(b"".join(records), durable)

    def _write(self, records: bytes, durable: bool) -> None:
        if self._names:
            self._write_names()
        try:
            self._log.write(records)
            if durable and self._full:
                self._log.sync()
                os.pwrite(self._lock, head_text(self.next_id), 0)
        except OSError as error:
            self._broken = True
            where = self.path.with_name(LOG)
            raise JournalError(f"{where} cannot be written: {error.strerror}") from error
        if self._log.size > self._most:
            self.settle()

    def settle(self) -> None:
        """Have the SQLite file take the rows of the log, which keeps them where it cannot. Errors:
        `JournalError` when another process has taken over, or the file is damaged."""
        if not self._logged:
            return
        self._check_place()
        try:
            self._take(zip(*[iter(self._logged)] * 8, strict=True))
            self._log.empty()
        except sqlite3.OperationalError:  # the disk is full, or somebody else writes to the file
            self._most = self._log.size + self._log_bytes
            return
        except (OSError, sqlite3.Error) as error:
            raise self._failed(error) from error
        self._logged = []
        self._most = self._log_bytes

    def _take(self, rows: Iterable[Values]) -> None:
        self._in_one_transaction(_INSERT, rows)

    def _write_names(self) -> None:
        """Write the names of new runs. Errors: `JournalError`."""
        names, self._names = self._names, []
        try:
            self._in_one_transaction("INSERT INTO runs VALUES (?,?,?)", names)
        except sqlite3.Error as error:
            raise self._failed(error) from error

    def _in_one_transaction(self, insert: str, rows: Iterable[Any]) -> None:
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.executemany(insert, rows)
            connection.execute("COMMIT")
        except sqlite3.Error:
            if connection.in_transaction:  # a full disk has ended it already
                connection.execute("ROLLBACK")
            raise

    def _check_place(self) -> None:
        """Errors: `JournalError` when the files are not in their folder any more: what is written
        to them then, no name leads to."""
        if _place_of(self._name) != self._place:
            self._broken = True
            raise JournalError(
                f"{self.path} was deleted or replaced while it was written: "
                "the run has no record any more"
            )
        if not self._log.is_there():
            self._broken = True
            raise JournalTaken(f"another process has taken over the run in {self.path.parent}")

    def _failed(self, error: sqlite3.Error | OSError) -> JournalError:
        self._broken = True
        if isinstance(error, sqlite3.IntegrityError) and "UNIQUE" in str(error):
            return JournalTaken(f"another process has taken over the run in {self.path.parent}")
        return JournalError(f"{self.path} cannot be written: {error}")

    def close(self) -> None:
        """Write what waits and give the file up. Errors: `JournalError`, if not raised before."""
        try:
            if not self._broken:
                self.flush()
                self.settle()
        finally:
            self._log.close()
            self._connection.close()
            os.close(self._lock)


def _sync_folder(folder: Path) -> None:
    """Have the disk know the names of the files in it."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _place_of(path: str) -> tuple[int, int] | None:
    """What tells the file under this name from any other; None when there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116 - on the hot path; that of a Path takes twice the time
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _open(path: Path, *, new: bool, full: bool) -> sqlite3.Connection:
    if new:  # what steps were given and gave is its owner's alone; the files beside it follow it
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute(f"PRAGMA synchronous={'FULL' if full else 'NORMAL'}")
        connection.execute(f"PRAGMA wal_autocheckpoint={CHECKPOINT_PAGES}")
        connection.execute(f"PRAGMA cache_size=-{CACHE_KB}")
        if new:
            create(connection)
        elif version_of(connection, path) < SCHEMA:
            check_whole(connection, path)
            migrate(connection, path)
        version_of(connection, path)
    except (*UNREADABLE, OSError) as error:
        connection.close()
        raise JournalError(f"{path} is not a journal that can be used: {error}") from error
    except JournalError:
        connection.close()
        raise
    return connection


def count_rows(connection: sqlite3.Connection) -> int:
    (count,) = connection.execute("SELECT count(*) FROM journal").fetchone()
    return int(count)


def read_runs(connection: sqlite3.Connection, path: Path) -> dict[str, int]:
    """The numbers of the runs by their names. Errors: `JournalError`."""
    try:
        return dict(connection.execute("SELECT name, number FROM runs"))
    except UNREADABLE as error:
        raise JournalError(f"{path} is damaged: {error}") from error


def check_whole(connection: sqlite3.Connection, path: Path) -> None:
    """Errors: `JournalError` when SQLite finds damage, or rows that were synced are gone, of the
    file and its log together.

    The check compares rows with their index: a row whose run's number has changed, which no
    checksum of a row covers, is missing there.
    """
    synced = head_of(path.parent)
    try:
        logged = read_log(path.with_name(LOG))
        for (found,) in connection.execute("PRAGMA integrity_check(1)"):
            if found != "ok":
                raise JournalError(f"{path} is damaged: {found}")
        count = count_rows(connection)
    except (*UNREADABLE, OSError) as error:
        raise JournalError(f"{path} is damaged: {error}") from error
    if logged and logged[0].id <= count + 1:
        count = max(count, logged[-1].id)
    if count < synced:
        raise JournalError(f"{path} is damaged: it has {count} rows, {synced} were written")
