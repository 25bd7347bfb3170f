"""Files that are too large for the memory: their rows go into a scratch database, column by column
compressed, where a query or a profile reads only what it needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import duckdb

from flows.data.cells import duckdb_type
from flows.data.duckdb_types import fetch_rows
from flows.data.excerpt import excerpt
from flows.data.files.cleaning import clean_table
from flows.data.files.readers import TableAccess
from flows.data.files.sources import Source
from flows.data.physical import quote_name
from flows.data.profiles.profile import Arrays, Declared, TableLayout, profile_table
from flows.data.tables import Table
from flows.errors import SourceError

if TYPE_CHECKING:
    import numpy

# What DuckDB may use while it copies and measures, and where that is not enough: very wide tables
# and very long texts need more. How many processors.
_COPYING = ("160MB", "1GB", "3GB")
_MEASURING = ("96MB", "1GB", "3GB")
_THREADS = 2
_PIECE_ROWS = 122_880 * 8  # whole row groups
T = TypeVar("T")
_EXACT = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "DOUBLE", "FLOAT", "DATE", "TIMESTAMP")


def spool(reading: TableAccess, name: str, scratch: Path) -> tuple[Path, tuple[str, ...]]:
    """Copy the rows of a file into a database of its own in the folder `scratch`, with little
    memory. Returns its path and notes; its only table has the name `name`.

    Raises `duckdb.Error`: that of the first way to read the file.
    """
    path = scratch / f"{name}.duckdb"
    first: duckdb.Error | None = None
    for way in reading.ways:
        try:
            return path, _with_enough(_COPYING, partial(_copy, reading, way, name, path, scratch))
        except duckdb.Error as error:
            first = first or error
    raise first or duckdb.Error("there is no way to read it")


def _copy(
    reading: TableAccess, way: str, name: str, path: Path, scratch: Path, memory: str
) -> tuple[str, ...]:
    path.unlink(missing_ok=True)
    with closing(open_small(path, scratch, memory)) as connection:
        connection.execute(f"CREATE TABLE {quote_name(name, 'duckdb')} AS SELECT * FROM {way}")
        return clean_table(connection, name) if reading.clean else ()


def _with_enough(steps: Sequence[str], work: Callable[[str], T]) -> T:
    """What the work returns with the least memory of these that is enough for it."""
    for memory in steps[:-1]:
        try:
            return work(memory)
        except duckdb.OutOfMemoryException:
            continue
    return work(steps[-1])


def open_small(
    path: Path, scratch: Path, memory: str, *, read_only: bool = False
) -> duckdb.DuckDBPyConnection:
    """A database with little memory, which writes what is too much into the folder `scratch`."""
    connection = duckdb.connect(
        str(path),
        read_only=read_only,
        config={
            "memory_limit": memory,
            "threads": _THREADS,
            "temp_directory": str(scratch / "spill"),
            "python_enable_replacements": False,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "allow_community_extensions": False,
        },
    )
    connection.execute("SET enable_progress_bar = false")
    connection.execute("SET TimeZone = 'UTC'")
    return connection


def profile_spooled(layout: TableLayout, path: Path, scratch: Path) -> Table:
    """The exact profile of a table that was spooled to `path`, with little memory."""
    return _with_enough(_MEASURING, partial(_measure, layout, path, scratch))


def _measure(layout: TableLayout, path: Path, scratch: Path, memory: str) -> Table:
    with closing(open_small(path, scratch, memory, read_only=True)) as connection:

        def fetch(sql: str) -> Sequence[tuple[Any, ...]]:
            return fetch_rows(connection, sql)

        return profile_table(layout, fetch, arrays_of(connection, layout.physical))


def profile_large(source: Source, reading: TableAccess, scratch: Path) -> Table:
    """The exact profile of a file that may be larger than the memory. It leaves the folder as it
    was. Raises SourceError."""
    name = reading.names[0]
    try:
        path, notes = spool(reading, name, scratch)
        try:
            layout = spooled_layout(source, path, name, (*reading.notes, *notes), scratch)
            return profile_spooled(layout, path, scratch)
        finally:
            path.unlink()
    except duckdb.Error as error:
        raise SourceError(
            f"source '{source.name}': cannot read {source.path}: {excerpt(error)}"
        ) from error


def spooled_layout(
    source: Source, path: Path, name: str, notes: tuple[str, ...], scratch: Path
) -> TableLayout:
    with closing(open_small(path, scratch, _MEASURING[0], read_only=True)) as connection:
        found = connection.execute(f"DESCRIBE {quote_name(name, 'duckdb')}").fetchall()
    columns = tuple(Declared(str(row[0]), duckdb_type(str(row[1]))) for row in found)
    return TableLayout(source.name, name, name, "duckdb", columns, notes=notes, spooled=path)


def arrays_of(connection: duckdb.DuckDBPyConnection, table: str) -> Arrays:
    """Whole columns of a table as numpy arrays, without what is missing."""
    quoted = quote_name(table, "duckdb")
    kinds = {
        str(row[0]): str(row[1]) for row in connection.execute(f"DESCRIBE {quoted}").fetchall()
    }

    row = connection.execute(f"SELECT count(*) FROM {quoted}").fetchone()
    total = int(row[0]) if row else 0

    def read(name: str) -> numpy.ndarray[Any, Any] | None:
        import numpy

        kind = kinds[name]
        if kind not in _EXACT:
            return None
        column = quote_name(name, "duckdb")
        number = f" AND NOT isnan({column})" if kind in ("DOUBLE", "FLOAT") else ""
        rows = f"{column} FROM {quoted} WHERE {column} IS NOT NULL{number}"
        found: numpy.ndarray[Any, Any] | None = None
        filled = 0
        # In pieces: all at once takes twice the memory while it is put together.
        for start in range(0, total, _PIECE_ROWS):
            piece = connection.execute(
                f"SELECT {rows} AND rowid >= {start} AND rowid < {start + _PIECE_ROWS}"
            ).fetchnumpy()[name]
            if found is None:
                unit = "datetime64[D]" if kind == "DATE" else piece.dtype
                found = numpy.empty(total, unit)
            found[filled : filled + len(piece)] = piece
            filled += len(piece)
        return None if found is None else found[:filled]

    return read
