"""Single queries on a DuckDB connection: read-only, interrupted at a deadline, out as Arrow."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import duckdb

from flows.data.cells import duckdb_type
from flows.data.deadline import Deadline
from flows.data.engines.engine import Found, take
from flows.data.profiles.profile import quote
from flows.errors import QueryRefused

if TYPE_CHECKING:
    import pyarrow

# Python has no type of its own for these, or needs another package to make one.
_AS_TEXT = ("WITH TIME ZONE", "_NS", "INTERVAL")
# What neither Parquet nor pandas has a type for; decimals are floats everywhere in this package.
_EXPORTED_AS = {
    "DECIMAL": "DOUBLE",
    "HUGEINT": "DOUBLE",
    "UHUGEINT": "DOUBLE",
    "BIGNUM": "DOUBLE",
    "UUID": "VARCHAR",
    "ENUM": "VARCHAR",
    "INTERVAL": "VARCHAR",
    "BIT": "VARCHAR",
    "UNION": "VARCHAR",
    "VARIANT": "VARCHAR",
    "TIME WITH TIME ZONE": "VARCHAR",
    "GEOMETRY": "VARCHAR",
}
_BATCH_ROWS = 65_536
_SECONDS_BETWEEN_LOOKS = 0.05


def select(cursor: duckdb.DuckDBPyConnection, sql: str, rows: int) -> Found:
    """Run SQL in a transaction that cannot write, and fetch `rows` rows. It does not parse it."""
    statements = cursor.extract_statements(sql)
    if len(statements) != 1 or not _is_select(statements[0]):
        raise QueryRefused("DuckDB does not read this as one query")
    cursor.execute("BEGIN TRANSACTION READ ONLY")
    try:
        cursor.execute(sql)
        described = [(str(each[0]), str(each[1])) for each in cursor.description]
        as_text = [any(each in kind for each in _AS_TEXT) for _, kind in described]
        if any(as_text):
            cursor.execute(_with_text(sql, as_text))
        found, cut = take(cursor.fetchmany, rows)
    finally:
        cursor.execute("ROLLBACK")
    names = [name for name, _ in described]
    return Found(names, [duckdb_type(kind) for _, kind in described], found, cut)


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
        kinds = [_exported_as(str(row[1])) for row in described]
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
    column, other = quote(name), _exported_as(kind)
    return f"CAST({column} AS {other}) AS {column}" if other else column


def _exported_as(kind: str) -> str:
    """The type that stands for this one in an export; empty for one that can stand itself."""
    word = kind.upper().partition("(")[0].strip()
    return "" if kind.endswith("]") else _EXPORTED_AS.get(word, "")


def _with_text(sql: str, as_text: Sequence[bool]) -> str:
    parts = [
        f"CAST(#{number} AS VARCHAR)" if cast else f"#{number}"
        for number, cast in enumerate(as_text, start=1)
    ]
    return f"SELECT {', '.join(parts)} FROM ({sql})"
