"""The runs that a service has taken on, in one SQLite file: none is lost with the process.

A run is in the file before its caller is told that it was taken, and stays `queued` there until it
has come to an end or to a question. Processes that share the file do not touch the runs of one
another; those of a process that ended are taken over by the next that starts.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import sqlite3
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from flows.core.file_lock import hold, is_held
from flows.core.store import CACHE_KB
from flows.errors import FlowsError, UsageError

FILE: Final = "service.sqlite"
OWNERS: Final = "processes"
GROUP_SECONDS: Final = 0.002  # how long the first change of a group waits for others
BUSY_SECONDS: Final = 30.0
EDITION: Final = 1  # of the tables, kept in the file; to be counted up with each change of them
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS runs (
  run_id TEXT PRIMARY KEY, flow TEXT NOT NULL, file TEXT NOT NULL, inputs TEXT NOT NULL,
  session TEXT NOT NULL, caller TEXT NOT NULL, key TEXT, digest TEXT NOT NULL,
  fork TEXT NOT NULL,
  journal TEXT NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL DEFAULT '', owner TEXT NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0, at REAL NOT NULL, ended REAL, UNIQUE (caller, key)) STRICT;
CREATE INDEX IF NOT EXISTS runs_by_state ON runs (state);
CREATE INDEX IF NOT EXISTS runs_by_time ON runs (at);
CREATE TABLE IF NOT EXISTS replies (
  digest TEXT NOT NULL, run_id TEXT NOT NULL, question TEXT NOT NULL, at REAL NOT NULL,
  PRIMARY KEY (digest, run_id)) STRICT;
CREATE TABLE IF NOT EXISTS secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
"""
_COLUMNS: Final = """
run_id, flow, file, inputs, session, caller, key, digest, fork, journal, state, reason,
owner, tries, at"""
QUEUED: Final = "queued"
CANCELLED: Final = "cancelled"

Value = str | float | int | None
_Change = tuple[str, Sequence[Value], "asyncio.Future[int]"]


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run of the service. `inputs` are JSON, `file` is the key of the hosted file, `digest` that
    of what the caller sent, `key` the caller's own for it, `fork` JSON of what a fork is of,
    `journal` the folder of the journal that it shares with others, if it does,
    `state` is `queued` or what the run came to, `tries` how often a process took it over, `at`
    seconds since 1970."""

    run_id: str
    flow: str
    file: str
    inputs: str
    session: str = ""
    caller: str = ""
    key: str | None = None
    digest: str = ""
    fork: str = ""
    journal: str = ""
    state: str = QUEUED
    reason: str = ""
    owner: str = ""
    tries: int = 0
    at: float = 0.0


class HostingStore:
    """The file in a folder, used by one event loop. Changes that come together are committed
    together, in a thread of their own.

    Errors: `UsageError` when it cannot be opened.
    """

    def __init__(self, folder: Path) -> None:
        self.owner = f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(4)}"
        self._owners = folder / OWNERS
        try:
            (self._owners / self.owner).mkdir(parents=True, mode=0o700)
            folder.chmod(0o700)
            self._lock = hold(self._owners / self.owner)
            path = folder / FILE
            os.close(os.open(path, os.O_CREAT | os.O_CLOEXEC, 0o600))
            self._db = _open(path)
            _check_edition(self._db, folder)
            self._db.executescript(f"{_SCHEMA}PRAGMA user_version = {EDITION};")
            self._reading = _open(path)
        except (OSError, sqlite3.Error) as error:
            raise UsageError(f"{folder} cannot be used: {error}") from error
        self._changes: list[_Change] = []
        self._thread = ThreadPoolExecutor(1, "service-store")

    def secret(self, name: str) -> str:
        """The secret of that name, made when it is first wanted; the same for all processes."""
        made = (name, secrets.token_urlsafe(32))
        self._db.execute("INSERT OR IGNORE INTO secrets VALUES (?, ?)", made)
        found = self._db.execute("SELECT value FROM secrets WHERE name = ?", (name,)).fetchone()
        return str(found[0])

    async def add(self, run: StoredRun) -> bool:
        """Keep a new run; False when its caller has used its key before. It is on the disk when
        this returns."""
        values = (
            run.run_id, run.flow, run.file, run.inputs, run.session, run.caller, run.key,
            run.digest, run.fork, run.journal, run.state, run.reason, self.owner, 0, time.time(),
        )  # fmt: skip
        marks = ",".join("?" * len(values))
        statement = f"INSERT INTO runs ({_COLUMNS}) VALUES ({marks}) ON CONFLICT DO NOTHING"
        return await self._change(statement, values) == 1

    async def set_state(self, run_id: str, state: str, reason: str = "") -> None:
        """Keep what a run came to, or that it is queued again by this process."""
        ended = None if state == QUEUED else time.time()
        statement = "UPDATE runs SET state = ?, reason = ?, owner = ?, ended = ? WHERE run_id = ?"
        await self._change(statement, (state, reason, self.owner, ended, run_id))

    async def take_over(self, files: Sequence[str]) -> list[StoredRun]:
        """The queued runs of these hosted files whose process has ended, oldest first: they are
        this process's now."""
        taken = []
        alive = {self.owner: True}  # its own are not to be taken over
        for run in self._select("state = ? ORDER BY at, run_id", (QUEUED,)):
            if run.owner not in alive:
                alive[run.owner] = self.is_alive(run.owner)
            if run.file not in files or alive[run.owner]:
                continue
            statement = (
                "UPDATE runs SET owner = ?, tries = tries + 1 WHERE run_id = ? AND owner = ?"
            )
            if await self._change(statement, (self.owner, run.run_id, run.owner)):
                taken.append(run)
        self._forget_owners()
        return taken

    def is_alive(self, owner: str) -> bool:
        """Whether another process of that name is there; of this one it is False."""
        return owner != self.owner and is_held(self._owners / owner)

    def find(self, run_id: str) -> StoredRun | None:
        """The run of that id, if it is one of the service."""
        return next(iter(self._select("run_id = ?", (run_id,))), None)

    def find_key(self, caller: str, key: str) -> StoredRun | None:
        """The run that a caller has started with that key."""
        return next(iter(self._select("caller = ? AND key = ?", (caller, key))), None)

    async def note_reply(self, digest: str, run_id: str, question: str) -> None:
        """Keep which run a conversation is with, and the question that it waits with."""
        values = (digest, run_id, question, time.time())
        await self._change("INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?)", values)

    def find_replies(self, digest: str, most: int) -> list[tuple[str, str]]:
        """The runs that a conversation may be with, and the question of each: the latest first.
        Several conversations may have said the same so far."""
        statement = (
            "SELECT run_id, question FROM replies WHERE digest = ? ORDER BY at DESC, run_id LIMIT ?"
        )
        found = self._reading.execute(statement, (digest, most)).fetchall()
        return [(str(run_id), str(question)) for run_id, question in found]

    def close(self) -> None:
        """Write what waits, and close the file."""
        self._write(self._take())
        self._thread.shutdown()
        self._reading.close()
        self._db.close()
        os.close(self._lock)

    def _select(self, where: str, values: Sequence[Value]) -> list[StoredRun]:
        rows = self._reading.execute(f"SELECT {_COLUMNS} FROM runs WHERE {where}", values)
        return [StoredRun(*row) for row in rows]

    async def _change(self, statement: str, values: Sequence[Value]) -> int:
        """Carry a change out with those that come at the same time; how many rows it changed."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[int] = loop.create_future()
        if not self._changes:
            loop.call_later(GROUP_SECONDS, self._commit)
        self._changes.append((statement, values, done))
        return await done

    def _commit(self) -> None:
        changes = self._take()
        if changes:
            asyncio.get_running_loop().run_in_executor(self._thread, self._write_and_tell, changes)

    def _take(self) -> list[_Change]:
        changes, self._changes = self._changes, []
        return changes

    def _write_and_tell(self, changes: list[_Change]) -> None:
        """In the thread of the file: write, and tell those that wait."""
        loop = changes[0][2].get_loop()
        try:
            counts: list[int] | sqlite3.Error = self._write(changes)
        except sqlite3.Error as error:
            counts = error
        loop.call_soon_threadsafe(_tell, changes, counts)

    def _write(self, changes: list[_Change]) -> list[int]:
        if not changes:
            return []
        self._db.execute("BEGIN IMMEDIATE")
        try:
            counts = [self._db.execute(sql, values).rowcount for sql, values, _ in changes]
            self._db.execute("COMMIT")
        except sqlite3.Error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise
        return counts

    def _forget_owners(self) -> None:
        """Remove the locks of processes that have ended and own nothing that is queued."""
        rows = self._reading.execute("SELECT DISTINCT owner FROM runs WHERE state = ?", (QUEUED,))
        needed = {self.owner, *(str(owner) for (owner,) in rows)}
        for folder in self._owners.iterdir():
            if folder.name not in needed and not is_held(folder):
                for each in folder.iterdir():
                    each.unlink()
                folder.rmdir()


def _check_edition(db: sqlite3.Connection, folder: Path) -> None:
    """Errors: `UsageError` for a file with other tables."""
    (edition,) = db.execute("PRAGMA user_version").fetchone()
    (tables,) = db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if tables and edition != EDITION:
        raise UsageError(
            f"{folder} is of another version of analyst-flows (edition {edition}; this one keeps "
            f"{EDITION}): end its runs with that, or move the folder away"
        )


def _tell(changes: list[_Change], counts: list[int] | sqlite3.Error) -> None:
    for number, (_, _, done) in enumerate(changes):
        if done.done():  # it gave up
            continue
        if isinstance(counts, sqlite3.Error):
            done.set_exception(FlowsError(f"the service cannot keep its runs: {counts}"))
        else:
            done.set_result(counts[number])


def _open(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, timeout=BUSY_SECONDS
    )
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute(f"PRAGMA cache_size=-{CACHE_KB}")
    return connection
