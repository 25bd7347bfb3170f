"""What an index knows of its documents: what was read of them, and which it holds."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from pydantic import TypeAdapter

from flows.data.documents.blocks import Block
from flows.data.documents.reading import VERSION
from flows.errors import RecallError

LEDGER_NAME = "documents.sqlite3"
_TABLES = """
CREATE TABLE IF NOT EXISTS files (
    folder TEXT, name TEXT, mark TEXT, digest TEXT, PRIMARY KEY (folder, name)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS texts (
    digest TEXT, kind TEXT, version INTEGER, blocks BLOB, problem TEXT,
    PRIMARY KEY (digest, kind, version)
);
CREATE TABLE IF NOT EXISTS held (
    collection TEXT, name TEXT, digest TEXT, PRIMARY KEY (collection, name)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS collections (name TEXT PRIMARY KEY, id TEXT) WITHOUT ROWID;
"""
_WAIT_SECONDS = 30.0
_BLOCKS = TypeAdapter(tuple[Block, ...])
_DAMAGED = (zlib.error, ValueError)


class Read(NamedTuple):
    """The paragraphs of a document, or why it cannot be read."""

    blocks: tuple[Block, ...]
    problem: str


class Ledger:
    """A SQLite file in the index's folder. Several processes may use it. Errors: `RecallError`."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / LEDGER_NAME

    def marks(self, folder: str) -> dict[str, tuple[str, str]]:
        """Mark and SHA-256 of the files of a folder, as they were when they were last looked at."""
        with self._open() as ledger:
            rows = ledger.execute("SELECT name, mark, digest FROM files WHERE folder = ?", [folder])
            return {name: (mark, digest) for name, mark, digest in rows}

    def mark(self, folder: str, files: Mapping[str, tuple[str, str]]) -> None:
        """Remember marks and hashes of a folder's files, and forget all other files of it."""
        with self._open() as ledger:
            ledger.execute("DELETE FROM files WHERE folder = ?", [folder])
            rows = ((folder, name, *each) for name, each in files.items())
            ledger.executemany("INSERT INTO files VALUES (?, ?, ?, ?)", rows)

    def texts(self, documents: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Read]:
        """What was read of bytes (SHA-256) of a kind; nothing of those that nobody has read."""
        found: dict[tuple[str, str], Read] = {}
        with self._open() as ledger:
            for digest, kind in documents:
                row = ledger.execute(
                    "SELECT blocks, problem FROM texts WHERE digest = ? AND kind = ? "
                    "AND version = ?",
                    [digest, kind, VERSION],
                ).fetchone()
                if row is not None and (blocks := _unpacked(row[0])) is not None:
                    found[digest, kind] = Read(blocks, row[1])
        return found

    def add_texts(self, texts: Mapping[tuple[str, str], Read]) -> None:
        rows = [
            (*key, VERSION, zlib.compress(_BLOCKS.dump_json(each.blocks), 1), each.problem)
            for key, each in texts.items()
        ]
        if rows:
            with self._open() as ledger:
                ledger.executemany("INSERT OR REPLACE INTO texts VALUES (?, ?, ?, ?, ?)", rows)

    def forget_texts(self) -> None:
        """Drop what was read of files that are in no folder any more."""
        with self._open() as ledger:
            ledger.execute("DELETE FROM texts WHERE digest NOT IN (SELECT digest FROM files)")

    def held(self, collection: str, id_: str) -> dict[str, str]:
        """The documents that a collection holds, with their SHA-256. One that was made anew, under
        another id, holds none."""
        with self._open() as ledger:
            known = ledger.execute("SELECT id FROM collections WHERE name = ?", [collection])
            if known.fetchone() != (id_,):
                ledger.execute("DELETE FROM held WHERE collection = ?", [collection])
                row = (collection, id_)
                ledger.execute("INSERT OR REPLACE INTO collections VALUES (?, ?)", row)
            rows = ledger.execute(
                "SELECT name, digest FROM held WHERE collection = ?", [collection]
            )
            return dict(rows.fetchall())

    def hold(self, collection: str, documents: Mapping[str, str]) -> None:
        with self._open() as ledger:
            rows = ((collection, name, digest) for name, digest in documents.items())
            ledger.executemany("INSERT OR REPLACE INTO held VALUES (?, ?, ?)", rows)

    def let_go(self, collection: str, names: Iterable[str]) -> None:
        with self._open() as ledger:
            rows = ((collection, name) for name in names)
            ledger.executemany("DELETE FROM held WHERE collection = ? AND name = ?", rows)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._file, timeout=_WAIT_SECONDS)) as ledger:
                ledger.execute("PRAGMA synchronous = NORMAL")
                ledger.executescript(_TABLES)
                with ledger:
                    yield ledger
        except (sqlite3.Error, OSError) as error:
            raise RecallError(
                f"the index of documents {self._file} cannot be used ({error}); if it is damaged, "
                f"delete the folder {self._file.parent}: it is made again from the documents"
            ) from error


def _unpacked(packed: bytes) -> tuple[Block, ...] | None:
    """The paragraphs; None for damaged ones, which are read again."""
    try:
        return _BLOCKS.validate_json(zlib.decompress(packed))
    except _DAMAGED:
        return None
