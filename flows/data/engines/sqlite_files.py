"""SQLite files, opened so that nothing but known tables can be read and nothing written."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote as quote_url

from flows.data.cells import value_type
from flows.data.deadline import Deadline, too_slow
from flows.data.engines.engine import QueryRows, Whole, take
from flows.data.engines.sqlite_arrow import result_batches, stored_batches
from flows.data.excerpt import excerpt
from flows.data.files.sources import Source
from flows.data.profiles.profile import Declared, TableLayout, quote
from flows.data.sql.functions import SQLITE_FUNCTIONS
from flows.data.tables import ColumnType, Dialect, ForeignKey
from flows.errors import QueryFailed, QueryRefused, SourceError

if TYPE_CHECKING:
    import pyarrow

# Where a write keeps the key that makes it happen once; not a table of the user's data.
EFFECTS = "flows_effects"
_STEPS_BETWEEN_CHECKS = 2000
_BUSY_SECONDS = 5.0
# One of our own queries, for a profile or an export.
_OWN_SECONDS = 300.0
_WAL_VERSION = b"\x02\x02"
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 64 * 1024 * 1024,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 1024 * 1024,
    sqlite3.SQLITE_LIMIT_COLUMN: 2000,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 500,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 100,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1000,
    sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER: 100,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}


class SQLiteFile:
    """The tables of one SQLite file. It is an Engine; each query reads the file anew.

    Raises SourceError when the file cannot be read.
    """

    dialect: Dialect = "sqlite"
    warnings: Sequence[str] = ()

    def __init__(self, source: Source) -> None:
        self._source = source
        self.hashes: dict[str, str] = {}
        with self._own() as connection:
            self.layouts = sqlite_layouts(source, connection)

    def fetch(self, sql: str) -> Sequence[tuple[Any, ...]]:
        """Run one of our own queries, for a profile. Errors: `SourceError`."""
        with self._own() as connection:
            return connection.execute(sql).fetchall()

    def query(
        self,
        sql: str,
        tables: Sequence[str],
        rows: int,
        deadline: Deadline,
        whole: Whole | None = None,
    ) -> QueryRows:
        """Run SQL on a guarded connection of its own and fetch `rows` rows; it does not parse."""
        guard = ReadGuard(tables)
        total = None
        try:
            with open_readonly(self._source, deadline, guard) as connection:
                cursor = connection.execute(sql)
                columns = [str(each[0]) for each in cursor.description or ()]
                found, cut = take(cursor.fetchmany, rows)
                if whole is not None and (cut or len(found) >= rows):
                    total = whole(result_batches(columns, connection.execute(sql).fetchmany))
        except sqlite3.Error as error:
            if guard.denied is not None:
                raise QueryRefused(f"a query may not {guard.denied}") from error
            late = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT
            reason = too_slow(deadline.seconds) if late else f"SQLite: {excerpt(error)}"
            raise QueryFailed(reason) from error
        types = [value_type([row[number] for row in found]) for number in range(len(columns))]
        return QueryRows(columns, types, found, cut, total)

    def batches(self, table: str) -> Iterator[pyarrow.RecordBatch]:
        """All rows of a table as Arrow; a column of mixed types is text."""
        with self._own() as connection:
            yield from stored_batches(connection, table)

    def close(self) -> None:
        """Nothing stays open between two queries."""

    @contextmanager
    def _own(self) -> Iterator[sqlite3.Connection]:
        try:
            with open_readonly(self._source, Deadline(_OWN_SECONDS)) as connection:
                yield connection
        except sqlite3.Error as error:
            where = f"source '{self._source.name}': cannot read {self._source.path}"
            raise SourceError(f"{where}: {excerpt(error)}") from error


class ReadGuard:
    """SQLite's authorizer: what a statement may do. `denied` says what it tried and may not."""

    def __init__(self, tables: Collection[str]) -> None:
        self._tables = {name.casefold() for name in tables}
        self.denied: str | None = None

    def __call__(
        self, action: int, first: str | None, second: str | None, _db: str | None, _by: str | None
    ) -> int:
        if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ and (first or "").casefold() in self._tables:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in SQLITE_FUNCTIONS:
            return sqlite3.SQLITE_OK
        self.denied = self.denied or _description(action, first, second)
        return sqlite3.SQLITE_DENY


@contextmanager
def open_readonly(
    source: Source, deadline: Deadline, guard: ReadGuard | None = None
) -> Iterator[sqlite3.Connection]:
    """A read-only connection whose statements are interrupted when the time is over."""
    try:
        connection = sqlite3.connect(
            _uri(source.path),
            uri=True,
            timeout=min(_BUSY_SECONDS, deadline.seconds),
            isolation_level=None,
        )
    except sqlite3.Error as error:
        raise SourceError(f"source '{source.name}': cannot open {source.path}: {error}") from error
    try:
        connection.text_factory = lambda raw: raw.decode("utf-8", errors="replace")
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        # What a sort or a count of values needs: the walls leave no folder for its files.
        connection.execute("PRAGMA temp_store = MEMORY")
        for limit, value in _LIMITS.items():
            connection.setlimit(limit, value)
        connection.set_progress_handler(lambda: int(deadline.is_over()), _STEPS_BETWEEN_CHECKS)
        if guard is not None:
            connection.set_authorizer(guard)
        yield connection
    finally:
        connection.close()


def _uri(path: Path) -> str:
    """The address to open a file by, where nothing can be written beside it.

    In WAL mode SQLite makes a file of shared memory beside the database when it opens it, but for
    one that nobody has open, which may be read as if nothing could change it.
    """
    log = path.with_name(path.name + "-wal")
    try:
        with path.open("rb") as file:
            is_wal = file.read(20)[18:] == _WAL_VERSION
        alone = is_wal and not (log.exists() and log.stat().st_size)
    except OSError as error:
        raise SourceError(f"cannot open {path}: {error.strerror}") from error
    return f"file:{quote_url(str(path))}?mode=ro{'&immutable=1' if alone else ''}"


def sqlite_layouts(source: Source, connection: sqlite3.Connection) -> list[TableLayout]:
    """The tables and views of a SQLite file, without those that SQLite or a module keeps."""
    found = connection.execute(
        "SELECT name, type, coalesce(sql, '') FROM sqlite_master "
        "WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name <> ? "
        "ORDER BY rowid",
        [EFFECTS],
    ).fetchall()
    virtual = [name for name, _, sql in found if sql.upper().lstrip().startswith("CREATE VIRTUAL")]
    own = [
        (name, kind)
        for name, kind, _ in found
        if name not in virtual and not any(name.startswith(f"{each}_") for each in virtual)
    ]
    return [_layout(source, name, connection) for name, _ in own]


def _layout(source: Source, name: str, connection: sqlite3.Connection) -> TableLayout:
    table = quote(name)
    columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
    keys = sorted((row[5], str(row[1])) for row in columns if row[5])
    return TableLayout(
        source=source.name,
        name=name,
        physical=name,
        dialect="sqlite",
        columns=tuple(Declared(str(row[1]), None, _affinity(str(row[2]))) for row in columns),
        primary_key=tuple(column for _, column in keys),
        foreign_keys=tuple(_foreign_keys(table, connection)),
    )


def _affinity(declared: str) -> ColumnType:
    """What a column of this declared type usually holds, by SQLite's own rules."""
    word = declared.upper()
    if "INT" in word:
        return "integer"
    if any(each in word for each in ("CHAR", "CLOB", "TEXT")):
        return "text"
    if "BLOB" in word:
        return "other"
    if "DATE" in word or "TIMESTAMP" in word:
        return "date" if word == "DATE" else "timestamp"
    return "real" if word else "text"


def _foreign_keys(table: str, connection: sqlite3.Connection) -> Iterator[ForeignKey]:
    rows = connection.execute(f"PRAGMA foreign_key_list({table})").fetchall()
    for number in sorted({row[0] for row in rows}):
        parts = sorted((row for row in rows if row[0] == number), key=lambda row: int(row[1]))
        target = str(parts[0][2])
        named = [row[4] for row in parts]
        if None in named:  # a reference without columns means the other table's primary key
            info = connection.execute(f"PRAGMA table_info({quote(target)})").fetchall()
            named = [column for _, column in sorted((row[5], row[1]) for row in info if row[5])]
        if len(named) == len(parts):
            yield ForeignKey(
                columns=tuple(str(row[3]) for row in parts),
                table=target,
                to_columns=tuple(str(each) for each in named),
            )


_ACTIONS = {
    sqlite3.SQLITE_READ: "read the table",
    sqlite3.SQLITE_FUNCTION: "call the function",
    sqlite3.SQLITE_ATTACH: "attach another database",
    sqlite3.SQLITE_PRAGMA: "change a setting",
    sqlite3.SQLITE_TRANSACTION: "control a transaction",
    sqlite3.SQLITE_INSERT: "write to the table",
    sqlite3.SQLITE_UPDATE: "write to the table",
    sqlite3.SQLITE_DELETE: "delete from the table",
}


def _description(action: int, first: str | None, second: str | None) -> str:
    what = _ACTIONS.get(action, "change the database")
    name = second if action == sqlite3.SQLITE_FUNCTION else first
    return f"{what} {name}" if name else what
