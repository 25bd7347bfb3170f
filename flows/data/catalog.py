"""The catalog: the tables of all data sources, profiled once, when they are first asked for."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from types import TracebackType

from flows.data.description import describe_text
from flows.data.files.source_options import SourceOptions
from flows.data.files.sources import Fingerprint, Source, content_hash, fingerprint, open_any
from flows.data.servers import ServerSource
from flows.data.tables import Table
from flows.data.workers.inspection import Inspection
from flows.data.workers.naming import check_distinct, name_tables
from flows.data.workers.pair import AnySource, TablePlace, Workers
from flows.data.workers.profiling import Profiling
from flows.errors import SourceError

__all__ = ["Catalog", "describe_text"]


class Catalog:
    """The tables of the sources of a run. Making one reads nothing.

    `sources` maps names to paths, patterns, addresses of servers or of files in packages; relative
    paths start at `base`. Files are loaded once and keep the content that they had then. Profiles
    are kept in the folder `cache`. Databases are read in child processes, which end with the
    catalog. All methods may be called from any thread. They raise SourceError when a source cannot
    be read.
    """

    def __init__(
        self,
        sources: Mapping[str, str | SourceOptions],
        base: Path,
        cache: Path | None = None,
    ) -> None:
        self._where = dict(sources)
        self._base = base
        self._cache = cache
        self._lock = threading.Lock()
        self._opened: dict[str, AnySource] = {}
        self._workers: Workers | None = None
        self._tables: tuple[Table, ...] | None = None
        self._places: dict[str, TablePlace] = {}
        self._loaded: dict[str, str] = {}
        self._hashes: dict[str, tuple[Fingerprint, str]] = {}
        self._exports: dict[Path, str] = {}

    @property
    def sources(self) -> dict[str, str]:
        """The sources as the config names them."""
        return {
            name: where.path if isinstance(where, SourceOptions) else where
            for name, where in self._where.items()
        }

    @property
    def identity(self) -> str:
        """Which data this is: a digest of the names and places of its sources, 16 hex digits. It
        stays the same while their content grows. Places below the working folder are relative to
        it, so that a project can move; what an address says of a user is left out."""
        named = sorted((name, _place_words(where)) for name, where in self.sources.items())
        return blake2b(repr(named).encode("utf-8", "replace"), digest_size=8).hexdigest()

    def tables(self) -> tuple[Table, ...]:
        """All tables, profiled at the first call, in the order of the sources."""
        with self._lock:
            if self._tables is None:
                self._tables = self._read()
            return self._tables

    def preview(self, rows: int) -> tuple[Table, ...]:
        """All tables in the order of the sources, profiled over their first rows alone.

        Nothing is kept of it; joins are those that a database declares.
        """
        sources = self._open_all()
        with closing(Workers(sources)) as workers:
            workers.warm()
            found = workers.preview(rows)
        return tuple(each.table for each in name_tables(sources, found))

    def physical_names(self) -> dict[str, str]:
        """What databases call the tables, by the names that queries use."""
        self.tables()
        return {name: place.physical for name, place in self._places.items()}

    def source(self, name: str) -> AnySource:
        """An opened source, by its name in the config."""
        self.tables()
        return self._opened[name]

    def place(self, table: str) -> TablePlace:
        """Where a table is, by the name that queries use."""
        self.tables()
        return self._places[table]

    @property
    def workers(self) -> Workers:
        """The processes that read the sources."""
        self.tables()
        if self._workers is None:
            raise SourceError("the data sources were given up")
        return self._workers

    @property
    def inspection(self) -> Inspection:
        """Looks at single columns and at first rows, for those who study the data."""
        return Inspection(self.workers, self._places)

    def source_hash(self, name: str) -> str:
        """The SHA-256 of a source's content: of the loaded one for files, else of today's.

        A server's is what it tells of its changes, as of the last query.
        """
        source = self.source(name)
        with self._lock:
            if name in self._loaded:
                return self._loaded[name]
            if isinstance(source, ServerSource):
                assert self._workers is not None
                return self._workers.digests.get(name, "")
            return self._hash_now(source)

    def export(self, table: str, folder: Path) -> Path:
        """All rows of a table as a Parquet file in the folder.

        Errors: `SourceError`, also for a table that is not there, and `QueryFailed`.
        """
        place = self._places.get(table) if self.tables() else None
        if place is None:
            names = ", ".join(self._places)
            raise SourceError(f"there is no table {table} (tables: {names or 'none'})")
        number = list(self._places).index(table)
        word = "".join(each if each.isalnum() else "_" for each in table)[:40]
        target = folder / f"{number:02d}_{word}.parquet"
        is_server = isinstance(place.source, ServerSource)
        digest = "" if is_server else self.source_hash(place.source.name)
        if digest and self._exports.get(target) == digest and target.is_file():
            return target
        self.workers.export(place, target)
        self._exports[target] = digest
        return target

    def close(self) -> None:
        """Give up what was loaded. The next call of `tables` would load it again."""
        with self._lock:
            if self._workers is not None:
                self._workers.close()
            self._workers = None
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

    def _open_all(self) -> list[AnySource]:
        sources = [open_any(name, where, self._base) for name, where in self._where.items()]
        check_distinct(sources)
        return sources

    def _read(self) -> tuple[Table, ...]:
        sources = self._open_all()
        self._opened = {each.name: each for each in sources}
        workers = Workers(sources)
        try:
            found = Profiling(sources, workers, self._cache, self._hashes).profile()
        except BaseException:
            workers.close()
            raise
        self._workers = workers
        self._loaded = found.hashes
        self._places = found.places
        return found.tables

    def _hash_now(self, source: Source) -> str:
        mark = fingerprint(source)
        known = self._hashes.get(source.name)
        if known is None or known[0] != mark:
            known = self._hashes[source.name] = (mark, content_hash(source))
        return known[1]


def _place_words(where: str) -> str:
    """The place of a source as its identity has it."""
    scheme, mark, rest = where.partition("://")
    if mark:
        return f"{scheme}{mark}{rest.partition('?')[0].rpartition('@')[2]}"
    path = Path(where)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else where
