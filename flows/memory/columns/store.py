"""A columnar store: records of one kind, appended as Parquet and asked in words."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from flows.core.observation import Cell
from flows.data.profiles.cache import PROFILES
from flows.errors import StoreError
from flows.memory.agent import StoreAgent, agent_of
from flows.memory.columns.answer import StoreAnswer
from flows.memory.columns.catalog import StoreCatalog
from flows.memory.columns.entity import ColumnarEntity, schema_of
from flows.memory.columns.files import files_of
from flows.memory.columns.function import ColumnarFunction, describe_store
from flows.memory.columns.manifest import StoreFile, StoreVersion, commit, read_version
from flows.memory.columns.records import (
    cast_table,
    cell_of,
    parts_of,
    schema_of_table,
    table_of_records,
)
from flows.memory.columns.schema import StoreSchema, evolve
from flows.memory.columns.search import StoreReader
from flows.semantics.request import Request

if TYPE_CHECKING:
    import pyarrow

FOLDER: Final = ".flows/stores"
CACHE: Final = ".flows/stores-cache"
LIMIT: Final = 1_000
_MOST_ROWS: Final = 100_000


class ColumnarStore:
    """Records of one kind, kept as Parquet below `folder/NAMESPACE/NAME` (a local folder, or
    `s3://bucket/folder`) and asked in words:

        store = ColumnarStore(Order, folder="stores")
        store.append([Order(id="o-1", year=2024, amount=19.5)])
        store("What was the revenue in 2024?").text

    `what` is an entity class, or the id of a store that is there, as in "sales/orders". Questions
    become typed requests by the rules of `flows ask`, and DuckDB answers them in a child process;
    it sees one version of the store, the latest when the question is asked. All methods block and
    may be called from any thread. Errors: `StoreError`; of questions also `SourceError`,
    `QueryRefused` and `QueryFailed`.
    """

    def __init__(
        self,
        what: type[ColumnarEntity] | StoreSchema | str,
        folder: str | Path = FOLDER,
        *,
        partition: Mapping[str, Cell] | None = None,
        cache: str | Path = CACHE,
        profiles: Path | None = PROFILES,
        endpoint: str = "",
        region: str = "",
        timeout_s: float = 30.0,
    ) -> None:
        self._entity = what if isinstance(what, type) else None
        self._declared: StoreSchema | None = None
        if isinstance(what, StoreSchema):
            self._declared = what
        elif isinstance(what, type):
            self._declared = schema_of(what)
        self.id = what if isinstance(what, str) else _declared_id(self._declared)
        self.files = files_of(folder, self.id, Path(cache), endpoint, region)
        self.partition = dict(partition or {})
        self._profiles = profiles
        self._seconds = timeout_s
        self._lock = threading.Lock()
        self._open: tuple[int, StoreCatalog, StoreReader] | None = None
        self._again: Callable[[Mapping[str, Cell]], ColumnarStore] = lambda part: ColumnarStore(
            what, folder, partition=part, cache=cache, profiles=profiles, endpoint=endpoint,
            region=region, timeout_s=timeout_s,
        )  # fmt: skip

    @property
    def schema(self) -> StoreSchema:
        """The schema of the records that are kept; before there are any, that of the class."""
        version = read_version(self.files)
        if version is not None:
            return version.store
        if self._declared is None:
            raise StoreError(f"{self.files.address}: there is no store {self.id}")
        return self._declared

    def __len__(self) -> int:
        """How many records there are."""
        return sum(each.rows for each in self._files(read_version(self.files)))

    def partitions(self) -> tuple[Mapping[str, Cell], ...]:
        """The values of the partitions that hold records, in the order of their first append."""
        found = {repr(each.partition): each.partition
                 for each in self._files(read_version(self.files))}  # fmt: skip
        return tuple(found.values())

    def part(self, partition: Mapping[str, Cell]) -> ColumnarStore:
        """The store seen through the records of some partitions, as in `{"year": 2024}`: only
        their files are read. Errors: `StoreError` for a column that is no partition."""
        schema = self.schema
        for name in partition:
            if name not in schema.partitions:
                allowed = ", ".join(schema.partitions) or "none"
                raise StoreError(f"{self.id} is not parted by {name!r} (partitions: {allowed})")
        return self._again({**self.partition, **partition})

    def append(self, records: Sequence[ColumnarEntity], *, key: str = "") -> int:
        """Add records, all of them or, after an error, none. Returns how many were added: none
        where an append with this `key` was made before, so that it can be tried again.

        The records' class may have new columns, or wider ones, than the store has; `StoreError`
        names those that would become narrower.
        """
        declared = self._schema_of_records(records)
        rows = [dict(each) for each in records]

        def change(schema: StoreSchema | None, holds: bool) -> tuple[StoreSchema, Any]:
            after = declared if schema is None else evolve(schema, declared, holds_records=holds)
            return after, table_of_records(after, rows)

        return self._write(change, key)

    def append_table(self, table: pyarrow.Table, *, key: str = "") -> int:
        """As `append`, for an Arrow table: what a column holds is made as wide as the store's."""

        def change(schema: StoreSchema | None, holds: bool) -> tuple[StoreSchema, Any]:
            del holds
            after = schema_of_table(schema or self.schema, table)
            return after, cast_table(after, table)

        return self._write(change, key)

    def replace(self, records: Sequence[ColumnarEntity]) -> int:
        """Keep these records in place of all, or of all in the partition that the store is seen
        through; readers see the earlier ones or these. Returns how many there are."""
        declared = self._schema_of_records(records)
        rows = [dict(each) for each in records]

        def change(schema: StoreSchema | None, holds: bool) -> tuple[StoreSchema, Any]:
            rest = holds and bool(self.partition)
            after = declared if schema is None else evolve(schema, declared, holds_records=rest)
            return after, self._checked(table_of_records(after, rows))

        return self._write(change, "", instead=True)

    def compact(self) -> int:
        """Write the records of each partition into one file. Returns how many files there are."""
        table = self.load()

        def change(before: StoreVersion | None) -> StoreVersion | None:
            if before is None or tuple(before.files) != files:
                return None
            return before.model_copy(update={"files": made})

        version = read_version(self.files)
        files = () if version is None else version.files
        if version is None or self.partition or len(files) < 2:
            return len(files)
        made = self._created(version.store, table)
        if commit(self.files, change) is None:
            raise StoreError(f"{self.id} was changed while it was compacted; try again")
        return len(made)

    def load(self) -> pyarrow.Table:
        """All records as an Arrow table, of the store's schema."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        schema = self.schema
        found = self._files(read_version(self.files))
        paths = [self.files.local(each.name, each.bytes) for each in found]
        tables = [cast_table(schema, pq.ParquetFile(each).read()) for each in paths]
        return pa.concat_tables(tables) if tables else table_of_records(schema, [])

    def records(self) -> list[ColumnarEntity]:
        """All records as entities. Errors: `StoreError` where the store has no class."""
        if self._entity is None:
            raise StoreError(f"{self.id} was opened without its class: use load()")
        entity, fields = self._entity, self._entity.model_fields
        return [
            entity.model_validate({name: value for name, value in row.items()
                                   if value is not None or fields[name].is_required()})
            for row in self.load().select([n for n in fields if n in self.schema.names]).to_pylist()
        ]  # fmt: skip

    def run_search(
        self, question: str = "", *, sql: str = "", request: Request | None = None,
        limit: int = LIMIT,
    ) -> StoreAnswer:  # fmt: skip
        """The answer to a question in words, to a typed request, or to one SELECT over the table,
        with `limit` rows at most."""
        if not 1 <= limit <= _MOST_ROWS:
            raise StoreError(f"limit is {limit}; allowed: 1 to {_MOST_ROWS:,}")
        reader = self.reader()
        if reader is None:
            return StoreAnswer(store=self.id, status="empty", text=f"{self.id} has no records.",
                               confidence=1.0)  # fmt: skip
        if request is not None:
            return reader.answer_request(request, limit)
        return reader.answer_sql(sql, limit) if sql.strip() else reader.answer(question, limit)

    __call__ = run_search

    def as_function(self, name: str = "", namespace: str = "") -> ColumnarFunction:
        """The store as a function that an agent may call with a question: `search_NAME` in the
        store's namespace, if it is not named. Its description says which columns and values there
        are now, so this reads the store."""
        return ColumnarFunction(self, describe_store(self, name, namespace))

    def as_agent(self, model: str | None = None) -> StoreAgent:
        """An agent that has only this store: `store.as_agent()("a question").answer`."""
        return agent_of(self.as_function(), model)

    def reader(self) -> StoreReader | None:
        """Who reads questions over the latest version; None where there are no records."""
        version = read_version(self.files)
        files = self._files(version)
        if version is None or not files:
            return None
        with self._lock:
            if self._open is None or self._open[0] != version.number:
                self._close()
                paths = [self.files.local(each.name, each.bytes) for each in files]
                catalog = StoreCatalog(version.store, self.files.address, paths, self._profiles)
                reader = StoreReader(version.store, catalog, self._seconds)
                self._open = (version.number, catalog, reader)
            return self._open[2]

    def close(self) -> None:
        """End the process that answers questions. The next question starts another."""
        with self._lock:
            self._close()

    def __enter__(self) -> ColumnarStore:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _close(self) -> None:
        if self._open is not None:
            self._open[1].close()
            self._open = None

    def _files(self, version: StoreVersion | None) -> tuple[StoreFile, ...]:
        """The files of a version that the store is seen through."""
        wanted = self.partition.items()
        files = () if version is None else version.files
        return tuple(each for each in files if wanted <= dict(each.partition).items())

    def _schema_of_records(self, records: Sequence[ColumnarEntity]) -> StoreSchema:
        classes = {type(each) for each in records}
        if len(classes) > 1:
            names = ", ".join(sorted(each.__name__ for each in classes))
            raise StoreError(f"{self.id}: records of one class are kept at once, not of {names}")
        schema = schema_of(classes.pop()) if classes else self._declared or self.schema
        if schema.id != self.id:
            raise StoreError(f"{self.id} does not keep records of {schema.id}")
        return schema

    def _write(
        self,
        change: Callable[[StoreSchema | None, bool], tuple[StoreSchema, Any]],
        key: str,
        *,
        instead: bool = False,
    ) -> int:
        """Commit what a change makes of the schema, with the files of its table."""
        written: dict[str, tuple[StoreFile, ...]] = {}
        count = 0

        def next_version(before: StoreVersion | None) -> StoreVersion | None:
            nonlocal count
            if before is not None and key and key in before.keys:
                count = 0
                return None
            known = None if before is None else before.store
            after, table = change(known, before is not None and before.rows > 0)
            count = table.num_rows
            mark = after.model_dump_json()  # written again only if another writer changed it
            if mark not in written:
                written[mark] = self._created(after, self._checked(table))
            kept = () if before is None else before.files
            if instead:
                gone = {each.name for each in self._files(before)}
                kept = tuple(each for each in kept if each.name not in gone)
            keys = () if before is None else before.keys
            return StoreVersion(
                store=after, files=(*kept, *written[mark]), keys=(*keys, *filter(None, [key]))
            )

        commit(self.files, next_version)
        return count

    def _checked(self, table: pyarrow.Table) -> pyarrow.Table:
        """Errors: `StoreError` for records of other partitions than the store is seen through."""
        for name, value in self.partition.items():
            others = [each for each in table[name].unique().to_pylist() if cell_of(each) != value]
            if others:
                raise StoreError(f"{self.id}: a record has {name} {others[0]!r}, not {value!r}")
        return table

    def _created(self, schema: StoreSchema, table: pyarrow.Table) -> tuple[StoreFile, ...]:
        made = []
        for file, content in parts_of(schema, table):
            self.files.create(file.name, content)
            made.append(file)
        return tuple(made)


def _declared_id(schema: StoreSchema | None) -> str:
    assert schema is not None
    return schema.id
