"""DuckDB's types in Python, Parquet and pandas: which of them need text, or another type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

import duckdb

from flows.data.cells import to_cell

Rows = Sequence[tuple[Any, ...]]
# Fetches the rows of the query that runs, and tells whether they were cut.
Fetch = Callable[[], tuple[Rows, bool]]
# The names and DuckDB's types of the columns, the rows, and whether they were cut.
Read = tuple[list[tuple[str, str]], Rows, bool]

# Python has no type of its own for these, or DuckDB needs a package that is not ours to make one.
_SHOWN_AS_TEXT = ("WITH TIME ZONE", "TIMESTAMPTZ", "_NS", "INTERVAL", "VARIANT")
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
    "TIMESTAMP_S": "TIMESTAMP",
    "TIMESTAMPTZ_NS": "TIMESTAMP WITH TIME ZONE",
    "GEOMETRY": "VARCHAR",
    '"NULL"': "VARCHAR",
}
# Inside of a list, a struct or a map these make text of the whole.
_NEVER_NESTED = (
    "HUGEINT",
    "BIGNUM",
    "INTERVAL",
    "BIT",
    "UNION",
    "VARIANT",
    "WITH TIME ZONE",
    "TIMESTAMPTZ",
    "GEOMETRY",
    '"NULL"',
)
_NESTED = ("STRUCT", "MAP", "TUPLE")
# Python's last and first dates. DuckDB gives `infinity` and `-infinity` to Python as these.
_ENDS = (date.max.isoformat(), date.min.isoformat())


def shown_as_text(kind: str) -> bool:
    """Whether values of the type, by DuckDB's name for it, come to Python as text alone."""
    return any(each in kind for each in _SHOWN_AS_TEXT)


def exported_type(kind: str) -> str:
    """The type that stands for this one in Parquet; empty for one that can stand itself."""
    word = kind.upper().partition("(")[0].strip()
    if kind.endswith("]") or word in _NESTED:
        return "VARCHAR" if any(each in kind for each in _NEVER_NESTED) else ""
    return _EXPORTED_AS.get(word, "")


def read_rows(connection: duckdb.DuckDBPyConnection, sql: str, fetch: Fetch) -> Read:
    """Run a query and fetch its rows, with those columns as text that Python has no values for.

    Raises `duckdb.Error`.
    """
    connection.execute(sql)
    described = [(str(each[0]), str(each[1])) for each in connection.description or ()]
    as_text = [shown_as_text(kind) for _, kind in described]
    if any(as_text):
        connection.execute(_with_texts(sql, as_text))
    rows, cut = fetch()
    clipped = [_may_be_clipped(kind, rows, at) for at, (_, kind) in enumerate(described)]
    if any(clipped):
        as_text = [each or other for each, other in zip(as_text, clipped, strict=True)]
        connection.execute(_with_texts(sql, as_text))
        rows, cut = fetch()
    return described, rows, cut


def fetch_rows(connection: duckdb.DuckDBPyConnection, sql: str) -> Rows:
    """All rows of one of our own queries, in Python's own types. Raises `duckdb.Error`."""
    _, rows, _ = read_rows(connection, sql, lambda: (connection.fetchall(), False))
    return rows


def _with_texts(sql: str, as_text: Sequence[bool]) -> str:
    parts = [
        f"CAST(#{number} AS VARCHAR)" if is_text else f"#{number}"
        for number, is_text in enumerate(as_text, start=1)
    ]
    return f"SELECT {', '.join(parts)} FROM ({sql})"


def _may_be_clipped(kind: str, rows: Rows, at: int) -> bool:
    """Whether a column may hold an infinite date, which Python gets as its last or first one."""
    if "DATE" not in kind and "TIMESTAMP" not in kind:
        return False
    cells = (str(to_cell(row[at])) for row in rows)
    return any(end in cell for cell in cells for end in _ENDS)
