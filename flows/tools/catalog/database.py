"""The SQLite file of an index of functions: its tables, and transactions over them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from flows.errors import ToolError
from flows.tools.catalog.terms import VERSION

FILE: Final = "functions.sqlite3"
# The words are put in as they are: each is a run of letters and digits, and blanks part them.
_TABLES: Final = (
    """CREATE TABLE functions (
        number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE NOT NULL,
        namespace TEXT NOT NULL, class TEXT NOT NULL, digest BLOB NOT NULL,
        description TEXT NOT NULL
    )""",
    """CREATE VIRTUAL TABLE words USING fts5(
        name, description, parameters, tokenize = 'ascii'
    )""",
    "CREATE TABLE holding (term TEXT PRIMARY KEY, functions INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE totals (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID",
    """CREATE TABLE vectors (
        sequence INTEGER PRIMARY KEY AUTOINCREMENT, number INTEGER NOT NULL,
        embedder TEXT NOT NULL, vector BLOB NOT NULL, UNIQUE (number, embedder)
    )""",
    "CREATE TABLE embedders (name TEXT PRIMARY KEY) WITHOUT ROWID",
    f"PRAGMA user_version = {VERSION}",
)
_WAIT_SECONDS: Final = 30.0


class FunctionDatabase:
    """The file `functions.sqlite3` of a folder, made when it is first used. Several processes may
    use it; one at a time writes. Not safe in threads. Errors: `ToolError`."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / FILE
        self._open: sqlite3.Connection | None = None

    def close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction, which is undone when an error ends it."""
        with self.reading() as db, _transaction(db):
            yield db

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        try:
            if self._open is None:
                self._open = _connect(self.file)
            yield self._open
        except (sqlite3.Error, OSError) as error:
            raise ToolError(
                f"the index of functions {self.file} cannot be used ({error}); if it is damaged, "
                "delete it: `flows functions index` makes it again"
            ) from error


def read_totals(db: sqlite3.Connection) -> dict[str, int]:
    """How many `functions` there are, the `length` of their words, how many were ever `removed`."""
    return dict(db.execute("SELECT name, value FROM totals").fetchall())


@contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def _connect(file: Path) -> sqlite3.Connection:
    file.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(file, timeout=_WAIT_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        if _version(db) != VERSION:
            with _transaction(db):
                _make_tables(db, file)
    except BaseException:
        db.close()
        raise
    return db


def _make_tables(db: sqlite3.Connection, file: Path) -> None:
    version = _version(db)
    if version not in (0, VERSION):
        raise ToolError(
            f"the index of functions {file} was made by another version of this package: delete "
            "it, and index the functions again"
        )
    if version == 0:
        for statement in _TABLES:
            db.execute(statement)


def _version(db: sqlite3.Connection) -> int:
    [version] = db.execute("PRAGMA user_version").fetchone()
    return int(version)
