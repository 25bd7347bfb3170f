"""The SQLite file that rows of one run, or of many, are appended to; by one process at a time.

Every row is committed before the run goes on, so that a process that is killed loses none. (In a
file that many runs share a pure step does not wait for its row, which is committed soon.) Those
that stand for an effect are also synced to the disk (`durability: full`), so that a power cut
loses none of them; the rows of pure steps are synced with the next such row. With `normal` it is
the operating system that decides when the disk gets them.

A second small file, `lock`, holds the process's claim to the file and how many rows were synced: a
file that has lost its end looks whole to SQLite, and is told by that number.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import sqlite3
import time
from hashlib import blake2b
from pathlib import Path
from typing import Final, Literal

from flows.core.migration import SCHEMA, create, migrate, version_of
from flows.errors import JournalError, JournalTaken

FILE: Final = "journal.sqlite"
LOCK: Final = "lock"

CHECKPOINT_PAGES: Final = 4000  # what waits beside the file, at most: 16 MB
LOCK_TRIES: Final = 10
GROUP_SECONDS: Final = 0.002  # how long the first row of a group waits for others

# What a damaged file may raise; a name or a message in it may be no text any more.
UNREADABLE: Final = (sqlite3.Error, UnicodeDecodeError)

Durability = Literal["full", "normal"]
Values = tuple[int, str, str, str, str, float, str, int]

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
    ) -> None:
        self.path = folder / FILE
        if not new and not self.path.is_file():
            raise JournalError(f"there is no run in {folder}")
        self.grouped = grouped
        self._lock = hold(folder)
        try:
            self._connection = _open(self.path, new=new)
            check_whole(self._connection, self.path)
            self.runs = read_runs(self._connection, self.path)
            self._rows = self.next_id = count_rows(self._connection)
        except BaseException:
            os.close(self._lock)
            raise
        self._execute = self._connection.cursor().execute
        self._full = durability == "full"
        self._place = _place_of(self.path)
        self._synced: bool | None = None
        self._broken = False
        self._waiting: list[Values] = []
        self._names: list[tuple[int, str, float]] = []
        self._waiters: list[asyncio.Future[None]] = []
        self._durable = False

    @property
    def connection(self) -> sqlite3.Connection:
        return self._connection

    @property
    def is_broken(self) -> bool:
        """Whether a write has failed: nothing can be written any more."""
        return self._broken

    def number_of(self, run_id: str) -> int:
        """The number that the run's rows are kept under; a new one for a new run, whose name is
        written with its first row."""
        if run_id not in self.runs:
            self.runs[run_id] = len(self.runs) + self.grouped
            self._names.append((self.runs[run_id], run_id, time.time()))
        return int(self.runs[run_id])

    def add(
        self, kind: str, address: str, digest: str, body: str, at: float, checksum: str, run: int,
        *, durable: bool,
    ) -> asyncio.Future[None] | None:  # fmt: skip
        """Commit a row, or give it to the next commit of the group, which is then to be awaited.

        Errors: `JournalError`, then for ever: what cannot be recorded must not go on.
        """
        if durable and not self._broken:
            self._check_place()
        self.next_id += 1
        row = (self.next_id, kind, address, digest, body, at, checksum, run)
        if self.grouped:
            return self._add_to_group(row, durable)
        if self._broken:
            raise JournalError(f"{self.path} could not be written before")
        durable = durable and self._full
        if durable is not self._synced:
            self._synchronize(durable)
        if self._names:
            self._write([row])
            self._note(1, durable)
            return None
        try:
            self._execute(_INSERT, row)
        except sqlite3.Error as error:
            raise self._failed(error) from error
        self._note(1, durable)
        return None

    def _add_to_group(self, row: Values, durable: bool) -> asyncio.Future[None] | None:
        """Only who did something to the world waits for the commit; a pure step need not."""
        if self._broken:
            raise JournalError(f"{self.path} could not be written before")
        if not self._waiting:
            asyncio.get_running_loop().call_later(GROUP_SECONDS, self._end_group)
        self._waiting.append(row)
        self._durable = self._durable or durable
        return self.pending() if durable else None

    def pending(self) -> asyncio.Future[None] | None:
        """The commit that rows wait for, if any do. Each waiter has a future of its own: one that
        gives up waiting does not end the commit, as the rows of other runs are in it too."""
        if not self._waiting:
            return None
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        return waiter

    def _end_group(self) -> None:
        """Commit what came together, and wake all that wait for it."""
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
        """Commit what waits for its group. Errors: `JournalError`."""
        rows, self._waiting = self._waiting, []
        durable, self._durable = self._durable and self._full, False
        if not rows:
            return
        if durable is not self._synced and not self._broken:
            self._synchronize(durable)
        self._write(rows)
        self._note(len(rows), durable)

    def _note(self, rows: int, durable: bool) -> None:
        """Count the rows that were committed, and note how many when they were synced."""
        self._rows += rows
        if durable:
            try:
                os.pwrite(self._lock, head_text(self._rows), 0)
            except OSError as error:
                self._broken = True
                where = self.path.with_name(LOCK)
                raise JournalError(f"{where} cannot be written: {error.strerror}") from error

    def _check_place(self) -> None:
        """Errors: `JournalError` when the file is not in its folder any more: SQLite would go on
        writing to one that no name leads to."""
        if _place_of(self.path) != self._place:
            self._broken = True
            raise JournalError(
                f"{self.path} was deleted or replaced while it was written: "
                "the run has no record any more"
            )

    def _write(self, rows: list[Values]) -> None:
        """Write rows, and the names of new runs, in one transaction."""
        if self._broken:
            raise JournalError(f"{self.path} could not be written before")
        names, self._names = self._names, []
        try:
            self._execute("BEGIN IMMEDIATE")
            self._connection.executemany("INSERT INTO runs VALUES (?,?,?)", names)
            self._connection.executemany(_INSERT, rows)
            self._execute("COMMIT")
        except sqlite3.Error as error:
            failed = self._failed(error)
            if self._connection.in_transaction:
                self._execute("ROLLBACK")
            raise failed from error

    def _synchronize(self, durable: bool) -> None:
        self._execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
        self._synced = durable

    def _failed(self, error: sqlite3.Error) -> JournalError:
        self._broken = True
        if isinstance(error, sqlite3.IntegrityError) and "UNIQUE" in str(error):
            return JournalTaken(f"another process has taken over the run in {self.path.parent}")
        return JournalError(f"{self.path} cannot be written: {error}")

    def close(self) -> None:
        """Write what waits and give the file up. Errors: `JournalError`, if not raised before."""
        try:
            if not self._broken:
                self.flush()
        finally:
            self._connection.close()
            os.close(self._lock)


def _place_of(path: Path) -> tuple[int, int] | None:
    """What tells the file under this name from any other; None when there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _open(path: Path, *, new: bool) -> sqlite3.Connection:
    if new:  # what steps were given and gave is its owner's alone; SQLite's other files follow it
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute(f"PRAGMA wal_autocheckpoint={CHECKPOINT_PAGES}")
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


def hold(folder: Path) -> int:
    """Hold the file for this process; the claim goes with the process, however it ends.

    Returns the descriptor of the lock file. Errors: `JournalError` when another holds it.
    """
    try:
        handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise JournalError(f"the run in {folder} cannot be opened: {error}") from error
    for _ in range(LOCK_TRIES):  # whoever only looks holds it for a moment
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.002)
        else:
            return handle
    os.close(handle)
    raise JournalError(f"another process is running {folder.name}")


def is_held(folder: Path) -> bool:
    """Whether a process is running what is in the folder."""
    try:
        handle = os.open(folder / LOCK, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def head_text(rows: int) -> bytes:
    """How many rows were synced, with a checksum of its own; always of one length."""
    number = f"{rows:020d}"
    return f"{number} {blake2b(number.encode(), digest_size=8).hexdigest()}\n".encode()


def head_of(folder: Path) -> int:
    """How many rows were synced; 0 when nothing says so. Errors: `JournalError` when damaged."""
    path = folder / LOCK
    try:
        text = path.read_bytes()
    except OSError:
        return 0
    if not text:
        return 0
    number = text[:20]
    if not number.isdigit() or text != head_text(int(number)):
        raise JournalError(f"{path} is damaged")
    return int(number)


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
    """Errors: `JournalError` when SQLite finds damage, or rows that were synced are gone.

    The check compares rows with their index: a row whose run's number has changed, which no
    checksum of a row covers, is missing there.
    """
    synced = head_of(path.parent)
    try:
        for (found,) in connection.execute("PRAGMA integrity_check(1)"):
            if found != "ok":
                raise JournalError(f"{path} is damaged: {found}")
        count = count_rows(connection)
    except UNREADABLE as error:
        raise JournalError(f"{path} is damaged: {error}") from error
    if count < synced:
        raise JournalError(f"{path} is damaged: it has {count} rows, {synced} were written")
