"""The engines of one worker: opened, asked, written out, and copied into one another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from flows.data.deadline import Deadline, too_slow
from flows.data.engines.engine import Engine, Whole
from flows.data.files.sources import Source
from flows.data.profiles.profile import TableLayout, profile_table
from flows.data.results.parquet import unlike
from flows.data.servers import ServerSource
from flows.data.tables import Table
from flows.data.workers.messages import (
    FILES,
    FOREIGN_BYTES,
    FOREIGN_ROWS,
    RESULT_BYTES,
    RESULT_ROWS,
    Exporting,
    Foreign,
    NamedTable,
    Opened,
    Opening,
    Querying,
    RowsMessage,
    WrittenMessage,
)
from flows.errors import QueryFailed

if TYPE_CHECKING:
    import pyarrow

    from flows.data.engines.duckdb_files import DuckDBFiles


class Engines:
    """DuckDB for all files, and one engine for each SQLite file and each server.

    Raises SourceError when one cannot be opened.
    """

    def __init__(self, opening: Opening) -> None:
        self._scratch = opening.scratch
        self._known = opening.known
        self._profiled = opening.profiled
        read = [each for each in opening.files if each.dialect == "duckdb"]
        self._files = self._open_files(read) if read else None
        self._others: dict[str, Engine] = {}
        for file in opening.files:
            if file.dialect == "sqlite":
                self._others[file.name] = _open(file)
        for server in opening.servers:
            self._others[server.name] = _open(server)

    def opened(self, walls: Mapping[str, str]) -> Opened:
        """What the host has to know of them; tables of those that are to be profiled only."""
        tables: dict[str, tuple[NamedTable, ...]] = dict.fromkeys(self._profiled, ())
        known = self._files.tables if self._files else {}
        for engine in (*([self._files] if self._files else []), *self._others.values()):
            for layout in engine.layouts:
                if layout.source in tables:
                    tables[layout.source] += (_measured(engine, layout, known),)
        digests: dict[str, str] = {}
        for name in self._others:
            digests |= self._digests(name)
        hashes = self._files.hashes if self._files else {}
        return Opened(hashes=hashes, digests=digests, tables=tables, walls=dict(walls))

    def query(self, request: Querying, deadline: Deadline) -> RowsMessage:
        whole = None if request.file is None else self._writing(request.file, deadline)
        if request.engine != FILES:
            found = self._others[request.engine].query(
                request.sql, request.tables, request.rows, deadline, whole
            )
        else:
            if self._files is None:
                self._files = self._open_files([])
            copies = {each.name: self._batches_of(each, deadline) for each in request.foreign}
            found = self._files.query_with(copies, request.sql, request.rows, deadline, whole)
        return RowsMessage(
            columns=tuple(found.columns),
            types=tuple(found.types),
            rows=tuple(found.rows),
            cut=found.cut,
            digests=self._digests(request.engine),
            total=found.total,
        )

    def _writing(self, file: str, deadline: Deadline) -> Whole:
        """What writes a result into that file of the scratch folder."""

        def write(batches: Iterator[pyarrow.RecordBatch]) -> int:
            named = map(_renamed, batches)
            return _write(_within(named), self._scratch / file, deadline)

        return write

    def export(self, request: Exporting, deadline: Deadline) -> WrittenMessage:
        engine = self._files if request.engine == FILES else self._others[request.engine]
        assert engine is not None
        limited = _limited(
            lambda: engine.batches(request.table), request.table, request.rows, request.bytes
        )
        rows = _write(limited, self._scratch / request.file, deadline)
        return WrittenMessage(rows=rows, digests=self._digests(request.engine))

    def _digests(self, name: str) -> dict[str, str]:
        """What a server tells of its changes, nothing of a file."""
        return {} if name == FILES else self._others[name].hashes

    def _open_files(self, sources: list[Source]) -> DuckDBFiles:
        from flows.data.engines.duckdb_files import DuckDBFiles

        return DuckDBFiles(sources, self._scratch, known=self._known, profiled=self._profiled)

    def _batches_of(self, table: Foreign, deadline: Deadline) -> Iterator[pyarrow.RecordBatch]:
        if table.file is not None:
            found = _read(self._scratch / table.file)
        else:
            engine = self._others[table.source]
            found = _limited(
                lambda: engine.batches(table.physical), table.name, FOREIGN_ROWS, FOREIGN_BYTES
            )
        return _until(found, deadline)


def heads(opening: Opening) -> dict[str, tuple[NamedTable, ...]]:
    """The tables of all sources, of which only the first rows were looked at.

    Raises SourceError for a source that cannot be read.
    """
    from flows.data.engines.head import read_heads
    from flows.data.engines.server_head import read_server_heads

    assert opening.first is not None
    found: dict[str, tuple[Table, ...]] = {}
    for file in opening.files:
        found[file.name] = read_heads(file, opening.first, opening.scratch)
    for server in opening.servers:
        found[server.name] = read_server_heads(_open(server), opening.first)
    return {
        name: tuple(NamedTable(physical=each.name, table=each) for each in tables)
        for name, tables in found.items()
    }


def _open(source: Source | ServerSource) -> Engine:
    if isinstance(source, Source):
        from flows.data.engines.sqlite_files import SQLiteFile

        return SQLiteFile(source)
    if source.dialect == "postgres":
        from flows.data.engines.postgres import PostgresServer

        return PostgresServer(source)
    from flows.data.engines.mysql import MySQLServer

    return MySQLServer(source)


def _measured(engine: Engine, layout: TableLayout, known: Mapping[str, Table]) -> NamedTable:
    table = known.get(layout.physical) or profile_table(layout, engine.fetch)
    noted = table.model_copy(update={"notes": (*table.notes, *engine.warnings)})
    return NamedTable(physical=layout.physical, table=noted)


def _limited(
    batches: Callable[[], Iterator[pyarrow.RecordBatch]],
    name: str,
    most_rows: int | None,
    most_bytes: int | None,
) -> Iterator[pyarrow.RecordBatch]:
    """The batches of a table. Errors: `QueryFailed` when it is larger than that."""
    rows = size = 0
    for batch in batches():
        rows += batch.num_rows
        size += batch.nbytes
        if most_rows is not None and rows > most_rows:
            raise QueryFailed(_too_large(name, f"{most_rows:,} rows"))
        if most_bytes is not None and size > most_bytes:
            raise QueryFailed(_too_large(name, f"{most_bytes >> 20:,} MB"))
        yield batch


def _within(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """The batches of a result. Errors: `QueryFailed` when it is larger than may be written."""
    rows = size = 0
    for batch in batches:
        rows += batch.num_rows
        size += batch.nbytes
        if rows > RESULT_ROWS or size > RESULT_BYTES:
            most = f"{RESULT_ROWS:,} rows and {RESULT_BYTES >> 20:,} MB"
            raise QueryFailed(
                f"the result is larger than {most}; ask for fewer rows or columns, or for a summary"
            )
        yield batch


def _renamed(batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
    """The batch with no two columns of one name."""
    return batch.rename_columns(unlike(batch.schema.names))


def _too_large(name: str, limit: str) -> str:
    return (
        f"the table {name} of another database has more than {limit}, which is the most that is "
        "copied to join it; ask its own database first, for fewer rows"
    )


def _until(
    batches: Iterator[pyarrow.RecordBatch], deadline: Deadline
) -> Iterator[pyarrow.RecordBatch]:
    for batch in batches:
        if deadline.is_over():
            raise QueryFailed(too_slow(deadline.seconds))
        yield batch


def _read(path: Path) -> Iterator[pyarrow.RecordBatch]:
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        yield from file.iter_batches()


def _write(batches: Iterator[pyarrow.RecordBatch], path: Path, deadline: Deadline) -> int:
    """Write all batches as Parquet; the first of them, without rows or not, tells the columns."""
    from pyarrow import parquet

    writer: parquet.ParquetWriter | None = None
    rows = 0
    try:
        for batch in _until(batches, deadline):
            if writer is None:
                writer = parquet.ParquetWriter(path, batch.schema, compression="zstd")
            writer.write_batch(batch)
            rows += batch.num_rows
    finally:
        if writer is not None:
            writer.close()
    if writer is None:
        raise QueryFailed("the table has no columns")
    return rows
