"""The catalog: the tables of all data sources, profiled once, when they are first asked for."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import duckdb

from flows.data.deadline import Deadline
from flows.data.description import describe_text
from flows.data.duckdb_files import DuckDBFiles
from flows.data.profile import Layout, profile_table
from flows.data.sources import Fingerprint, Source, content_hash, fingerprint, open_source
from flows.data.sqlite_files import open_readonly, sqlite_layouts
from flows.data.tables import Table
from flows.errors import SourceError

__all__ = ["Catalog", "describe_text"]

_PROFILE_SECONDS = 300.0


class Catalog:
    """The tables of the sources of a run. Making one reads nothing.

    `sources` maps names to paths or `package://` addresses; relative paths start at `base`. Files
    are loaded once and keep the content that they had then. All methods may be called from any
    thread. They raise SourceError when a source cannot be read.
    """

    def __init__(self, sources: Mapping[str, str], base: Path) -> None:
        self._where = dict(sources)
        self._base = base
        self._lock = threading.Lock()
        self._files: DuckDBFiles | None = None
        self._opened: dict[str, Source] = {}
        self._tables: tuple[Table, ...] | None = None
        self._physical: dict[str, str] = {}
        self._hashes: dict[str, tuple[Fingerprint, str]] = {}

    @property
    def sources(self) -> dict[str, str]:
        """The sources as the config names them."""
        return dict(self._where)

    def tables(self) -> tuple[Table, ...]:
        """All tables, profiled at the first call, in the order of the sources."""
        with self._lock:
            if self._tables is None:
                self._tables = self._profile()
            return self._tables

    def physical_names(self) -> dict[str, str]:
        """What databases call the tables, by the names that queries use."""
        self.tables()
        return dict(self._physical)

    def source(self, name: str) -> Source:
        """An opened source, by its name in the config."""
        self.tables()
        return self._opened[name]

    def file_cursor(self) -> duckdb.DuckDBPyConnection:
        """A locked connection of its own to the tables of all files. The caller closes it."""
        self.tables()
        if self._files is None:
            raise SourceError("there is no source that DuckDB reads")
        return self._files.cursor()

    def source_hash(self, name: str) -> str:
        """The SHA-256 of a source's content: of the loaded one for files, else of today's."""
        source = self.source(name)
        with self._lock:
            if self._files is not None and name in self._files.hashes:
                return self._files.hashes[name]
            mark = fingerprint(source)
            known = self._hashes.get(name)
            if known is None or known[0] != mark:
                known = self._hashes[name] = (mark, content_hash(source))
            return known[1]

    def close(self) -> None:
        """Give up what was loaded. The next call of `tables` would load it again."""
        with self._lock:
            if self._files is not None:
                self._files.close()
            self._files = None
            self._tables = None

    async def aclose(self) -> None:
        """As `close`, for the one who gives up all services of a run."""
        self.close()

    def __enter__(self) -> Catalog:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _profile(self) -> tuple[Table, ...]:
        self._opened = {
            name: open_source(name, where, self._base) for name, where in self._where.items()
        }
        _check_distinct(list(self._opened.values()))
        sources = list(self._opened.values())
        files = [each for each in sources if each.dialect == "duckdb"]
        loaded = DuckDBFiles(files) if files else None
        try:
            found = [] if loaded is None else _profile_files(loaded)
            for source in sources:
                if source.dialect == "sqlite":
                    taken = {table.name.casefold() for _, table in found}
                    found += _profile_database(source, taken)
        except BaseException:
            if loaded is not None:
                loaded.close()
            raise
        self._files = loaded
        self._physical = {table.name: layout.physical for layout, table in found}
        order = list(self._opened)
        tables = sorted((table for _, table in found), key=lambda table: order.index(table.source))
        return tuple(tables)


def _check_distinct(sources: Sequence[Source]) -> None:
    seen: dict[str, str] = {}
    for source in sources:
        other = seen.setdefault(source.table.casefold(), source.name)
        if other != source.name:
            raise SourceError(
                f"the sources '{other}' and '{source.name}' would both be the table "
                f"{source.table}; rename one of them"
            )


def _profile_files(files: DuckDBFiles) -> list[tuple[Layout, Table]]:
    cursor = files.cursor()

    def fetch(sql: str) -> Sequence[tuple[Any, ...]]:
        return cursor.execute(sql).fetchall()

    try:
        return [(layout, profile_table(layout, fetch)) for layout in files.layouts]
    except duckdb.Error as error:
        raise SourceError(f"a source cannot be read: {error}") from error
    finally:
        cursor.close()


def _profile_database(source: Source, taken: set[str]) -> list[tuple[Layout, Table]]:
    """Profile the tables of a SQLite file; a name that is taken gets the source's name before."""
    try:
        with open_readonly(source, Deadline(_PROFILE_SECONDS)) as connection:

            def fetch(sql: str) -> Sequence[tuple[Any, ...]]:
                return connection.execute(sql).fetchall()

            layouts = sqlite_layouts(source, connection)
            names = {
                each.physical.casefold(): f"{source.table}_{each.physical}"
                if each.physical.casefold() in taken
                else each.physical
                for each in layouts
            }
            named = [_renamed(each, names) for each in layouts]
            return [(each, profile_table(each, fetch)) for each in named]
    except sqlite3.Error as error:
        raise SourceError(f"source '{source.name}': cannot read {source.path}: {error}") from error


def _renamed(layout: Layout, names: Mapping[str, str]) -> Layout:
    keys = tuple(
        key.model_copy(update={"table": names.get(key.table.casefold(), key.table)})
        for key in layout.foreign_keys
    )
    return Layout(
        source=layout.source,
        name=names[layout.physical.casefold()],
        physical=layout.physical,
        dialect=layout.dialect,
        columns=layout.columns,
        primary_key=layout.primary_key,
        foreign_keys=keys,
    )
