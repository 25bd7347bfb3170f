"""How DuckDB is told to read the files of a source: table functions and options, written as SQL."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb

from flows.data.files.csv_reading import csv_ways, read_list
from flows.data.files.sources import DataFile, Source
from flows.data.files.text_copy import free_path, plain_text

_PATTERN = re.compile(r"[*?\[]")


@dataclass(frozen=True, slots=True)
class TableAccess:
    """One table of a source, and how DuckDB comes to it.

    `names` are SQL names for it, of which it takes the first that is free. `ways` are what can
    stand after FROM, the usual one first; the next is for when DuckDB cannot go it. `paths` are the
    files that DuckDB opens, `clean` says that numbers may still be text (see `clean_table`).
    """

    names: tuple[str, ...]
    ways: tuple[str, ...]
    paths: tuple[Path, ...]
    clean: bool = False
    notes: tuple[str, ...] = ()


def read_source(
    source: Source, connection: duckdb.DuckDBPyConnection, scratch: Path
) -> Iterator[TableAccess]:
    """The tables of a source of files, in order; not of databases.

    Copies of what DuckDB cannot read itself are made in `scratch`, a folder that can be written.
    Raises SourceError for a file that cannot be read, or of which rows would silently be left out.
    """
    notes = source.notes
    if source.kind == "folder":
        for file in source.files:
            for reading in _read_files(source, (file,), connection, scratch):
                yield _noted(reading, notes)
                notes = ()
    else:
        for reading in _read_files(source, source.files, connection, scratch):
            yield _noted(reading, notes)


def _noted(reading: TableAccess, notes: tuple[str, ...]) -> TableAccess:
    return TableAccess(
        reading.names, reading.ways, reading.paths, reading.clean, (*notes, *reading.notes)
    )


def _read_files(
    source: Source,
    files: tuple[DataFile, ...],
    connection: duckdb.DuckDBPyConnection,
    scratch: Path,
) -> Iterator[TableAccess]:
    """The tables of files of one kind that belong together."""
    kind = files[0].kind
    names = _names(source, files[0].table)
    if kind == "excel":
        yield from _read_workbooks(source, files, scratch)
    elif kind == "parquet":
        paths = tuple(_openable(each.path, each, scratch) for each in files)
        yield TableAccess(names, (f"read_parquet({read_list(paths)})",), paths)
    else:
        texts = [plain_text(source, each, scratch) for each in files]
        paths = tuple(
            _openable(each.path, file, scratch) for each, file in zip(texts, files, strict=True)
        )
        notes = tuple(note for each in texts for note in each.notes)
        if kind == "json":
            yield TableAccess(names, (f"read_json({read_list(paths)})",), paths, notes=notes)
        else:
            ways, more = csv_ways(source, files[0].path, paths, connection)
            yield TableAccess(names, ways, paths, clean=True, notes=(*notes, *more))


def _read_workbooks(
    source: Source, files: tuple[DataFile, ...], scratch: Path
) -> Iterator[TableAccess]:
    from flows.data.files.excel import read_sheets

    sheets = [sheet for file in files for sheet in read_sheets(source, file, scratch)]
    if source.kind == "glob":
        paths = tuple(sheet.path for sheet in sheets)
        notes = tuple(note for sheet in sheets for note in sheet.notes)
        yield TableAccess(
            (source.table,), (f"read_parquet({read_list(paths)})",), paths, notes=notes
        )
        return
    table = files[0].table
    for sheet in sheets:
        own = table if len(sheets) == 1 else f"{table}_{sheet.table}"
        way = f"read_parquet({read_list([sheet.path])})"
        yield TableAccess(_names(source, own), (way,), (sheet.path,), notes=sheet.notes)


def _openable(path: Path, file: DataFile, scratch: Path) -> Path:
    """The path, or that of a copy without characters that mean other ones to DuckDB.

    No link: behind walls none can be made, and DuckDB takes it for the file that it leads to.
    """
    if not _PATTERN.search(str(path)):
        return path
    copy = free_path(scratch, file.table, file.kind)
    shutil.copyfile(path, copy)
    return copy


def _names(source: Source, table: str) -> tuple[str, ...]:
    if source.kind != "folder":
        return (table,)
    long = f"{source.table}_{table}"
    return (table, long, *(f"{long}_{number}" for number in range(2, 100)))
