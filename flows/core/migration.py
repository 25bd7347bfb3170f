"""The tables of a journal's file, and how a file of an older version becomes one of this.

1   one run a file, its rows keyed by `seq`
2   many runs a file: `runs` names them, a row has its run's number, 0 where a run is alone
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Final

from flows.errors import JournalError

SCHEMA: Final = 2

_RUNS = """
CREATE TABLE runs (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, began REAL NOT NULL
) STRICT
"""
_JOURNAL = """
CREATE TABLE journal (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, address TEXT NOT NULL, digest TEXT NOT NULL,
    body TEXT NOT NULL, at REAL NOT NULL, checksum TEXT NOT NULL, run INTEGER NOT NULL DEFAULT 0
) STRICT
"""
# Rows of all runs stand in the order of their writing, so that a commit of many runs is few pages.
_INDEX = "CREATE INDEX rows_of_run ON journal (run) WHERE run > 0"


def version_of(connection: sqlite3.Connection, path: Path) -> int:
    """The version of the tables. Errors: `JournalError` for one that this version cannot read."""
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if not 1 <= version <= SCHEMA:
        raise JournalError(f"{path} has schema {version}; this version reads 1 to {SCHEMA}")
    return version


def create(connection: sqlite3.Connection) -> None:
    """Make the tables of a new file."""
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(_JOURNAL)
    connection.execute(_INDEX)
    connection.execute(_RUNS)
    connection.execute(f"PRAGMA user_version={SCHEMA}")
    connection.execute("COMMIT")


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Make a file of version 1 one of this, in one transaction; the original is kept beside it."""
    keep_original(connection, path.with_name(f"{path.stem}.v1{path.suffix}"))
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute("ALTER TABLE journal RENAME COLUMN seq TO id")
        connection.execute("ALTER TABLE journal ADD COLUMN run INTEGER NOT NULL DEFAULT 0")
        connection.execute(_INDEX)
        connection.execute(_RUNS)
        connection.execute(
            "INSERT INTO runs SELECT 0, ?, coalesce(min(at), 0.0) FROM journal",
            (path.absolute().parent.name,),
        )
        connection.execute(f"PRAGMA user_version={SCHEMA}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # A full disk has ended it already.
            connection.execute("ROLLBACK")
        raise


def keep_original(connection: sqlite3.Connection, kept: Path) -> None:
    """Copy the file as it is, whole and synced, under another name; once."""
    if kept.exists():
        return
    part = kept.with_name(f".{kept.name}.part")
    part.unlink(missing_ok=True)
    copy = sqlite3.connect(part)
    try:
        connection.backup(copy)
    finally:
        copy.close()
    with part.open("rb") as file:
        os.fsync(file.fileno())
    part.replace(kept)
    folder = os.open(kept.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
