"""Files as tables of one in-memory DuckDB database, which is locked once they are loaded."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from flows.data.deadline import Deadline, too_slow
from flows.data.duckdb_types import fetch_rows
from flows.data.engines.duckdb_loading import Loading, in_order
from flows.data.engines.duckdb_queries import exported, interrupted_after, select, streamed
from flows.data.engines.engine import QueryRows, Whole
from flows.data.excerpt import excerpt
from flows.data.files.sources import Fingerprint, Source, content_hash, fingerprint
from flows.data.profiles.profile import TableLayout, quote
from flows.data.tables import Dialect, Table
from flows.errors import QueryFailed, QueryRefused, SourceError

if TYPE_CHECKING:
    import pyarrow

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


class DuckDBFiles:
    """The tables of files: loaded once, then read by any number of threads. It is an Engine.

    `layouts` are the tables found, `tables` the profiles made on the way, which are of the large
    tables of the sources in `profiled`. `hashes` are the SHA-256 of each source as it was loaded,
    taken from `known` where that says what a file with this fingerprint holds. What has more than
    `loaded_bytes` is not in memory but in `folder`, where other copies are made too. Raises
    SourceError when a file cannot be read.
    """

    dialect: Dialect = "duckdb"
    warnings: Sequence[str] = ()

    def __init__(
        self,
        sources: Sequence[Source],
        folder: Path,
        loaded_bytes: int = LOADED_BYTES,
        known: Mapping[str, tuple[Fingerprint, str]] = {},
        profiled: Collection[str] = (),
    ) -> None:
        self._known = known
        self._connection = duckdb.connect(":memory:", config=_START)
        self._on_disk: list[str] = []
        self.layouts: list[TableLayout] = []
        self.hashes: dict[str, str] = {}
        self.tables: Mapping[str, Table] = {}
        try:
            # Cursors have it from here. Where Python runs without a file, DuckDB shows a bar.
            self._connection.execute("SET enable_progress_bar = false")
            self._connection.execute("SET GLOBAL TimeZone = 'UTC'")
            loading = Loading(self._connection, folder, loaded_bytes, profiled)
            for source in in_order(sources):
                self.hashes[source.name] = self._load_unchanged(loading, source)
            self._on_disk = loading.on_disk
            self.tables = loading.tables
            self._lock()
        except BaseException:
            self._connection.close()
            raise

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A connection of its own onto the same locked database, for one thread and one query."""
        cursor = self._connection.cursor()
        check_locked(cursor, self._on_disk)
        return cursor

    def fetch(self, sql: str) -> Sequence[tuple[Any, ...]]:
        """Run one of our own queries, for a profile. Errors: `SourceError`."""
        cursor = self._connection.cursor()
        try:
            return fetch_rows(cursor, sql)
        except duckdb.OutOfMemoryException as error:
            raise MemoryError(str(error)) from error
        except duckdb.Error as error:
            raise SourceError(f"a source cannot be read: {excerpt(error)}") from error
        finally:
            cursor.close()

    def query(
        self,
        sql: str,
        tables: Sequence[str],  # noqa: ARG002 - it holds nothing but what may be read
        rows: int,
        deadline: Deadline,
        whole: Whole | None = None,
    ) -> QueryRows:
        """Run a query on a locked connection of its own. It may read all tables of files."""
        return self.query_with({}, sql, rows, deadline, whole)

    def query_with(
        self,
        foreign: Mapping[str, Iterator[pyarrow.RecordBatch]],
        sql: str,
        rows: int,
        deadline: Deadline,
        whole: Whole | None = None,
    ) -> QueryRows:
        """As `query`, with tables of other databases, which only this query sees."""
        cursor = self.cursor()
        try:
            with interrupted_after(cursor, deadline) as over:
                try:
                    for name, batches in foreign.items():
                        _copy_in(cursor, name, batches)
                    found = select(cursor, sql, rows)
                    if whole is not None and (found.cut or len(found.rows) >= rows):
                        found = replace(found, total=whole(streamed(cursor, sql)))
                    return found
                except duckdb.InterruptException as error:
                    raise QueryFailed(too_slow(deadline.seconds)) from error
                except duckdb.PermissionException as error:
                    raise QueryRefused(f"DuckDB refused the query: {excerpt(error)}") from error
                except duckdb.OutOfMemoryException as error:
                    raise MemoryError(str(error)) from error
                except duckdb.Error as error:
                    late = over.is_set()
                    reason = too_slow(deadline.seconds) if late else f"DuckDB: {excerpt(error)}"
                    raise QueryFailed(reason) from error
        finally:
            cursor.close()

    def batches(self, table: str) -> Iterator[pyarrow.RecordBatch]:
        """All rows of a table as Arrow, in types that pandas has; without rows one empty batch."""
        cursor = self.cursor()
        try:
            yield from exported(cursor, quote(table))
        except duckdb.OutOfMemoryException as error:
            raise MemoryError(str(error)) from error
        except duckdb.Error as error:
            raise QueryFailed(f"DuckDB: {excerpt(error)}") from error
        finally:
            cursor.close()

    def close(self) -> None:
        self._connection.close()

    def _load_unchanged(self, loading: Loading, source: Source) -> str:
        """Load a source, and its hash: again when a file changed in between."""
        for _ in range(_TRIES):
            before = fingerprint(source)
            known = self._known.get(source.name)
            digest = known[1] if known and known[0] == before else content_hash(source)
            layouts = loading.load(source, digest)
            if fingerprint(source) == before:
                self.layouts += layouts
                return digest
            loading.unload(layouts)
        raise SourceError(f"source '{source.name}': {source.path} changes while it is read")

    def _lock(self) -> None:
        paths = ", ".join("'" + path.replace("'", "''") + "'" for path in self._on_disk)
        for setting in (
            f"allowed_paths = [{paths}]",
            "enable_external_access = false",
            "lock_configuration = true",
        ):
            self._connection.execute(f"SET GLOBAL {setting}")
        check_locked(self._connection, self._on_disk)


def _copy_in(
    cursor: duckdb.DuckDBPyConnection, name: str, batches: Iterator[pyarrow.RecordBatch]
) -> None:
    """Make a temporary table of the cursor's own of the batches, of which the first tells types."""
    import pyarrow

    first = next(batches)

    def all_batches() -> Iterator[pyarrow.RecordBatch]:
        yield first
        yield from batches

    # Batch by batch: an error in the middle of a stream would come out of DuckDB as another.
    for number, batch in enumerate(all_batches()):
        cursor.register("arriving", pyarrow.Table.from_batches([batch]))
        kind = "INSERT INTO" if number else "CREATE TEMP TABLE"
        cursor.execute(f"{kind} {quote(name)} {'' if number else 'AS '}SELECT * FROM arriving")
        cursor.unregister("arriving")


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
