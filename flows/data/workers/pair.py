"""The two workers of a catalog: one for all files, without network, and one for servers."""

from __future__ import annotations

import os
import shutil
import stat
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from flows.data.files.sources import Fingerprint, Source
from flows.data.servers import ServerSource
from flows.data.workers.messages import (
    FILES,
    FOREIGN_BYTES,
    FOREIGN_ROWS,
    Exporting,
    Foreign,
    NamedTable,
    Opening,
    Querying,
    Reply,
    Request,
    RowsMessage,
    WrittenMessage,
)
from flows.data.workers.query_worker import QueryWorker
from flows.errors import QueryFailed
from flows.sandbox.read_access import readable

# What a worker may add to what an empty one has; DuckDB's own limit lies below it.
MEMORY = 6 * 1024**3
_EXPORT_SECONDS = 600.0
# DuckDB asks how much of the machine it may use, and aborts when it may not read the answer.
_OF_MACHINE = (Path("/proc/self/cgroup"), Path("/sys/fs/cgroup"))

AnySource = Source | ServerSource


@dataclass(frozen=True, slots=True)
class TablePlace:
    """Where a table is: its source, and its name in that source's database."""

    source: AnySource
    physical: str

    @property
    def engine(self) -> str:
        return FILES if self.source.dialect == "duckdb" else self.source.name


class Workers:
    """Opens, profiles, asks and exports sources in child processes. Making one starts nothing.

    `digests` are what servers told of their changes when they were last asked.
    """

    def __init__(self, sources: Sequence[AnySource]) -> None:
        self._local = tuple(each for each in sources if isinstance(each, Source))
        self._remote = tuple(each for each in sources if isinstance(each, ServerSource))
        self._known: Mapping[str, tuple[Fingerprint, str]] = {}
        self._profiled: tuple[str, ...] = ()
        self._first: int | None = None
        self.digests: dict[str, str] = {}
        self.files = QueryWorker(self._opening_of_files)
        self.servers = QueryWorker(self._opening_of_servers)

    def expect(
        self, known: Mapping[str, tuple[Fingerprint, str]], hashes: Mapping[str, str]
    ) -> None:
        """Tell what files hold: `known` by their fingerprints, so that they are not hashed again,
        and what their `hashes` have to be, since profiles of them are there."""
        self._known = known
        self.files.expect(hashes)

    def profile(
        self, names: Sequence[str]
    ) -> tuple[dict[str, tuple[NamedTable, ...]], dict[str, str]]:
        """The tables of these sources, and the hashes of all that were opened for it."""
        self._profiled = tuple(names)
        tables: dict[str, tuple[NamedTable, ...]] = {}
        hashes: dict[str, str] = {}
        try:
            for sources, worker in ((self._local, self.files), (self._remote, self.servers)):
                if any(each.name in names for each in sources):
                    opened = worker.start()
                    tables |= opened.tables
                    hashes |= opened.hashes
                    self.digests |= opened.digests
        finally:
            self._profiled = ()
        return tables, hashes

    def preview(self, rows: int) -> dict[str, tuple[NamedTable, ...]]:
        """All tables, of which only the first rows are looked at. It ends the workers."""
        self._first = rows
        tables: dict[str, tuple[NamedTable, ...]] = {}
        try:
            for sources, worker in ((self._local, self.files), (self._remote, self.servers)):
                if sources:
                    tables |= worker.start().tables
        finally:
            self._first = None
            self.close()
        return tables

    def warm(self) -> None:
        """Start the processes that will be needed; they get ready while others work."""
        for sources, worker in ((self._local, self.files), (self._remote, self.servers)):
            if sources:
                worker.warm()

    def query(
        self,
        place: str,
        sql: str,
        tables: Sequence[TablePlace],
        foreign: Mapping[str, TablePlace],
        rows: int,
        seconds: float,
        stop: threading.Event | None,
        target: Path | None = None,
    ) -> RowsMessage:
        """Run a query by the engine `place`, over `tables` and copies of `foreign` ones.

        Where there are as many as `rows` rows or more, all are written into the file `target` as
        Parquet, and the reply says how many. Errors: `SourceError`, `QueryRefused`, `QueryFailed`.
        """
        copies = tuple(self._brought(name, each) for name, each in foreign.items())
        request = Querying(
            engine=place,
            sql=sql,
            tables=tuple(each.physical for each in tables),
            rows=rows,
            seconds=seconds,
            foreign=copies,
            file=None if target is None else f"{uuid4().hex}.parquet",
        )
        written = self._worker(place).folder / request.file if request.file else None
        try:
            reply = self._ask(place, request, seconds, stop)
            if written is not None and target is not None and written.exists():
                _take_over(written, target)
        finally:
            if written is not None:
                written.unlink(missing_ok=True)
            for each in copies:
                if each.file is not None:
                    (self.files.folder / each.file).unlink(missing_ok=True)
        assert isinstance(reply, RowsMessage)
        self.digests |= reply.digests
        return reply

    def export(self, place: TablePlace, target: Path) -> Path:
        """Write all rows of a table as Parquet into the file `target`. Errors: as of `query`."""
        return self._exported(place, target, None, None)

    def close(self) -> None:
        self.files.close()
        self.servers.close()

    def _ask(
        self, place: str, request: Request, seconds: float, stop: threading.Event | None = None
    ) -> Reply:
        return self._worker(place).ask(request, seconds, stop)

    def _worker(self, place: str) -> QueryWorker:
        return self.servers if any(each.name == place for each in self._remote) else self.files

    def _brought(self, name: str, place: TablePlace) -> Foreign:
        """A table of another engine, from a server in a file that the worker of files may read."""
        file = None
        if isinstance(place.source, ServerSource):
            file = f"{uuid4().hex}.parquet"
            target = self.files.folder / file
            self._exported(place, target, FOREIGN_ROWS, FOREIGN_BYTES)
        return Foreign(name=name, source=place.source.name, physical=place.physical, file=file)

    def _exported(
        self, place: TablePlace, target: Path, rows: int | None, size: int | None
    ) -> Path:
        file = f"{uuid4().hex}.parquet"
        request = Exporting(
            engine=place.engine,
            table=place.physical,
            file=file,
            seconds=_EXPORT_SECONDS,
            rows=rows,
            bytes=size,
        )
        written = self._worker(place.engine).folder / file
        try:
            reply = self._ask(place.engine, request, _EXPORT_SECONDS)
            assert isinstance(reply, WrittenMessage)
            self.digests |= reply.digests
            _take_over(written, target)
        finally:
            written.unlink(missing_ok=True)
        return target

    def _opening_of_files(self, scratch: Path) -> Opening:
        paths = [path for each in self._local for path in each.paths]
        beside = [
            each.path.with_name(each.path.name + ending)
            for each in self._local
            if each.kind in ("sqlite", "duckdb")
            for ending in ("-wal", "-shm", "-journal", ".wal")
        ]
        return Opening(
            files=self._local,
            profiled=tuple(each.name for each in self._local if each.name in self._profiled),
            first=self._first,
            known=self._known,
            scratch=scratch,
            read=(*readable(), *_OF_MACHINE, *paths, *beside),
            memory=MEMORY,
        )

    def _opening_of_servers(self, scratch: Path) -> Opening:
        named = [value for each in self._remote for value in each.options.values()]
        certificates = [Path(value) for value in named if value.startswith("/")]
        return Opening(
            servers=self._remote,
            profiled=tuple(each.name for each in self._remote if each.name in self._profiled),
            first=self._first,
            scratch=scratch,
            read=(*readable(network=True), *_OF_MACHINE, *certificates),
            memory=MEMORY,
        )


def _take_over(written: Path, target: Path) -> None:
    """Move what a worker wrote out of its folder, when it is a file and no link to another."""
    if not stat.S_ISREG(written.lstat().st_mode):
        raise QueryFailed("the process that runs queries wrote no file")
    try:
        os.replace(written, target)  # noqa: PTH105 - a rename follows no link
    except OSError:  # the folder lies on another disk
        with (
            os.fdopen(os.open(written, os.O_RDONLY | os.O_NOFOLLOW), "rb") as source,
            target.open("wb") as copy,
        ):
            shutil.copyfileobj(source, copy, 1 << 20)
