"""The record of a run: rows that are only ever appended, each with a checksum.

Rows, in the order they were written (`kind`):

start     what runs: the spec and the inputs, and once more for each `resume`
intent    a step that must not be done twice is about to begin
call      a model is about to be asked
outcome   a step returned: its outputs, usage, artifacts
failure   a step raised: the error's type and message
question  a person was asked
answer    what the person said
change    the person changed the config of the running session: what it is from here on
stop      the process was told to end (Ctrl-C, SIGTERM): the time used so far
limit     the limit on wall time was reached before the step at this address
end       the run's status, when it came to one

A row's checksum covers its own text and the checksum of the row before, so that a changed, missing
or reordered row is noticed. Each row's number follows the one before: of two processes that both
think that they run it, the second to write a number is refused.
"""

from __future__ import annotations

import itertools
import sqlite3
import time
from asyncio import Future
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from flows.core.history import History, read_history
from flows.core.migration import version_of
from flows.core.row_log import LOG, FiledRow, LogIndex, LogReader
from flows.core.rows import Kind, Row, row_checksum, row_text, text_checksum
from flows.core.store import FILE, UNREADABLE, Durability, JournalFile, check_whole
from flows.core.workers import PreparedStep
from flows.errors import JournalError


class Journal:
    """The journal of one run, in a file that it has alone or shares.

    `steps` holds the rows by address that a resumed run reuses: outcomes, failures that the run
    went on after, and the intents of steps whose outcome is unknown. `prepared` are those that
    workers have done in this session, and that the run has not come to yet.
    """

    prepared: dict[str, PreparedStep] = {}  # noqa: RUF012 - of a fork, which has no workers

    def __init__(self, file: JournalFile, run_id: str, *, owned: bool = False) -> None:
        self._file = file
        self._owned = owned
        known = run_id in file.runs
        self._number = file.number_of(run_id)
        self.rows = read_rows(file.connection, file.path, self._number) if known else []
        self._before = self.rows[-1].checksum if self.rows else ""
        self._seq = self.rows[-1].seq if self.rows else 0
        self._group = -1  # the group of the file that its last row is in
        self.history: History = read_history(self.rows)
        self.steps = self.history.steps
        self.prepared = {}

    @classmethod
    def open(
        cls, folder: Path, *, create: bool = False, durability: Durability = "full"
    ) -> Journal:
        """The journal of the run in that folder, or a new one. Errors: `JournalError`."""
        file = JournalFile(folder, new=create, durability=durability)
        try:
            names = list(file.runs)
            name = folder.absolute().name
            only = names[0] if len(names) == 1 and not create else name
            return cls(file, name if name in names else only, owned=True)
        except BaseException:
            file.close()
            raise

    def append(
        self, kind: Kind, address: str, digest: str, body: str, *, durable: bool = True
    ) -> Future[None] | None:
        """Add a row, which is written when this returns, or when what it returns is awaited.

        With `durable` it and all before it are on the disk then. Errors: `JournalError`.
        """
        now = time.time()
        seq = self._seq + 1
        text = row_text(self._before, seq, kind, address, digest, body, now)
        checksum = text_checksum(text)
        self._seq, self._before = seq, checksum
        self._group = self._file.groups
        return self._file.add(
            kind, address, digest, body, now, checksum, self._number, text=text, durable=durable
        )

    @property
    def head(self) -> tuple[int, str]:
        """The number of the last row, and its checksum."""
        return self._seq, self._before

    async def write(self, kind: Kind, address: str, digest: str, body: str) -> None:
        """Add a row and wait until it is on the disk. Errors: `JournalError`."""
        if (commit := self.append(kind, address, digest, body)) is not None:
            await commit

    def pending(self) -> Future[None] | None:
        """The commit that rows of this run wait for, if any do: what changes the world must not
        begin before, as its inputs may be known from those rows alone."""
        return self._file.pending() if self._group == self._file.groups else None

    def take(self, address: str, digest: str, flow: Any, states: Mapping[str, Any]) -> Row | None:
        """The row to reuse for the step, once: its outcome, its failure, or its intent alone.
        `states` is what the flows around the step have folded before it.

        Errors: `JournalError` when it was recorded with other inputs.
        """
        del flow, states
        row = self.steps.pop(address, None)
        if row is not None and row.digest != digest:
            raise JournalError(
                f"{address} was recorded with other inputs: the flow, its config or its code "
                "changed since; start a new run"
            )
        return row

    def open_questions(self) -> list[Row]:
        """The questions that nobody has answered, oldest first, with those that were just asked."""
        rows = read_rows(self._file.connection, self._file.path, self._number)
        return read_history(rows).open_questions()

    async def written(self) -> list[Row]:
        """All rows, with those that this process wrote. Errors: `JournalError`."""
        if (commit := self.pending()) is not None:
            await commit
        return read_rows(self._file.connection, self._file.path, self._number)

    async def read_again(self) -> None:
        """Read what was written, as one would who goes on with the run now: all steps that are
        done can be taken once more. Errors: `JournalError`."""
        self.rows = await self.written()
        self.history = read_history(self.rows)
        self.steps = self.history.steps
        self.prepared.clear()

    def close(self) -> None:
        """Give the run up. Errors: `JournalError`, if not raised before."""
        if self._owned:
            self._file.close()


def read_rows(
    connection: sqlite3.Connection, path: Path, number: int = 0, log: LogIndex | None = None
) -> list[Row]:
    """A run's rows, checked; `number` is that of the run in the file. Who reads one run after the
    other gives an index of the file's `log`.

    Errors: `JournalError` names the first that is not as written.
    """
    own = LogReader(path.with_name(LOG), number)
    read_log = own.read if log is None else partial(log.read, number)
    return [row for _, row in read_after(connection, path, number, read_log)]


def read_after(
    connection: sqlite3.Connection,
    path: Path,
    number: int,
    read_log: Callable[[], list[FiledRow]],
    last: tuple[int, Row] | None = None,
) -> list[tuple[int, Row]]:
    """A run's rows with their ids in the file, those after the `last` one, checked; `read_log`
    gives those of the log. Errors: as for `read_rows`."""
    id_, before = last or (0, None)
    seq = before.seq if before is not None else 0
    checksum = before.checksum if before is not None else ""
    rows: list[tuple[int, Row]] = []
    try:
        logged = [each[:-1] for each in read_log()]  # before the file, as it says there
        select = _select(version_of(connection, path), number)
        filed = connection.execute(select, {"run": number, "after": id_})
        for new_id, *values in itertools.chain(filed, logged):
            if new_id <= id_:  # it stands in both
                continue
            id_, seq = new_id, seq + 1
            row = Row(seq, *values)
            if row.checksum != row_checksum(checksum, *row[:6]) or (not number and seq != id_):
                raise JournalError(f"{path} is damaged at row {seq}")
            checksum = row.checksum
            rows.append((id_, row))
    except sqlite3.OperationalError as error:
        raise JournalError(f"{path} cannot be read after row {seq}: {error}") from error
    except (*UNREADABLE, OSError) as error:
        raise JournalError(f"{path} is damaged after row {seq}: {error}") from error
    return rows


def _select(version: int, number: int) -> str:
    """The rows of a `:run` with an id `:after` another, in their order. The text is the same for
    all runs, so that a connection compiles it once."""
    columns = "kind, address, digest, body, at, checksum FROM journal"
    if version == 1:
        return f"SELECT seq, {columns} WHERE seq > :after ORDER BY seq"
    if not number:
        return f"SELECT id, {columns} WHERE run = 0 AND id > :after ORDER BY id"
    return f"SELECT id, {columns} WHERE run > 0 AND run = :run AND id > :after ORDER BY id"


def load(folder: Path, run_id: str | None = None) -> list[Row]:
    """The rows of a run's journal, for reading only; works while the run goes on.

    `run_id` names one of the runs of a file that many share. Errors: `JournalError`.
    """
    path = folder / FILE
    if not path.is_file():
        raise JournalError(f"there is no run in {folder}")
    connection = open_to_read(path)
    try:
        check_readable(connection, path)
        return read_rows(connection, path, _number_of(connection, path, run_id))
    finally:
        connection.close()


def open_to_read(path: Path) -> sqlite3.Connection:
    """A connection that changes nothing: a file that is closed is read without any beside it."""
    closed = not path.with_name(f"{path.name}-wal").exists()
    mode = "mode=ro&immutable=1" if closed else "mode=ro"
    return sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True)


def has_begun(folder: Path) -> bool:
    """Whether a journal in the folder has its tables; while it is made, or where that was broken
    off, it has none. True for one that cannot be read."""
    path = folder / FILE
    try:
        with closing(open_to_read(path)) as connection:
            return bool(connection.execute("PRAGMA user_version").fetchone()[0])
    except UNREADABLE:
        return path.is_file()


def check_readable(connection: sqlite3.Connection, path: Path) -> None:
    """Errors: `JournalError` when the file is no journal of a known version, or damaged."""
    try:
        version_of(connection, path)
    except sqlite3.OperationalError as error:
        raise JournalError(f"{path} cannot be read: {error}") from error
    except UNREADABLE as error:
        raise JournalError(f"{path} is damaged: {error}") from error
    check_whole(connection, path)


def _number_of(connection: sqlite3.Connection, path: Path, run_id: str | None) -> int:
    """Of a file that is a run's own, 0. Errors: `JournalError` for a run that it does not have."""
    if run_id is None or version_of(connection, path) == 1:
        return 0
    try:
        select = "SELECT number FROM runs WHERE name = ?"
        found = connection.execute(select, (run_id,)).fetchone()
    except UNREADABLE as error:
        raise JournalError(f"{path} is damaged: {error}") from error
    if found is None:
        raise JournalError(f"{path} has no run {run_id!r}")
    return int(found[0])
