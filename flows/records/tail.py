"""Following a run's journal while it is written, by this process or another."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from flows.core.journal import check_readable, open_to_read, read_rows
from flows.core.rows import Row, row_checksum
from flows.core.store import FILE, UNREADABLE
from flows.errors import JournalError
from flows.records.lookup import RunPlace

_NEXT = """
SELECT id, kind, address, digest, body, at, checksum FROM journal
WHERE id > ? AND run = ? ORDER BY id"""


class RowTail:
    """Gives each row of a run once, in their order. The file stays open between two reads only
    while somebody writes it: see `rest`."""

    def __init__(self, place: RunPlace) -> None:
        self.place = place
        self._path = place.journal / FILE
        self._opened: sqlite3.Connection | None = None
        self._last: Row | None = None
        self._id = 0
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
        except UNREADABLE as error:
            raise JournalError(f"{self._path} cannot be read: {error}") from error

    def _closed_file(self) -> list[Row]:
        """Of a file that nobody writes, which is read only when it was changed."""
        found = self._path.stat()
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
        number = self.place.number if self.place.shared else 0
        if self._last is None:
            rows = read_rows(connection, self._path, number)
            if rows:
                newest = "SELECT max(id) FROM journal WHERE run = ?"
                self._id = rows[-1].seq
                if number:
                    (self._id,) = connection.execute(newest, (number,)).fetchone()
        else:
            rows = self._after(connection, self._last, number)
        if rows:
            self._last = rows[-1]
        return rows

    def _after(self, connection: sqlite3.Connection, last: Row, number: int) -> list[Row]:
        rows = []
        for id_, *values in connection.execute(_NEXT, (self._id, number)):
            row = Row(last.seq + 1, *values)
            if row.checksum != row_checksum(last.checksum, *row[:6]):
                raise JournalError(f"{self._path} is damaged at row {row.seq}")
            rows.append(row)
            self._id, last = id_, row
        return rows

    def rest(self) -> None:
        """Close the file until the next read: nothing is expected soon."""
        opened, self._opened = self._opened, None
        if opened is not None:
            opened.close()
