"""Adding rows to a table of a SQLite file, once: the rows and the key of the effect go together."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from flows.data.engines.sqlite_files import EFFECTS
from flows.data.profiles.profile import quote
from flows.errors import CommandError, QueryFailed, SourceError, nearest

Row = Mapping[str, object]

ENDINGS: Final = (".sqlite", ".sqlite3", ".db", ".db3")
_TYPES: Final[dict[type, str]] = {bool: "INTEGER", int: "INTEGER", float: "REAL", str: "TEXT"}
_INTEGERS: Final = range(-(2**63), 2**63)
_REASONS: Final[dict[int, tuple[type[CommandError], str]]] = {
    sqlite3.SQLITE_NOTADB: (SourceError, "it is not a SQLite database"),
    sqlite3.SQLITE_CORRUPT: (SourceError, "the database is damaged"),
    sqlite3.SQLITE_READONLY: (SourceError, "it can only be read"),
    sqlite3.SQLITE_CANTOPEN: (SourceError, "the file cannot be opened for writing"),
    sqlite3.SQLITE_PERM: (SourceError, "there is no permission to write"),
    sqlite3.SQLITE_IOERR: (SourceError, "the disk does not take what is written"),
    sqlite3.SQLITE_FULL: (QueryFailed, "the disk or the database is full"),
    sqlite3.SQLITE_BUSY: (QueryFailed, "another writer keeps it locked"),
    sqlite3.SQLITE_LOCKED: (QueryFailed, "another writer keeps it locked"),
    sqlite3.SQLITE_CONSTRAINT: (QueryFailed, "the table does not take the row"),
}


@dataclass(frozen=True, slots=True)
class EffectKey:
    """What tells a write from all others: `key` is the same each time it is tried. `step` (an
    address) and `run` (an id) are kept beside it."""

    key: str
    step: str
    run: str


def append_rows(
    database: Path, table: str, rows: Sequence[Row], effect: EffectKey, *, wait: float
) -> int:
    """Add all rows or none, and return how many were added: 0 when the key is there already.

    The file and the table are made when they are not there; a new table has the columns of the
    rows. Another writer is waited for `wait` seconds. Raises SourceError when the file cannot be
    written, and QueryFailed when the database does not take the rows. It blocks.
    """
    for number, row in enumerate(rows, start=1):
        _check_row(row, number)
    if not rows:
        return 0
    # Whatever ends the block before COMMIT, a kill too, undoes all of it.
    with _opened(database, wait) as connection:
        connection.execute("BEGIN IMMEDIATE")
        if not _claim(connection, effect):
            return 0
        _make_or_check(connection, table, rows)
        for row in rows:
            names = ", ".join(quote(name) for name in row)
            marks = ", ".join("?" * len(row))
            statement = f"INSERT INTO {quote(table)} ({names}) VALUES ({marks})"
            connection.execute(statement, list(row.values()))
        connection.execute("COMMIT")
    return len(rows)


def check_database(database: Path) -> Path:
    """The path as it is. Raises ValueError unless it is a name for a SQLite file."""
    if database.suffix.lower() not in ENDINGS:
        raise ValueError(
            f"rows are added to SQLite files only: the name must end in {', '.join(ENDINGS)}"
        )
    if not str(database).isprintable():
        raise ValueError("a file's name cannot hold control characters")
    return database


def check_table(table: str) -> str:
    """The name as it is. Raises ValueError for one that no table of the user's can have."""
    if not table.strip() or not table.isprintable():
        raise ValueError("a table's name is text without control characters")
    if table.casefold() == EFFECTS or table.casefold().startswith("sqlite_"):
        raise ValueError(f"the names {EFFECTS} and sqlite_... are kept for other tables")
    return table


def _check_row(row: Row, number: int) -> None:
    if not row:
        raise QueryFailed(f"row {number} has no columns")
    seen: set[str] = set()
    for name, value in row.items():
        if not name.strip() or not name.isprintable():
            raise QueryFailed(f"row {number}: {name!r} is not the name of a column")
        if name.casefold() in seen:
            raise QueryFailed(f"row {number}: the column {name!r} is there twice")
        seen.add(name.casefold())
        problem = _value_problem(value)
        if problem:
            raise QueryFailed(f"row {number}, column {name!r}: {problem}")


def _value_problem(value: object) -> str | None:
    """Why a value cannot be stored as it is."""
    if value is None:
        return None
    if type(value) not in _TYPES:
        return (
            f"a {type(value).__name__} cannot be stored (text, numbers, true, false and null can)"
        )
    if isinstance(value, int) and value not in _INTEGERS:
        return "the integer has more than 64 bits"
    if isinstance(value, float) and not math.isfinite(value):
        return f"{value} is not a number that can be stored"
    if isinstance(value, str) and any("\ud800" <= each <= "\udfff" for each in value):
        return "the text holds half a character (a lone surrogate)"
    return None


@contextmanager
def _opened(database: Path, wait: float) -> Iterator[sqlite3.Connection]:
    """A connection for one transaction, whose errors say what is wrong with the file."""
    if not database.parent.is_dir():
        raise SourceError(f"{database}: there is no folder {database.parent}")
    connection: sqlite3.Connection | None = None
    try:
        connection = sqlite3.connect(database, timeout=wait, isolation_level=None)
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA foreign_keys = ON")
        # What is committed outlives a power cut: the folder is synced after the journal is gone.
        connection.execute("PRAGMA synchronous = EXTRA")
        yield connection
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        kind, reason = _REASONS.get(code, (QueryFailed, "SQLite says"))
        raise kind(f"{database}: {reason}: {error}") from error
    finally:
        if connection is not None:
            connection.close()


def _claim(connection: sqlite3.Connection, effect: EffectKey) -> bool:
    """Keep the key; False when it is there already."""
    connection.execute(
        f"CREATE TABLE IF NOT EXISTS {EFFECTS} "
        "(key TEXT PRIMARY KEY NOT NULL, step TEXT NOT NULL, run TEXT NOT NULL, at TEXT NOT NULL)"
    )
    added = connection.execute(
        f"INSERT INTO {EFFECTS} (key, step, run, at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        [effect.key, effect.step, effect.run, datetime.now(UTC).isoformat(timespec="seconds")],
    )
    return added.rowcount == 1


def _make_or_check(connection: sqlite3.Connection, table: str, rows: Sequence[Row]) -> None:
    """Make the table for these rows, or see that it has their columns."""
    described = connection.execute("SELECT name FROM pragma_table_info(?, 'main')", [table])
    columns = [str(name) for (name,) in described]
    if not columns:
        made = ", ".join(f"{quote(name)} {kind}".rstrip() for name, kind in _columns_of(rows))
        connection.execute(f"CREATE TABLE {quote(table)} ({made})")
        return
    known = {column.casefold() for column in columns}
    for name in (name for row in rows for name in row if name.casefold() not in known):
        meant = nearest(name, columns)
        hint = f"; did you mean {meant!r}?" if meant else ""
        raise QueryFailed(
            f"the table {table!r} has no column {name!r}{hint} (columns: {', '.join(columns)})"
        )


def _columns_of(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """The columns of all rows with the type that holds their values; "" takes any."""
    kinds: dict[str, set[str]] = {}
    names: dict[str, str] = {}
    for row in rows:
        for name, value in row.items():
            names.setdefault(name.casefold(), name)
            found = kinds.setdefault(name.casefold(), set())
            if value is not None:
                found.add(_TYPES[type(value)])
    return [(names[folded], _common(found)) for folded, found in kinds.items()]


def _common(kinds: set[str]) -> str:
    if kinds == {"INTEGER", "REAL"}:
        return "REAL"
    return kinds.pop() if len(kinds) == 1 else ""
