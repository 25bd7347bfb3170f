"""The tables of all sources with their profiles: from the cache where it has them, else made."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from flows.data.files.sources import Fingerprint, Source, fingerprint
from flows.data.profiles.cache import ProfileCache
from flows.data.profiles.keys import find_joins
from flows.data.tables import Table
from flows.data.workers.inspection import Inspection
from flows.data.workers.messages import NamedTable
from flows.data.workers.naming import name_tables
from flows.data.workers.pair import AnySource, TablePlace, Workers

# How others are called does not change what their tables are called.
_OWN_NAME = ("csv", "parquet", "json", "glob", "sqlite")


@dataclass(frozen=True, slots=True)
class Profiled:
    """All tables in the order of their sources, where they are, and the hashes of loaded files."""

    tables: tuple[Table, ...]
    places: dict[str, TablePlace]
    hashes: dict[str, str]


class Profiling:
    """Profiles the sources of a catalog. `known` are the hashes of files by their fingerprints."""

    def __init__(
        self,
        sources: Sequence[AnySource],
        workers: Workers,
        folder: Path | None,
        known: dict[str, tuple[Fingerprint, str]],
    ) -> None:
        self._sources = sources
        self._local = [each for each in sources if isinstance(each, Source)]
        self._workers = workers
        self._cache = ProfileCache(folder) if folder is not None else None
        self._known = known

    def profile(self) -> Profiled:
        """Errors: `SourceError` for a source that cannot be read."""
        found = self._cached()
        missing = [each.name for each in self._sources if each.name not in found]
        made, hashes = self._workers.profile(missing)
        self._keep(made, hashes)
        if self._cache is not None:
            digests = {each.name: self._known[each.name][1] for each in self._local}
            hashes = {n: digests[n] for n in self._loaded()} | hashes
        named = name_tables(self._sources, found | made)
        by_name = {each.name: each for each in self._sources}
        places = {
            each.table.name: TablePlace(by_name[each.table.source], each.physical) for each in named
        }
        tables = self._with_joins([each.table for each in named], places)
        return Profiled(tables, places, hashes)

    def _loaded(self) -> list[str]:
        return [each.name for each in self._local if each.dialect == "duckdb"]

    def _cached(self) -> dict[str, tuple[NamedTable, ...]]:
        found: dict[str, tuple[NamedTable, ...]] = {}
        if self._cache is None:
            return found
        for source in self._local:
            mark = fingerprint(source)
            digest = self._cache.content_hash(source)
            self._known[source.name] = (mark, digest)
            tables = self._cache.find(digest, self._reading(source))
            if tables is not None:
                found[source.name] = tuple(
                    NamedTable(physical=each.name, table=each) for each in tables
                )
        expected = {name: self._known[name][1] for name in self._loaded() if name in found}
        self._workers.expect(self._known, expected)
        return found

    def _keep(self, made: Mapping[str, tuple[NamedTable, ...]], hashes: Mapping[str, str]) -> None:
        for source in self._local if self._cache is not None else ():
            mark, digest = self._known[source.name]
            same = hashes.get(source.name, digest) == digest and fingerprint(source) == mark
            if source.name in made and same and self._cache is not None:
                tables = [
                    each.table.model_copy(update={"name": each.physical})
                    for each in made[source.name]
                ]
                self._cache.keep(digest, self._reading(source), tables)

    def _reading(self, source: Source) -> str:
        if source.kind in _OWN_NAME:
            return source.reading
        others = [each.reading for each in self._local if each.dialect == "duckdb"]
        return "\n\n".join([source.reading, *others])

    def _with_joins(
        self, tables: list[Table], places: Mapping[str, TablePlace]
    ) -> tuple[Table, ...]:
        find = partial(find_joins, tables, Inspection(self._workers, places).values)
        if self._cache is None or len(self._local) < len(self._sources):
            return find()
        whole = hashlib.sha256()
        for name, (_, digest) in sorted(self._known.items()):
            whole.update(f"{name}={digest}\n".encode())
        reading = "\n\n".join(["joins", *(each.reading for each in self._local)])
        known = self._cache.find(whole.hexdigest(), reading)
        if known is not None and [each.name for each in known] == [each.name for each in tables]:
            return known
        joined = find()
        self._cache.keep(whole.hexdigest(), reading, joined)
        return joined
