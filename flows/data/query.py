"""Running one query: through the firewall, on a locked connection, within a time."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

import duckdb

from flows.core.observation import Cell
from flows.data.catalog import Catalog
from flows.data.cells import duckdb_type, to_cell, value_type
from flows.data.deadline import Deadline
from flows.data.firewall import CheckedQuery, check_query, parse_one, table_names
from flows.data.sources import Source
from flows.data.sqlite_files import ReadGuard, open_readonly
from flows.data.tables import ColumnType, Dialect, ResultTable, Table
from flows.errors import QueryFailed, QueryRefused

Engine = Literal["auto", "duckdb", "sqlite"]

# Python has no type of its own for these, or needs another package to make one.
_AS_TEXT = ("WITH TIME ZONE", "_NS", "INTERVAL")
_Found = tuple[list[str], list[ColumnType], list[tuple[Cell, ...]]]


def run_query(
    catalog: Catalog,
    sql: str,
    *,
    max_rows: int,
    timeout: float,
    engine: Engine = "auto",
    stop: threading.Event | None = None,
) -> ResultTable:
    """Run a reading query and return at most `max_rows` rows.

    `timeout` is in seconds; setting `stop` ends the query before. `engine` restricts the query to
    the tables of one database engine. Raises QueryRefused (the firewall or the guard of the
    database), QueryFailed (the database, or the time is over) and SourceError. It may be called in
    any thread, by several at once.
    """
    catalog.tables()  # loading the files is not a part of the first query's time
    started = time.monotonic()
    checked = plan_query(catalog, sql, engine)
    left = timeout - (time.monotonic() - started)
    if left <= 0:
        raise QueryFailed(_too_slow(timeout))
    read = sorted({table.source for table in checked.tables})
    if checked.dialect == "duckdb":
        columns, types, rows = _run_duckdb(catalog, checked.sql, max_rows + 1, Deadline(left, stop))
    else:
        deadline = Deadline(left, stop)
        columns, types, rows = _run_sqlite(catalog, checked, read, max_rows + 1, deadline)
    return ResultTable(
        columns=tuple(_distinct_names(columns)),
        types=tuple(types),
        rows=tuple(rows[:max_rows]),
        truncated=len(rows) > max_rows,
        sql=checked.sql,
        sources={name: catalog.source_hash(name) for name in read},
        elapsed_ms=(time.monotonic() - started) * 1000,
    )


def plan_query(catalog: Catalog, sql: str, engine: Engine = "auto") -> CheckedQuery:
    """Send a query through the firewall for the engine that its tables need, without running it."""
    tables = catalog.tables()
    dialect = _choose_dialect(sql, tables) if engine == "auto" else engine
    return check_query(sql, tables, dialect, catalog.physical_names())


def _choose_dialect(sql: str, tables: Sequence[Table]) -> Dialect:
    dialects: set[Dialect] = {table.dialect for table in tables}
    if len(dialects) < 2:
        return next(iter(dialects), "duckdb")
    by_name = {table.name.casefold(): table.dialect for table in tables}
    dialect: Dialect = "duckdb"
    try:
        names = table_names(parse_one(sql, "duckdb"))
    except QueryRefused:  # perhaps it is SQLite's; if not, this raises the reason
        names, dialect = table_names(parse_one(sql, "sqlite")), "sqlite"
    used = {by_name[name.casefold()] for name in names if name.casefold() in by_name}
    if len(used) > 1:
        files = sorted({name for name in names if by_name.get(name.casefold()) == "duckdb"})
        others = sorted({name for name in names if by_name.get(name.casefold()) == "sqlite"})
        raise QueryRefused(
            f"one query cannot read tables of files ({', '.join(files)}) and of a SQLite "
            f"database ({', '.join(others)}) together; ask for them one after the other"
        )
    return next(iter(used), dialect)


def _run_duckdb(catalog: Catalog, sql: str, rows: int, deadline: Deadline) -> _Found:
    cursor = catalog.file_cursor()
    try:
        with _interrupted_after(cursor, deadline) as over:
            try:
                return query_duckdb(cursor, sql, rows)
            except duckdb.InterruptException as error:
                raise QueryFailed(_too_slow(deadline.seconds)) from error
            except duckdb.PermissionException as error:
                raise QueryRefused(f"DuckDB refused the query: {error}") from error
            except duckdb.Error as error:
                reason = _too_slow(deadline.seconds) if over.is_set() else f"DuckDB: {error}"
                raise QueryFailed(reason) from error
    finally:
        cursor.close()


def query_duckdb(cursor: duckdb.DuckDBPyConnection, sql: str, rows: int) -> _Found:
    """Run SQL in a transaction that cannot write, and fetch `rows` rows. It does not parse it."""
    statements = cursor.extract_statements(sql)
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise QueryRefused("DuckDB does not read this as one query")
    cursor.execute("BEGIN TRANSACTION READ ONLY")
    try:
        cursor.execute(sql)
        described = [(str(each[0]), str(each[1])) for each in cursor.description]
        as_text = [any(each in kind for each in _AS_TEXT) for _, kind in described]
        if any(as_text):
            cursor.execute(_with_text(sql, as_text))
        found = [tuple(to_cell(value) for value in row) for row in cursor.fetchmany(rows)]
    finally:
        cursor.execute("ROLLBACK")
    return [name for name, _ in described], [duckdb_type(kind) for _, kind in described], found


def _with_text(sql: str, as_text: Sequence[bool]) -> str:
    parts = [
        f"CAST(#{number} AS VARCHAR)" if cast else f"#{number}"
        for number, cast in enumerate(as_text, start=1)
    ]
    return f"SELECT {', '.join(parts)} FROM ({sql})"


@contextmanager
def _interrupted_after(
    cursor: duckdb.DuckDBPyConnection, deadline: Deadline
) -> Iterator[threading.Event]:
    """Interrupt what runs on the cursor when the time is over. The event says that it was."""
    over = threading.Event()
    done = threading.Event()

    def watch() -> None:
        # Again and again: an interrupt between two statements would be lost.
        while not done.wait(0.05):
            if deadline.is_over():
                over.set()
                cursor.interrupt()

    watcher = threading.Thread(target=watch, name="query-deadline", daemon=True)
    watcher.start()
    try:
        yield over
    finally:
        done.set()
        watcher.join()


def _run_sqlite(
    catalog: Catalog, checked: CheckedQuery, read: Sequence[str], rows: int, deadline: Deadline
) -> _Found:
    if len(read) > 1:
        raise QueryRefused(
            f"one query cannot read two SQLite databases ({', '.join(read)}); "
            "ask for them one after the other"
        )
    names = read or [table.source for table in catalog.tables() if table.dialect == "sqlite"]
    if not names:
        raise QueryRefused("there is no source that SQLite reads")
    source = catalog.source(names[0])
    physical = catalog.physical_names()
    tables = [physical[each.name] for each in catalog.tables() if each.source == source.name]
    return query_sqlite(source, checked.sql, tables, rows, deadline)


def query_sqlite(
    source: Source, sql: str, tables: Sequence[str], rows: int, deadline: Deadline
) -> _Found:
    """Run SQL on a guarded connection and fetch `rows` rows. It does not parse the SQL."""
    guard = ReadGuard(tables)
    try:
        with open_readonly(source, deadline, guard) as connection:
            cursor = connection.execute(sql)
            columns = [str(each[0]) for each in cursor.description or ()]
            found: list[Any] = cursor.fetchmany(rows)
    except sqlite3.Error as error:
        if guard.denied is not None:
            raise QueryRefused(f"a query may not {guard.denied}") from error
        late = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT
        raise QueryFailed(_too_slow(deadline.seconds) if late else f"SQLite: {error}") from error
    cells = [tuple(to_cell(value) for value in row) for row in found]
    types = [value_type([row[number] for row in cells]) for number in range(len(columns))]
    return columns, types, cells


def _too_slow(seconds: float) -> str:
    return f"the query took longer than {seconds:.3g} seconds and was stopped"


def _distinct_names(names: Sequence[str]) -> Iterator[str]:
    """Column names, with a number where a name comes again."""
    seen: dict[str, int] = {}
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        yield name if seen[name] == 1 else f"{name}_{seen[name]}"
