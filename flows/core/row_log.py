"""The log beside a journal's SQLite file: rows that were written, and are not in that file yet.

A row is appended to the log by one write, which a process that is killed cannot lose; the SQLite
file takes the rows of the log many at a time, and the log begins anew. So who reads a journal
reads the log first, and then the file: what is taken into the file meanwhile is found there.

A record of the log: the length of the row's text, the run's number and the row's id (4, 4 and 8
bytes, the lowest first), the CRC of these 16 bytes (4), the text that the row's checksum covers,
and the checksum. The ids follow each other. The log ends where a record is not whole: nobody went
on before its write was over.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from struct import Struct
from typing import Final, NamedTuple
from zlib import crc32

from flows.core.rows import CHECKSUM_LENGTH, fields_of, text_checksum

LOG: Final = "journal.log"

_HEAD = Struct("<IIQ")
_CRC = Struct("<I")
_START: Final = _HEAD.size + _CRC.size


class FiledRow(NamedTuple):
    """A row as the SQLite file keeps it; `id` counts the rows of all runs of the file."""

    id: int
    kind: str
    address: str
    digest: str
    body: str
    at: float
    checksum: str
    run: int


def record_of(id_: int, run: int, text: bytes, checksum: str) -> bytes:
    """The record of a row."""
    head = _HEAD.pack(len(text), run, id_)
    return head + _CRC.pack(crc32(head)) + text + checksum.encode()


class RowLog:
    """A log that is open for appending, new and empty, for the one who holds the journal's file,
    whose permissions it has. Errors of all methods: `OSError`."""

    def __init__(self, path: Path, mode: int) -> None:
        # A process that lost its claim has the old log open, which no name leads to then.
        path.unlink(missing_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        self._path = path
        self._handle = os.open(path, flags, mode)
        self.size = 0

    def write(self, records: bytes) -> None:
        """Append records. What is written by halves is no record, and nothing may follow it."""
        written = os.pwrite(self._handle, records, self.size)
        self.size += written
        if written < len(records):  # the disk is full: to go on says so
            os.pwrite(self._handle, records[written:], self.size)

    def sync(self) -> None:
        """Wait until the disk has all that was written."""
        os.fdatasync(self._handle)

    def is_there(self) -> bool:
        """Whether a name leads to the log: it was not deleted, and nobody has made another."""
        return os.fstat(self._handle).st_nlink > 0

    def empty(self) -> None:
        """Begin at its start again, over the records of before: their ids do not follow, and a
        write where the file has been is synced sooner than one that makes it longer."""
        self.size = 0

    def close(self) -> None:
        """Close it; one without records is deleted."""
        if not self.size and self.is_there():
            self._path.unlink(missing_ok=True)
        os.close(self._handle)


class LogReader:
    """Gives each row of a log once, in their order; only those of one run, if its number is given.

    Where the log was emptied between two reads, rows that were not read are in the SQLite file.
    """

    def __init__(self, path: Path, run: int | None = None) -> None:
        self._path = path
        self._run = run
        self._first = b""
        self._offset = 0

    def read(self) -> list[FiledRow]:
        """The rows that came since the last time. Errors: `OSError`."""
        try:
            handle = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return []
        try:
            first = os.pread(handle, _START, 0)
            if first != self._first:  # it was emptied: other records stand there
                self._first, self._offset = first, 0
            size = os.fstat(handle).st_size - self._offset
            records = os.pread(handle, max(0, size), self._offset)
        finally:
            os.close(handle)
        rows, length = _read_records(records, self._run)
        self._offset += length
        return rows


class LogIndex:
    """Gives the rows of one run of a log after the other: only what was written since the last time
    is looked through, to know where the rows of each run stand."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._forget(b"")

    def read(self, run: int) -> list[FiledRow]:
        """The rows of a run, as far as they are whole. Errors: `OSError`."""
        try:
            handle = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return []
        try:
            while True:
                self._look(handle)
                rows = self._rows(handle, run)
                if os.pread(handle, _START, 0) == self._first:  # else it was emptied meanwhile
                    return rows
        finally:
            os.close(handle)

    def _forget(self, first: bytes) -> None:
        self._first, self._offset, self._last = first, 0, 0
        self._places: dict[int, list[tuple[int, int]]] = {}

    def _look(self, handle: int) -> None:
        """Note where the rows stand that came since the last time."""
        first = os.pread(handle, _START, 0)
        if first != self._first:  # it was emptied: other records stand there
            self._forget(first)
        size = os.fstat(handle).st_size - self._offset
        records = os.pread(handle, max(0, size), self._offset)
        begin = self._offset
        for run, id_, start, end in _records(records, self._last):
            place = begin + start - _START, end + CHECKSUM_LENGTH - start + _START
            self._places.setdefault(run, []).append(place)
            self._offset, self._last = begin + end + CHECKSUM_LENGTH, id_

    def _rows(self, handle: int, run: int) -> list[FiledRow]:
        rows: list[FiledRow] = []
        for offset, length in self._places.get(run, ()):
            found, _ = _read_records(os.pread(handle, length, offset), run)
            if not found:
                break
            rows += found
        return rows


def read_log(path: Path, run: int | None = None) -> list[FiledRow]:
    """The rows of a log, only those of one run if its number is given; none where there is no log.
    Errors: `OSError`."""
    return LogReader(path, run).read()


def _read_records(records: bytes, only: int | None) -> tuple[list[FiledRow], int]:
    """The rows of whole records, and the length of these in bytes."""
    rows: list[FiledRow] = []
    at = 0
    for run, id_, start, end in _records(records):
        if only is None or run == only:
            text, checksum = records[start:end], records[end : end + CHECKSUM_LENGTH]
            if checksum != text_checksum(text).encode():
                break
            _, kind, address, digest, at_, body = fields_of(text)
            rows.append(FiledRow(id_, kind, address, digest, body, at_, checksum.decode(), run))
        at = end + CHECKSUM_LENGTH
    return rows, at


def _records(records: bytes, last: int = 0) -> Iterator[tuple[int, int, int, int]]:
    """The run and the id of each record, and where its text starts and ends; `last` is the id
    before the first, if it is known. Their checksums are not looked at."""
    at = 0
    while at + _START <= len(records):
        size, run, id_ = _HEAD.unpack_from(records, at)
        (crc,) = _CRC.unpack_from(records, at + _HEAD.size)
        start, end = at + _START, at + _START + size
        if crc != crc32(records[at : at + _HEAD.size]) or (last and id_ != last + 1):
            return
        if end + CHECKSUM_LENGTH > len(records):
            return
        yield run, id_, start, end
        at, last = end + CHECKSUM_LENGTH, id_
