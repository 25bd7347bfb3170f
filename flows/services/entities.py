"""Entity stores as a person handles them: loading files, refreshing from data, looking up."""

from __future__ import annotations

import json
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from flows.build.names import builtin_registry
from flows.build.services import Services
from flows.build.trust import Trust
from flows.config.compose import compose
from flows.config.composition import Composed, raise_all
from flows.config.environment import read_variable
from flows.config.interval import Interval
from flows.config.json_faults import json_fault
from flows.config.redaction import remember
from flows.config.secret import Secret
from flows.config.validate import validate
from flows.core.entity_store import EntityRecord
from flows.data.catalog import Catalog
from flows.data.files.source_options import SourceOptions
from flows.data.query import export_query
from flows.errors import CommandError, ConfigError, Place, SourceError, UsageError, nearest
from flows.memory.entities.engine import (
    BATCH,
    EntityLoading,
    begun,
    in_batches,
    kept_alive,
)
from flows.memory.entities.stores import EngineStore, RedisEntityStore, SQLiteEntityStore
from flows.memory.entities.tables import EntityTable, RowCount, column_names, read_rows

LINES: Final = (".jsonl", ".ndjson")
PASSWORD: Final = "REDIS_PASSWORD"
_QUERY_SECONDS: Final = 600.0


class RefreshConfig(BaseModel):
    """The keys of a file that says how a store is refreshed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    entities: dict[str, Any] = Field(description="the store, as in a run file")
    data: dict[str, Secret | SourceOptions] = Field(description="data sources, as in a run file")
    types: tuple[EntityTable, ...] = Field(min_length=1, description="the types of entities")
    every: Interval | None = Field(
        default=None, description="refresh again and again, so long after the last began: 15m"
    )

    @model_validator(mode="after")
    def _of_one_type_once(self) -> RefreshConfig:
        names = [each.type for each in self.types]
        twice = next((each for each in names if names.count(each) > 1), None)
        if twice is not None:
            raise ValueError(f"the type {twice} is there twice; make it of one query")
        return self


@dataclass(frozen=True, slots=True)
class LoadedType:
    """What became of a type: the entities that there are now, of how many rows; and how many rows
    were left out, since they have no key."""

    type: str
    entities: int
    rows: int
    without_key: int
    seconds: float


def open_store(where: str) -> EngineStore:
    """The store of a path, or of an address such as redis://127.0.0.1:6379/0, whose password is
    taken from the environment or from `.env` if the address holds none. Errors: `UsageError`,
    `ConfigError`."""
    if "://" not in where:
        return SQLiteEntityStore(SQLiteEntityStore.Config(path=Path(where)))
    if not where.startswith(("redis://", "rediss://")):
        raise UsageError(f"{where}: a store is a file, or redis://HOST:PORT/DATABASE")
    password = None if "@" in where else read_variable(PASSWORD)
    address, _, name = where.partition("#")
    values = {"url": address, **({"name": name} if name else {})}
    if password:
        values["password"] = remember(password)
    try:
        return RedisEntityStore(RedisEntityStore.Config.model_validate(values))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise UsageError(f"{where}: {first['msg']}") from error
    except ImportError as error:
        raise UsageError(
            "a store in Redis needs a package that is not installed; run: pip install redis"
        ) from error


def read_lines(path: Path, type_: str) -> Iterator[EntityRecord]:
    """The entities of a file of JSON lines. `type_` is that of lines that name none. Errors:
    `ConfigError` with the line of what is wrong."""
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield _record(line, type_, Place(str(path), number))


def _record(line: str, type_: str, place: Place) -> EntityRecord:
    try:
        if not type_:
            return EntityRecord.model_validate_json(line)
        given = json.loads(line)
        with_type = {"type": type_, **given} if isinstance(given, dict) else given
        return EntityRecord.model_validate(with_type)
    except (ValueError, RecursionError) as error:
        if not isinstance(error, ValidationError):
            raise ConfigError(f"this is not JSON: {json_fault(error)}", place=place) from error
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ConfigError(first["msg"], place=place, path=where) from error


def check_lines(paths: Sequence[Path], type_: str) -> list[str]:
    """The types of the entities of files, all of whose lines are right. Errors: `ConfigError` for
    the first that is not; `UsageError` for a file that cannot be read, and where no line is."""
    found: dict[str, None] = {}
    for path in paths:
        if path.suffix not in LINES:
            raise UsageError(
                f"{path}: a file of entities is JSON lines and its name ends in"
                f" {' or '.join(LINES)}; flows entities refresh reads tables"
            )
        try:
            for record in read_lines(path, type_):
                found[record.type] = None
        except (OSError, UnicodeError) as error:
            said = error.strerror if isinstance(error, OSError) else error
            raise UsageError(f"{path} cannot be read: {said}") from error
    if not found:
        raise UsageError(f"there is no entity in {', '.join(map(str, paths))}; nothing was changed")
    return list(found)


def load_files(
    store: EngineStore,
    paths: Sequence[Path],
    *,
    type_: str = "",
    replace: bool = False,
    hint: str = "",
    ttl_s: float | None = None,
    on_batch: Callable[[int], None] = lambda _: None,
) -> list[LoadedType]:
    """Keep the entities of files of JSON lines: beside those that are there, or with `replace` in
    the place of all of their types, of all types at once. Nothing is written before all lines were
    found right. `on_batch` is told how many records were written. Errors: `ConfigError`,
    `UsageError`, `StoreError`; after one, or a kill, a replaced store is as it was before."""
    types, started, rows = check_lines(paths, type_), time.monotonic(), Counter[str]()

    def batches() -> Iterator[tuple[str, list[EntityRecord]]]:
        records = chain.from_iterable(read_lines(path, type_) for path in paths)
        for batch in in_batches(records, BATCH):
            for name in dict.fromkeys(record.type for record in batch):
                own = [record for record in batch if record.type == name]
                yield name, own
                rows[name] += len(own)
                on_batch(len(own))

    if replace:
        _replace_types(store, types, batches(), hint, ttl_s)
    else:
        for _, records in batches():
            store.engine.put(records, ttl_s)
    there = {found.name: found.count for found in store.engine.types()}
    seconds = time.monotonic() - started
    return [LoadedType(each, there.get(each, 0), rows[each], 0, seconds) for each in types]


def _replace_types(
    store: EngineStore,
    types: Sequence[str],
    batches: Iterable[tuple[str, list[EntityRecord]]],
    hint: str,
    ttl_s: float | None,
) -> None:
    """Put the records of the batches in the place of all entities of the types, at once for every
    reader. Errors: `StoreError`; `UsageError` for a record of another type."""
    with begun(store.engine, types) as loadings, kept_alive(store.engine, loadings):
        by_type = {each.type: each for each in loadings}
        for name, records in batches:
            if name not in by_type:
                raise UsageError(f"the files changed while they were read: there is a {name} now")
            store.engine.write(by_type[name], records, ttl_s)
        store.engine.swap([(each, hint) for each in loadings])


class EntityRefresh:
    """Brings a store up to date with data, as a file says. All types are replaced at once: a reader
    sees those of before or the new ones. What others put or remove in the store meanwhile stays.
    The same again comes to the same. Errors: `ConfigError` with places."""

    def __init__(
        self, path: Path, overrides: Sequence[str] = (), trust: Sequence[str] = ()
    ) -> None:
        known = tuple(RefreshConfig.model_fields)
        self._composed: Composed = compose(path, overrides, known=known)
        self.config = validate(RefreshConfig, self._composed.values, self._composed, ())
        base = path.absolute().parent
        registry = builtin_registry(trust, base)
        services = Services(self._composed, registry, base, trust=Trust(trust))
        store = services.make("entities", ("entities",), self.config.entities)
        assert isinstance(store, EngineStore)
        self.store = store
        self._catalog = services.catalog(self.config.data)

    def run(self) -> list[LoadedType]:
        """Read all tables, look whether they have the columns, load each type, and put them all in
        place."""
        engine, tables = self.store.engine, self.config.types
        with (
            self._catalog,
            tempfile.TemporaryDirectory(prefix="flows-entities-") as folder,
            begun(engine, [each.type for each in tables]) as loadings,
        ):
            with kept_alive(engine, loadings):
                made = self._exports(Path(folder))
            loaded = [
                self._load(table, file, loading)
                for table, file, loading in zip(tables, made, loadings, strict=True)
            ]
            hints = [each.hint for each in tables]
            counts = engine.swap(list(zip(loadings, hints, strict=True)))
        return [replace(each, entities=count) for each, count in zip(loaded, counts, strict=True)]

    def _exports(self, folder: Path) -> list[Path]:
        """The rows of each type as a file. Errors: `ConfigError`, also for columns that are
        missing."""
        tables = self.config.types
        made = [self._exported(number, table, folder) for number, table in enumerate(tables)]
        raise_all(
            [
                fault
                for number, (table, file) in enumerate(zip(tables, made, strict=True))
                for fault in self._faults(number, table, column_names(file))
            ]
        )
        return made

    def _exported(self, number: int, table: EntityTable, folder: Path) -> Path:
        """The rows of a table, or of a query's result, as a Parquet file."""
        at = ("types", number, "query" if table.query else "table")
        try:
            if table.table:
                return self._catalog.export(_spelt(self._catalog, table.table), folder)
            found = export_query(self._catalog, table.query, max_rows=1, timeout=_QUERY_SECONDS)
        except CommandError as error:
            raise self._composed.error(str(error), at) from error
        target = folder / f"query-{number}.parquet"
        target.write_bytes(found.parquet)
        return target

    def _faults(self, number: int, table: EntityTable, columns: list[str]) -> Iterator[ConfigError]:
        for at, name in table.columns().items():
            if name not in columns:
                yield self._composed.error(
                    f"there is no column {name!r}",
                    ("types", number, *at),
                    columns,
                    nearest(name, columns),
                )

    def _load(self, table: EntityTable, file: Path, loading: EntityLoading) -> LoadedType:
        """Write the entities of a type, which nobody sees yet."""
        started, count = time.monotonic(), RowCount()
        named = [table.key, *table.values, *table.columns().values()] if table.values else ()
        rows = read_rows(file, list(dict.fromkeys(named)))
        for batch in in_batches(count.records(table, rows)):
            self.store.engine.write(loading, batch, table.ttl_s)
        seconds = time.monotonic() - started
        return LoadedType(table.type, 0, count.rows, count.without_key, seconds)


def _spelt(catalog: Catalog, name: str) -> str:
    """The table of that name. Errors: `SourceError`, with the one that was probably meant."""
    known = [each.name for each in catalog.tables()]
    if name in known:
        return name
    meant = nearest(name, known)
    hint = f"; did you mean {meant}?" if meant else ""
    raise SourceError(f"there is no table {name!r}{hint} (tables: {', '.join(known) or 'none'})")
