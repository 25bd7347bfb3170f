"""The record of a run: one SQLite file, rows that are only ever appended, each with a checksum.

Rows, in the order they were written (`kind`):

start     what runs: the spec and the inputs, and once more for each `resume`
intent    a step with an effect is about to begin; durable before the effect happens
outcome   a step returned: its outputs, usage, artifacts
failure   a step raised: the error's type and message
end       the run's status, when it came to one

A row's checksum covers its own text and the checksum of the row before, so that a changed, missing
or reordered row is noticed. Outcomes of pure steps are written in groups: losing the last of them
to a crash costs doing pure steps again, and order is kept, so what is on disk is always a prefix.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
import time
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from flows.core.chat import Usage
from flows.errors import JournalError

FILE: Final = "journal.sqlite"
SCHEMA: Final = 1
GROUP_ROWS: Final = 512
GROUP_SECONDS: Final = 0.25

Kind = Literal["start", "intent", "outcome", "failure", "end"]

_TABLE = """
CREATE TABLE IF NOT EXISTS journal (
    seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, address TEXT NOT NULL,
    digest TEXT NOT NULL, body TEXT NOT NULL, at REAL NOT NULL, checksum TEXT NOT NULL
) STRICT
"""


_SELECT = "SELECT seq, kind, address, digest, body, at, checksum FROM journal ORDER BY seq"


class Row(NamedTuple):
    """One row. `digest` is that of the step's inputs, `at` seconds since 1970, `body` JSON."""

    seq: int
    kind: str
    address: str
    digest: str
    body: str
    at: float
    checksum: str

    def data(self) -> dict[str, Any]:
        parsed: dict[str, Any] = json.loads(self.body)
        return parsed


def row_checksum(
    before: str, seq: int, kind: str, address: str, digest: str, body: str, at: float
) -> str:
    text = f"{before}\x1f{seq}\x1f{kind}\x1f{address}\x1f{digest}\x1f{at!r}\x1f{body}"
    return blake2b(text.encode(), digest_size=12).hexdigest()


class Journal:
    """The journal of one run, open for writing by one process at a time.

    `steps` holds the rows by address that a resumed run reuses: outcomes, failures that the run
    had already dealt with, and intents without either.
    """

    def __init__(self, folder: Path, *, create: bool) -> None:
        self.path = folder / FILE
        if not create and not self.path.is_file():
            raise JournalError(f"there is no run in {folder}")
        self._lock = _lock(folder)
        try:
            self._connect = _open(self.path, create=create)
            self.rows = read_rows(self._connect, self.path)
        except BaseException:
            os.close(self._lock)
            raise
        self._before = self.rows[-1].checksum if self.rows else ""
        self._seq = self.rows[-1].seq if self.rows else 0
        self._waiting: list[Row] = []
        self._since = 0.0
        self._broken = False
        self.steps = reusable(self.rows)

    def append(
        self, kind: Kind, address: str, digest: str, body: str, *, durable: bool = True
    ) -> None:
        """Add a row. With `durable` it and all before it are on the disk when this returns."""
        now = time.time()
        seq = self._seq + 1
        checksum = row_checksum(self._before, seq, kind, address, digest, body, now)
        if not self._waiting:
            self._since = now
        self._waiting.append(Row(seq, kind, address, digest, body, now, checksum))
        self._seq, self._before = seq, checksum
        grown = len(self._waiting) >= GROUP_ROWS or now - self._since > GROUP_SECONDS
        if durable or grown:
            self.flush()

    def flush(self) -> None:
        """Write the rows that wait, in one transaction. Errors: `JournalError`, then for ever."""
        if self._broken:
            raise JournalError(f"{self.path} could not be written before")
        if not self._waiting:
            return
        try:
            self._connect.execute("BEGIN IMMEDIATE")
            self._connect.executemany("INSERT INTO journal VALUES (?,?,?,?,?,?,?)", self._waiting)
            self._connect.execute("COMMIT")
        except sqlite3.Error as error:
            self._broken = True
            if self._connect.in_transaction:
                self._connect.execute("ROLLBACK")
            raise JournalError(f"{self.path} cannot be written: {error}") from error
        self._waiting.clear()

    def close(self) -> None:
        """Write what waits and give the run up. Errors: `JournalError`, if not raised before."""
        try:
            if not self._broken:
                self.flush()
        finally:
            self._connect.close()
            os.close(self._lock)


def reusable(rows: list[Row]) -> dict[str, Row]:
    """The last word of each step. A failure that ended the run is left out: it is tried again, as
    is one at which a killed run stopped."""
    steps: dict[str, Row] = {}
    last: Row | None = None
    for row in rows:
        if row.kind in ("intent", "outcome", "failure"):
            steps[row.address] = row
            last = row
        elif row.kind == "end":
            last = None
            for address in row.data()["failed_at"]:
                steps.pop(address, None)
    if last is not None and last.kind == "failure":
        del steps[last.address]
    return {at: row for at, row in steps.items() if not is_open(row)}


def is_open(row: Row) -> bool:
    """Whether a failure is a wait or a limit of the run: the step itself is still to be done."""
    return row.kind == "failure" and row.data()["type"] in ("Waiting", "LimitReached")


def spent_in_vain(rows: list[Row], steps: Mapping[str, Row]) -> Usage:
    """What failed steps had used that are done again."""
    lost = (row for row in rows if row.kind == "failure" and steps.get(row.address) is not row)
    return sum((Usage(**row.data().get("usage", {})) for row in lost), Usage())


def read_rows(connection: sqlite3.Connection, path: Path) -> list[Row]:
    """All rows, checked. Errors: `JournalError` names the first row that is not as written."""
    rows: list[Row] = []
    before = ""
    try:
        _check_version(connection, path)
        for (found,) in connection.execute("PRAGMA quick_check(1)"):
            if found != "ok":
                raise JournalError(f"{path} is damaged: {found}")
        for values in connection.execute(_SELECT):
            row = Row(*values)
            expected = row_checksum(before, len(rows) + 1, *row[1:6])
            if row.seq != len(rows) + 1 or row.checksum != expected:
                raise JournalError(f"{path} is damaged at row {len(rows) + 1}")
            rows.append(row)
            before = row.checksum
    except sqlite3.OperationalError as error:
        raise JournalError(f"{path} cannot be read after row {len(rows)}: {error}") from error
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise JournalError(f"{path} is damaged after row {len(rows)}: {error}") from error
    return rows


def load(folder: Path) -> list[Row]:
    """The rows of a run's journal, for reading only; works while the run goes on."""
    path = folder / FILE
    if not path.is_file():
        raise JournalError(f"there is no run in {folder}")
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    try:
        return read_rows(connection, path)
    finally:
        connection.close()


def _check_version(connection: sqlite3.Connection, path: Path) -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version != SCHEMA:
        raise JournalError(f"{path} has schema {version}; this version reads {SCHEMA}")


def _open(path: Path, *, create: bool) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        if create:
            connection.execute(_TABLE)
            connection.execute(f"PRAGMA user_version={SCHEMA}")
        _check_version(connection, path)
    except sqlite3.Error as error:
        connection.close()
        raise JournalError(f"{path} is not a journal that can be used: {error}") from error
    except JournalError:
        connection.close()
        raise
    return connection


def _lock(folder: Path) -> int:
    """Hold the run for this process. The lock goes with the process, however it ends."""
    try:
        handle = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise JournalError(f"the run in {folder} cannot be opened: {error}") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise JournalError(f"another process is running {folder.name}") from None
    return handle
