"""Following a run's journal while it is written, by this process or another."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from flows.core.journal import check_readable, open_to_read, read_after
from flows.core.row_log import LOG, LogReader
from flows.core.rows import Row
from flows.core.store import FILE, UNREADABLE
from flows.errors import JournalError
from flows.records.lookup import RunPlace


class RowTail:
    """Gives each row of a run once, in their order. The file stays open between two reads only
    while somebody writes it: see `rest`."""

    def __init__(self, place: RunPlace) -> None:
        self.place = place
        self._path = place.journal / FILE
        self._opened: sqlite3.Connection | None = None
        self._last: tuple[int, Row] | None = None  # with its id in the file
        self._number = place.number if place.shared else 0
        self._log = LogReader(self._path.with_name(LOG), self._number)
        self._state: tuple[int, int] | None = None

    def read(self) -> list[Row]:
        """The rows that came since the last time, checked. Errors: `JournalError`."""
        try:
            if self._opened is not None:
                return self._next(self._opened)
            if not self._path.with_name(f"{FILE}-wal").exists():
                return self._closed_file()
            self._opened = open_to_read(self._path)
            if self._last is None and not self.place.shared:
                check_readable(self._opened, self._path)
            return self._next(self._opened)
        except (*UNREADABLE, OSError) as error:
            raise JournalError(f"{self._path} cannot be read: {error}") from error

    def _closed_file(self) -> list[Row]:
        """Of a file that nobody writes, which is read only when it was changed."""
        found = (
            self._path.stat()
        )  # what a killed process left in its log stays there until a resume
        state = found.st_mtime_ns, found.st_size
        if state == self._state:
            return []
        with closing(open_to_read(self._path)) as connection:
            if not self.place.shared:  # a large file; the rows have checksums of their own
                check_readable(connection, self._path)
            rows = self._next(connection)
        self._state = state
        return rows

    def _next(self, connection: sqlite3.Connection) -> list[Row]:
        found = read_after(connection, self._path, self._number, self._log.read, self._last)
        if found:
            self._last = found[-1]
        return [row for _, row in found]

    def rest(self) -> None:
        """Close the file until the next read: nothing is expected soon."""
        opened, self._opened = self._opened, None
        if opened is not None:
            opened.close()
