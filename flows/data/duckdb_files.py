"""Files as tables of one in-memory DuckDB database, which is locked once they are loaded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import duckdb

from flows.data.cells import duckdb_type
from flows.data.profile import Declared, Layout, quote
from flows.data.readers import readers
from flows.data.sources import Source, content_hash, fingerprint
from flows.errors import SourceError

MEMORY_LIMIT = "4GB"
# A larger file stays on the disk, and each query reads it there.
LOADED_BYTES = 512 * 1024 * 1024
_START: dict[str, str | bool | int | float | list[str]] = {
    "temp_directory": "",
    "python_enable_replacements": False,
    "memory_limit": MEMORY_LIMIT,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
}
# Read back from the database after locking; a query never runs when one of them differs.
_LOCKED = {
    "temp_directory": "",
    "python_enable_replacements": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "enable_external_access": "false",
    "lock_configuration": "true",
    "allowed_directories": "[]",
}
_TRIES = 3
_LONGEST_REASON = 400
# The files that DuckDB itself wants to open beside a database that stays attached.
_DATABASE_ENDINGS = ("", ".wal", ".wal.checkpoint", ".wal.recovery")
# What spreadsheets and R write where there is no number.
_NO_NUMBER = "('', 'na', 'n/a', '#n/a', 'nan', 'null', 'none', '-', '.')"


class DuckDBFiles:
    """The tables of files: loaded once, then read by any number of threads.

    `layouts` are the tables found, `hashes` the SHA-256 of each source as it was loaded.
    A file of more than `loaded_bytes` stays on the disk. Raises SourceError when a file cannot be
    read.
    """

    def __init__(self, sources: Sequence[Source], loaded_bytes: int = LOADED_BYTES) -> None:
        self._loaded_bytes = loaded_bytes
        self._connection = duckdb.connect(":memory:", config=_START)
        self._on_disk: list[str] = []
        self.layouts: list[Layout] = []
        self.hashes: dict[str, str] = {}
        try:
            self._connection.execute("SET GLOBAL TimeZone = 'UTC'")
            # Databases last: their tables give way to files of the same name.
            for source in sorted(sources, key=lambda each: each.kind == "duckdb"):
                self.hashes[source.name] = self._load_unchanged(source)
            self._lock()
        except BaseException:
            self._connection.close()
            raise

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A connection of its own onto the same locked database, for one thread and one query."""
        cursor = self._connection.cursor()
        check_locked(cursor, self._on_disk)
        return cursor

    def close(self) -> None:
        self._connection.close()

    def _load_unchanged(self, source: Source) -> str:
        """Load a source, and its hash: again when the file changed in between."""
        for _ in range(_TRIES):
            before = fingerprint(source)
            digest = content_hash(source)
            layouts = self._load(source)
            if fingerprint(source) == before:
                self.layouts += layouts
                return digest
        raise SourceError(f"source '{source.name}': {source.path} changes while it is read")

    def _load(self, source: Source) -> list[Layout]:
        try:
            if source.kind == "duckdb":
                names = list(self._attach(source))
            else:
                self._load_file(source)
                names = [source.table]
            return [self._layout(source, name) for name in names]
        except duckdb.Error as error:
            reason = " ".join(str(error).partition("\nPossible")[0].split())[:_LONGEST_REASON]
            raise SourceError(
                f"source '{source.name}': cannot read {source.path}: {reason}"
            ) from error

    def _load_file(self, source: Source) -> None:
        first: duckdb.Error | None = None
        for reader in readers(source, self._connection):
            try:
                self._create(source, reader)
                break
            except duckdb.Error as error:
                first = first or error
        else:
            raise first or duckdb.Error("there is no way to read it")
        if source.kind == "csv" and str(source.path) not in self._on_disk:
            self._clean(source.table)

    def _create(self, source: Source, reader: str) -> None:
        if not self._copied(source, source.table, reader):
            self._connection.execute(
                f"CREATE OR REPLACE VIEW {quote(source.table)} AS SELECT * FROM {reader}"
            )
            self._on_disk.append(str(source.path))

    def _copied(self, source: Source, table: str, reader: str) -> bool:
        """Copy a table into memory; False when it is too large for that."""
        if source.path.stat().st_size > self._loaded_bytes:
            return False
        try:
            self._connection.execute(
                f"CREATE OR REPLACE TABLE {quote(table)} AS SELECT * FROM {reader}"
            )
        except duckdb.OutOfMemoryException:
            self._connection.execute(f"DROP TABLE IF EXISTS {quote(table)}")
            return False
        return True

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
        keep = False
        taken = {layout.name.casefold() for layout in self.layouts}
        for schema, name in found:
            reader = f"{quote(attached)}.{quote(str(schema))}.{quote(str(name))}"
            names = (str(name), f"{source.table}_{name}", f"{source.table}_{schema}_{name}")
            free = next(each for each in names if each.casefold() not in taken)
            taken.add(free.casefold())
            if not self._copied(source, free, reader):
                keep = True
                self._connection.execute(f"CREATE VIEW {quote(free)} AS SELECT * FROM {reader}")
            yield free
        if keep:
            self._on_disk += [str(source.path) + ending for ending in _DATABASE_ENDINGS]
        else:
            self._connection.execute(f"DETACH {quote(attached)}")

    def _layout(self, source: Source, name: str) -> Layout:
        described = self._connection.execute(f"DESCRIBE {quote(name)}").fetchall()
        columns = tuple(Declared(str(row[0]), duckdb_type(str(row[1]))) for row in described)
        return Layout(source.name, name, name, "duckdb", columns)

    def _clean(self, table: str) -> None:
        """Make numbers of text columns that hold numbers and marks for "no number"."""
        for name, kind, *_ in self._connection.execute(f"DESCRIBE {quote(table)}").fetchall():
            column = quote(str(name))
            if kind == "VARCHAR":
                self._clean_text(quote(table), column)
            elif kind in ("DOUBLE", "FLOAT"):
                self._connection.execute(
                    f"UPDATE {quote(table)} SET {column} = NULL WHERE isnan({column})"
                )

    def _clean_text(self, table: str, column: str) -> None:
        number = f"try_cast({column} AS DOUBLE)"
        marks = f"lower(trim({column})) IN {_NO_NUMBER}"
        found = self._connection.execute(
            f"SELECT count(*) FILTER (WHERE {number} IS NULL AND NOT {marks}), "
            f"count(*) FILTER (WHERE isfinite({number})), "
            f"bool_and(try_cast({column} AS BIGINT) = {number}) FILTER (WHERE isfinite({number})), "
            f"count(*) FILTER (WHERE regexp_full_match({column}, '0\\d+')) "
            f"FROM {table} WHERE {column} IS NOT NULL"
        ).fetchone()
        if found is None or found[0] or not found[1] or found[3]:
            return
        kind = "BIGINT" if found[2] else "DOUBLE"
        finite = f"CASE WHEN {marks} THEN NULL ELSE try_cast({column} AS {kind}) END"
        self._connection.execute(f"ALTER TABLE {table} ALTER {column} TYPE {kind} USING {finite}")

    def _lock(self) -> None:
        paths = ", ".join("'" + path.replace("'", "''") + "'" for path in self._on_disk)
        for setting in (
            f"allowed_paths = [{paths}]",
            "enable_external_access = false",
            "lock_configuration = true",
        ):
            self._connection.execute(f"SET GLOBAL {setting}")
        check_locked(self._connection, self._on_disk)


def check_locked(connection: duckdb.DuckDBPyConnection, on_disk: Sequence[str]) -> None:
    """Raise SourceError unless the database says itself that it is locked."""
    found = dict(
        connection.execute(
            "SELECT name, value FROM duckdb_settings() WHERE list_contains(?, name)",
            [[*_LOCKED, "memory_limit"]],
        ).fetchall()
    )
    paths = connection.execute("SELECT unnest(current_setting('allowed_paths'))").fetchall()
    wrong = [name for name, value in _LOCKED.items() if found.get(name) != value]
    if {Path(row[0]) for row in paths} != {Path(path) for path in on_disk}:
        wrong.append("allowed_paths")
    if wrong or not found.get("memory_limit"):
        raise SourceError(f"the database of files could not be locked: {', '.join(wrong)}")
