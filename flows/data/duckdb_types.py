"""DuckDB's types in Python, Parquet and pandas: which of them need text, or another type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import duckdb

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


def shown_as_text(kind: str) -> bool:
    """Whether values of the type, by DuckDB's name for it, come to Python as text alone."""
    return any(each in kind for each in _SHOWN_AS_TEXT)


def exported_type(kind: str) -> str:
    """The type that stands for this one in Parquet; empty for one that can stand itself."""
    word = kind.upper().partition("(")[0].strip()
    if kind.endswith("]") or word in _NESTED:
        return "VARCHAR" if any(each in kind for each in _NEVER_NESTED) else ""
    return _EXPORTED_AS.get(word, "")


def columns_as_text(sql: str, kinds: Sequence[str]) -> str:
    """The query with those of its columns as text that Python cannot show otherwise."""
    parts = [
        f"CAST(#{number} AS VARCHAR)" if shown_as_text(kind) else f"#{number}"
        for number, kind in enumerate(kinds, start=1)
    ]
    return f"SELECT {', '.join(parts)} FROM ({sql})"


def fetch_rows(connection: duckdb.DuckDBPyConnection, sql: str) -> Sequence[tuple[Any, ...]]:
    """All rows of one of our own queries, in Python's own types. Raises `duckdb.Error`."""
    connection.execute(sql)
    kinds = [str(each[1]) for each in connection.description or ()]
    if any(map(shown_as_text, kinds)):
        connection.execute(columns_as_text(sql, kinds))
    return connection.fetchall()
