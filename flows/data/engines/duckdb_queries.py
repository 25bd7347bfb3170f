"""Single queries on a DuckDB connection: read-only, interrupted at a deadline, out as Arrow."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import duckdb

from flows.data.cells import duckdb_type
from flows.data.deadline import Deadline
from flows.data.duckdb_types import exported_type, read_rows
from flows.data.engines.engine import QueryRows, take
from flows.data.profiles.profile import quote
from flows.errors import QueryRefused

if TYPE_CHECKING:
    import pyarrow

_BATCH_ROWS = 65_536
_SECONDS_BETWEEN_LOOKS = 0.05


def select(cursor: duckdb.DuckDBPyConnection, sql: str, rows: int) -> QueryRows:
    """Run SQL in a transaction that cannot write, and fetch `rows` rows. It does not parse it."""
    statements = cursor.extract_statements(sql)
    if len(statements) != 1 or not _is_select(statements[0]):
        raise QueryRefused("DuckDB does not read this as one query")
    cursor.execute("BEGIN TRANSACTION READ ONLY")
    try:
        described, found, cut = read_rows(cursor, sql, lambda: take(cursor.fetchmany, rows))
    finally:
        cursor.execute("ROLLBACK")
    names = [name for name, _ in described]
    return QueryRows(names, [duckdb_type(kind) for _, kind in described], list(found), cut)


def _is_select(statement: duckdb.Statement) -> bool:
    try:
        return bool(statement.type == duckdb.StatementType.SELECT)
    except ValueError:  # a kind of statement that DuckDB's own list of them leaves out
        return False


@contextmanager
def interrupted_after(
    cursor: duckdb.DuckDBPyConnection, deadline: Deadline
) -> Iterator[threading.Event]:
    """Interrupt what runs on the cursor when the time is over. The event says that it was."""
    over = threading.Event()
    done = threading.Event()

    def watch() -> None:
        # Again and again: an interrupt between two statements would be lost.
        while not done.wait(_SECONDS_BETWEEN_LOOKS):
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


def exported(cursor: duckdb.DuckDBPyConnection, relation: str) -> Iterator[pyarrow.RecordBatch]:
    """All rows of a relation, in a stream of types that Parquet and pandas have."""
    import pyarrow

    described = cursor.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()
    columns = ", ".join(_exported(str(row[0]), str(row[1])) for row in described)
    found = cursor.sql(f"SELECT {columns} FROM {relation}").to_arrow_reader(_BATCH_ROWS)
    empty = True
    for batch in found:
        empty = False
        yield batch
    if empty:
        yield pyarrow.RecordBatch.from_pylist([], schema=found.schema)


def streamed(cursor: duckdb.DuckDBPyConnection, sql: str) -> Iterator[pyarrow.RecordBatch]:
    """All rows of a query that `select` has run, in a stream of such types."""
    cursor.execute("BEGIN TRANSACTION READ ONLY")
    try:
        described = cursor.execute(f"DESCRIBE {sql}").fetchall()
        kinds = [exported_type(str(row[1])) for row in described]
        if any(kinds):
            columns = [
                f"CAST(#{at} AS {kind}) AS {quote(str(row[0]))}" if kind else f"#{at}"
                for at, (row, kind) in enumerate(zip(described, kinds, strict=True), start=1)
            ]
            sql = f"SELECT {', '.join(columns)} FROM ({sql})"
        yield from cursor.sql(sql).to_arrow_reader(_BATCH_ROWS)
    finally:
        cursor.execute("ROLLBACK")


def _exported(name: str, kind: str) -> str:
    column, other = quote(name), exported_type(kind)
    return f"CAST({column} AS {other}) AS {column}" if other else column
