"""Loading files into a DuckDB database: small ones are copied, large ones stay where they are."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

import duckdb

from flows.data.cells import duckdb_type
from flows.data.excerpt import excerpt
from flows.data.files.cleaning import clean_table
from flows.data.files.long_lines import TOO_LARGE_OBJECT
from flows.data.files.readers import TableAccess, read_source
from flows.data.files.sources import Source
from flows.data.profiles.large import profile_spooled, spool, spooled_layout
from flows.data.profiles.profile import Declared, TableLayout, quote
from flows.data.tables import Table
from flows.errors import SourceError

# Inside of the folder that may be written: copies that go with the process, and such that stay.
COPIES = "copies"
KEPT = "kept"
# The files that DuckDB itself wants to open beside a database that stays attached.
_DATABASE_ENDINGS = ("", ".wal", ".wal.checkpoint", ".wal.recovery")
LOOKING: dict[str, str | bool | int | float | list[str]] = {
    "temp_directory": "",
    "memory_limit": "1GB",
    "python_enable_replacements": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
}
_LONGEST_START = 200
# What DuckDB says after the fault: options to try, and the statement that was run.
_ADVICE = re.compile(r"\n+(?:Possible|LINE \d+:)")
_OWN_NAME = ("csv", "parquet", "json", "glob")


def unreadable(source: Source, error: Exception) -> SourceError:
    """Why files cannot be read, in a few of the words that the database has for it."""
    said = _ADVICE.split(str(error), maxsplit=1)[0]
    if '"maximum_object_size"' in said[:_LONGEST_START]:
        said = TOO_LARGE_OBJECT
    return SourceError(f"source '{source.name}': cannot read {source.path}: {excerpt(said)}")


def in_order(sources: Sequence[Source]) -> list[Source]:
    """Those with a name of their own first: tables of folders, workbooks and databases give way."""
    return sorted(sources, key=lambda each: (each.kind == "duckdb", each.kind not in _OWN_NAME))


class Loading:
    """Makes tables of sources, in a database that is not locked yet.

    `on_disk` are the files that queries will open: what has more than `loaded_bytes` is copied into
    a database in `kept`, where it is found again by the content's hash. Other copies are made in
    `scratch`. Large tables of the sources in `profiled` are measured at once, into `tables`.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        folder: Path,
        loaded_bytes: int,
        profiled: Collection[str],
    ) -> None:
        self._connection = connection
        self._scratch = folder / COPIES
        self._kept = folder / KEPT
        for each in (self._scratch, self._kept):
            each.mkdir(exist_ok=True)
        self._loaded_bytes = loaded_bytes
        self._profiled = profiled
        self.tables: dict[str, Table] = {}
        self._taken: set[str] = set()
        self.on_disk: list[str] = []

    def load(self, source: Source, digest: str) -> list[TableLayout]:
        """The tables of a source with this hash of its content. Errors: `SourceError`."""
        try:
            if source.kind == "duckdb":
                return [self._layout(source, name, ()) for name in self._attach(source)]
            readings = self._readings(source)
            return [self._load_reading(source, each, digest) for each in readings]
        except duckdb.Error as error:
            raise unreadable(source, error) from error

    def unload(self, layouts: Sequence[TableLayout]) -> None:
        """Take back what was loaded, before it is loaded again."""
        for layout in layouts:
            name = quote(layout.physical)
            for kind, found in self._connection.execute(
                "SELECT 'TABLE', table_name FROM duckdb_tables() UNION ALL "
                "SELECT 'VIEW', view_name FROM duckdb_views() WHERE NOT internal"
            ).fetchall():
                if found == layout.physical:
                    self._connection.execute(f"DROP {kind} {name}")
            self._taken.discard(layout.physical.casefold())

    def _readings(self, source: Source) -> Iterable[TableAccess]:
        if source.kind == "folder" or _size(source.paths) <= self._loaded_bytes:
            return read_source(source, self._connection, self._scratch)
        # What DuckDB keeps of looking at a large file would stay in the memory.
        with duckdb.connect(":memory:", config=LOOKING) as connection:
            connection.execute("SET enable_progress_bar = false")
            return list(read_source(source, connection, self._scratch))

    def _load_reading(self, source: Source, reading: TableAccess, digest: str) -> TableLayout:
        name = self._free(reading.names)
        size = _size(reading.paths)
        first: duckdb.Error | None = None
        for way in reading.ways:
            try:
                if self._copied(name, way, size):
                    self._drop_copies(reading.paths)
                    more = clean_table(self._connection, name) if reading.clean else ()
                    return self._layout(source, name, (*reading.notes, *more))
                break
            except duckdb.Error as error:
                first = first or error
        else:
            raise first or duckdb.Error("there is no way to read it")
        return self._spooled(source, reading, name, digest)

    def _spooled(self, source: Source, reading: TableAccess, name: str, digest: str) -> TableLayout:
        """A table in a database of its own on the disk."""
        path = self._kept / f"{digest[:32]}-{len(self.on_disk)}.duckdb"
        notes = reading.notes
        if not path.exists():
            made, more = spool(reading, name, self._scratch)
            made.replace(path)
            notes += more
        self._drop_copies(reading.paths)
        if source.name in self._profiled:
            layout = spooled_layout(source, path, name, notes, self._scratch)
            self.tables[name] = profile_spooled(layout, path, self._scratch)
        attached = quote(f"large {name}")
        where = str(path).replace("'", "''")
        self._connection.execute(f"ATTACH OR REPLACE '{where}' AS {attached} (READ_ONLY)")
        self._connection.execute(
            f"CREATE OR REPLACE VIEW {quote(name)} AS SELECT * FROM {attached}.main.{quote(name)}"
        )
        self.on_disk += [str(path) + ending for ending in _DATABASE_ENDINGS]
        return self._layout(source, name, notes)

    def _copied(self, table: str, reader: str, size: int) -> bool:
        """Copy a table into memory; False when it is too large for that."""
        if size > self._loaded_bytes:
            return False
        try:
            self._connection.execute(
                f"CREATE OR REPLACE TABLE {quote(table)} AS SELECT * FROM {reader}"
            )
        except duckdb.OutOfMemoryException:
            self._connection.execute(f"DROP TABLE IF EXISTS {quote(table)}")
            return False
        return True

    def _drop_copies(self, paths: Sequence[Path]) -> None:
        for path in paths:
            if path.is_relative_to(self._scratch):
                path.unlink(missing_ok=True)

    def _attach(self, source: Source) -> Iterator[str]:
        """Take over the tables of a DuckDB file; not its views, which could read other files."""
        attached = f"attached {source.table}"
        path = str(source.path).replace("'", "''")
        self._connection.execute(f"ATTACH OR REPLACE '{path}' AS {quote(attached)} (READ_ONLY)")
        found = self._connection.execute(
            "SELECT schema_name, table_name FROM duckdb_tables() "
            "WHERE database_name = ? ORDER BY 1, 2",
            [attached],
        ).fetchall()
        size = source.path.stat().st_size
        keep = False
        for schema, name in found:
            reader = f"{quote(attached)}.{quote(str(schema))}.{quote(str(name))}"
            free = self._free(
                (str(name), f"{source.table}_{name}", f"{source.table}_{schema}_{name}")
            )
            if not self._copied(free, reader, size):
                keep = True
                self._connection.execute(f"CREATE VIEW {quote(free)} AS SELECT * FROM {reader}")
            yield free
        if keep:
            self.on_disk += [str(source.path) + ending for ending in _DATABASE_ENDINGS]
        else:
            self._connection.execute(f"DETACH {quote(attached)}")

    def _free(self, names: Sequence[str]) -> str:
        free = next((each for each in names if each.casefold() not in self._taken), None)
        if free is None:
            raise SourceError(f"two tables would both be called {names[0]}; rename a source")
        self._taken.add(free.casefold())
        return free

    def _layout(self, source: Source, name: str, notes: tuple[str, ...]) -> TableLayout:
        described = self._connection.execute(f"DESCRIBE {quote(name)}").fetchall()
        columns = tuple(Declared(str(row[0]), duckdb_type(str(row[1]))) for row in described)
        return TableLayout(source.name, name, name, "duckdb", columns, notes=notes)


def _size(paths: Iterable[Path]) -> int:
    return sum(path.stat().st_size for path in paths)
