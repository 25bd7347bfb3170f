"""A look at the first rows of a source, however large it is: only its head is read."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import duckdb

from flows.data.cells import duckdb_type
from flows.data.deadline import Deadline
from flows.data.duckdb_types import fetch_rows
from flows.data.engines.duckdb_loading import LOOKING, unreadable
from flows.data.engines.sqlite_files import open_readonly, sqlite_layouts
from flows.data.files.cleaning import clean_table
from flows.data.files.csv_sniffing import literal
from flows.data.files.file_kinds import FileKind
from flows.data.files.long_lines import MOST_OBJECT_BYTES, TOO_LARGE_OBJECT, longest_line
from flows.data.files.packing import open_unpacked, unpack_faults
from flows.data.files.readers import TableAccess, read_source
from flows.data.files.sources import DataFile, Source
from flows.data.files.text_copy import free_path
from flows.data.physical import quote_name
from flows.data.profiles.profile import Declared, TableLayout, profile_table
from flows.data.tables import Table
from flows.errors import SourceError

_BYTES = 1 << 17
_MOST_BYTES = 64 << 20
_MOST_FILES = 20
_SECONDS = 30.0
# Fewer do not tell the types of columns well.
_FEWEST_LINES = 200
_ARRAY = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[\s*\{")


def read_heads(source: Source, rows: int, scratch: Path) -> tuple[Table, ...]:
    """The tables of a source, profiled over their first rows alone; a note says so.

    Copies are made in `scratch`, a folder that can be written. Raises SourceError.
    """
    try:
        if source.kind == "sqlite":
            return tuple(_sqlite_heads(source, rows))
        with open_memory() as connection:
            if source.kind == "duckdb":
                return tuple(_database_heads(source, rows, connection))
            return tuple(_file_heads(source, rows, scratch, connection))
    except (duckdb.Error, sqlite3.Error) as error:
        raise unreadable(source, error) from error


@contextmanager
def open_memory() -> Iterator[duckdb.DuckDBPyConnection]:
    """A small database in memory that has nothing but what is put into it."""
    with duckdb.connect(":memory:", config=LOOKING) as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.execute("SET TimeZone = 'UTC'")
        yield connection


def _file_heads(
    source: Source, rows: int, scratch: Path, connection: duckdb.DuckDBPyConnection
) -> Iterator[Table]:
    files = source.files[:_MOST_FILES] if source.kind == "folder" else source.files[:1]
    heads = [_cut(source, each, rows, scratch) for each in files]
    is_cut = len(files) < len(source.files) or not all(each.whole for each in heads)
    cut = replace(source, files=tuple(each.file for each in heads))
    taken: set[str] = set()
    for reading in read_source(cut, connection, scratch):
        name = next(each for each in reading.names if each.casefold() not in taken)
        taken.add(name.casefold())
        _copy(reading, name, rows, connection)
        notes = clean_table(connection, name) if reading.clean else ()
        table = _profiled(source, name, (*reading.notes, *notes), connection)
        yield noted(table, rows, cut=is_cut)


def _copy(
    reading: TableAccess, name: str, rows: int, connection: duckdb.DuckDBPyConnection
) -> None:
    first: duckdb.Error | None = None
    for way in reading.ways:
        try:
            connection.execute(
                f"CREATE TABLE {quote_name(name, 'duckdb')} AS SELECT * FROM {way} LIMIT {rows}"
            )
            return
        except duckdb.Error as error:
            first = first or error
    raise first or duckdb.Error("there is no way to read it")


@dataclass(frozen=True, slots=True)
class _Head:
    """A file to read instead of another, and whether it holds all of that."""

    file: DataFile
    whole: bool


def _cut(source: Source, file: DataFile, rows: int, scratch: Path) -> _Head:
    """A text file of the first lines only; other kinds are read from their start anyway."""
    if file.kind not in ("csv", "json"):
        return _Head(file, whole=True)
    try:
        head, whole = _first_bytes(file, rows)
    except unpack_faults() as error:
        raise SourceError(
            f"source '{source.name}': {file.path} cannot be unpacked: {error}"
        ) from error
    if not head:
        raise SourceError(f"source '{source.name}': {file.path} is empty")
    is_array = file.kind == "json" and _is_array(head)
    if is_array:
        objects = _first_objects(head, rows)
        if max(map(len, objects), default=0) > MOST_OBJECT_BYTES:
            raise unreadable(source, SourceError(TOO_LARGE_OBJECT))
        head = "\n".join(objects).encode() or head
    else:
        most = max(rows, _FEWEST_LINES) + 1
        whole = whole and next(islice(_row_ends(head, file.kind), most, None), None) is None
        head = head if whole else _first_rows(head, most, file.kind)
    path = free_path(scratch, file.table, file.kind)
    path.write_bytes(head)
    return _Head(replace(file, head=path), whole)


def _first_bytes(file: DataFile, rows: int) -> tuple[bytes, bool]:
    """Enough of a text for so many rows, and whether that is all of it."""
    size = _BYTES
    with open_unpacked(file.path, file.packing) as stream:
        head = stream.read(size)
        while not _is_enough(head, rows, file.kind) and size < _MOST_BYTES and len(head) == size:
            size *= 4
            head += stream.read(size - len(head))
        return head, not stream.read(1)


def _is_enough(head: bytes, rows: int, kind: FileKind) -> bool:
    if _is_array(head):
        return len(_first_objects(head, rows)) >= rows
    ends = list(islice(_row_ends(head, kind), rows + 1))
    return len(ends) > rows or len(head) - max(ends, default=0) > longest_line(kind)


def _is_array(head: bytes) -> bool:
    """Whether a JSON text is a list of objects; no CSV file begins so."""
    return bool(_ARRAY.match(head))


def _first_rows(head: bytes, rows: int, kind: FileKind) -> bytes:
    """At most so many rows, without a last row that is cut.

    The lines of a cut row stay if they are longer than a row can be: the reader of the file says
    what is wrong, or finds that the quote that seems to open them is a mere character.
    """
    ends = list(islice(_row_ends(head, kind), rows))
    end = ends[-1] if ends else -1
    if len(ends) < rows and len(head) - end > longest_line(kind):
        end = head.rfind(b"\n")
        if len(head) - end > longest_line(kind):
            return head
    # A line end in UTF-16 and UTF-32 has more bytes than the one that is found.
    width = 4 if head[:4] == b"\xff\xfe\x00\x00" else 2 if head[:2] == b"\xff\xfe" else 1
    return head[: end + width] if end >= 0 else head


def _row_ends(head: bytes, kind: FileKind) -> Iterator[int]:
    """Where lines end, of CSV those that are not in quotes."""
    at = 0
    for number, part in enumerate(head.split(b'"') if kind == "csv" else [head]):
        place = part.find(b"\n") if number % 2 == 0 else -1
        while place >= 0:
            yield at + place
            place = part.find(b"\n", place + 1)
        at += len(part) + 1


def _first_objects(head: bytes, rows: int) -> list[str]:
    """The first objects of a JSON array, each as one line."""
    text = head.decode("utf-8-sig", errors="ignore")
    decoder = json.JSONDecoder()
    at = text.index("[") + 1
    lines: list[str] = []
    while len(lines) < rows:
        while at < len(text) and text[at] in " \t\r\n,":
            at += 1
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):  # the end of the array, or where the head was cut
            break
        lines.append(json.dumps(value))
    return lines


def _profiled(
    source: Source,
    name: str,
    notes: tuple[str, ...],
    connection: duckdb.DuckDBPyConnection,
) -> Table:
    found = connection.execute(f"DESCRIBE {quote_name(name, 'duckdb')}").fetchall()
    columns = tuple(Declared(str(row[0]), duckdb_type(str(row[1]))) for row in found)
    layout = TableLayout(source.name, name, name, "duckdb", columns, notes=notes)

    def fetch(sql: str) -> Sequence[tuple[Any, ...]]:
        return fetch_rows(connection, sql)

    return profile_table(layout, fetch)


def noted(table: Table, rows: int, *, cut: bool = False) -> Table:
    """A preview says that it is one; a table that is shorter was read to its end, or was `cut`."""
    if table.rows < rows and not cut:
        return table
    note = f"a preview: only the first {rows} rows were looked at"
    return table.model_copy(update={"notes": (note, *table.notes)})


def _database_heads(
    source: Source, rows: int, connection: duckdb.DuckDBPyConnection
) -> Iterator[Table]:
    connection.execute(f"ATTACH {literal(str(source.path))} AS attached (READ_ONLY)")
    found = connection.execute(
        "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'attached' "
        "ORDER BY 1, 2"
    ).fetchall()
    for schema, name in found:
        way = f"attached.{quote_name(str(schema), 'duckdb')}.{quote_name(str(name), 'duckdb')}"
        _copy(TableAccess((str(name),), (way,), (source.path,)), str(name), rows, connection)
        yield noted(_profiled(source, str(name), (), connection), rows)


def _sqlite_heads(source: Source, rows: int) -> Iterator[Table]:
    with (
        open_readonly(source, Deadline(_SECONDS)) as connection,
        sqlite3.connect(":memory:") as memory,
    ):
        memory.text_factory = connection.text_factory
        for layout in sqlite_layouts(source, connection):
            table = quote_name(layout.physical, "sqlite")
            names = [quote_name(each.name, "sqlite") for each in layout.columns]
            memory.execute(f"CREATE TABLE {table} ({', '.join(names)})")
            marks = ", ".join("?" * len(names))
            memory.executemany(
                f"INSERT INTO {table} VALUES ({marks})",
                connection.execute(f"SELECT * FROM {table} LIMIT {rows}"),
            )
            yield noted(profile_table(layout, lambda sql: memory.execute(sql).fetchall()), rows)
    memory.close()
