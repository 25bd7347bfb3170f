"""Rows of a vector store in LanceDB: a local folder, or a bucket of S3 by its own object store."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from flows.config.redaction import redact
from flows.core.memory import Embedder
from flows.core.vector_store import Scalar
from flows.errors import RecallError
from flows.memory.chroma import EMBEDDER_KEY
from flows.memory.ranking import KeywordIndex
from flows.memory.vectors.engine import (
    MOST_INDEXED,
    NearRow,
    RowFilter,
    VectorRow,
    VectorTable,
)
from flows.memory.vectors.search import indexed

if TYPE_CHECKING:
    from lancedb.db import DBConnection
    from lancedb.table import Table

T = TypeVar("T")
TIME: Final = "timestamp"
_STRANGERS: Final = 200
_NOT_FOUND: Final = "was not found"  # of a table; its library has no error of its own for that
_NAMED_AT_ONCE: Final = 1_000
# Each write makes a version with files of its own; so many are made one, and what is older goes.
_VERSIONS: Final = 50
_KEPT: Final = timedelta(hours=1)
_SHOWN: Final = ["id", "text", "metadata", "_distance"]


class LanceTable:
    """A table, in the thread of its engine."""

    def __init__(self, table: Table, known: dict[int, KeywordIndex]) -> None:
        self._table = table
        self._known = known

    def put(self, rows: Sequence[VectorRow]) -> None:
        if not rows:
            return
        given = _arrow(rows, self._table.schema)
        merge = self._table.merge_insert("key").when_matched_update_all()
        merge.when_not_matched_insert_all().execute(given)
        if self._table.version % _VERSIONS == 0:
            self._table.optimize(cleanup_older_than=_KEPT)

    def remove(self, which: RowFilter, ids: Sequence[str]) -> int:
        gone = 0
        for sql in [*_named(ids), *([condition(which)] if which else [])]:
            there = self._table.count_rows(sql)
            if there:
                self._table.delete(sql)
            gone += there
        return gone

    def nearest(self, vector: Sequence[float], limit: int, which: RowFilter) -> list[NearRow]:
        return self._near(vector, limit, condition(which) if which else "")

    def rows(self, ids: Sequence[str], vector: Sequence[float]) -> list[NearRow]:
        return [
            each
            for sql in _named(ids)
            for each in self._near(vector, min(len(ids), _NAMED_AT_ONCE), sql)
        ]

    def ids(self, which: RowFilter) -> set[str]:
        query = self._table.search().select(["id"])
        found = query.where(condition(which)) if which else query
        ids = found.limit(self._table.count_rows()).to_arrow().column("id")
        return {str(each) for each in ids.to_pylist()}

    def keywords(self) -> KeywordIndex:
        version, total = self._table.version, self._table.count_rows()
        if total > MOST_INDEXED:
            return KeywordIndex()
        if version not in self._known:
            rows = self._table.search().select(["id", "text"]).limit(total).to_arrow().to_pylist()
            self._known.clear()
            self._known[version] = KeywordIndex(
                (each["id"], indexed(each["id"], each["text"])) for each in rows
            )
        return self._known[version]

    def some_distances(self, vector: Sequence[float]) -> list[float]:
        some = self._table.search().select(["key"]).limit(_STRANGERS).to_arrow()
        keys = ", ".join(f"'{each}'" for each in some.column("key").to_pylist())
        near = self._near(vector, _STRANGERS, f"key IN ({keys})")
        return [each.distance for each in near]

    def count(self) -> int:
        return int(self._table.count_rows())

    def _near(self, vector: Sequence[float], limit: int, sql: str) -> list[NearRow]:
        # Its types do not say that a search for a vector is one for the nearest.
        query: Any = self._table.search(list(vector), vector_column_name="vector")
        query = query.distance_type("cosine").select(_SHOWN).limit(limit)
        if sql:
            query = query.where(sql, prefilter=True)
        return [
            NearRow(
                each["id"],
                each["text"],
                json.loads(each["metadata"]),
                # A vector of zeros has no direction, and no distance.
                1.0 if each["_distance"] is None else max(0.0, float(each["_distance"])),
            )
            for each in query.to_arrow().to_pylist()
        ]


class LanceEngine:
    """A table of a LanceDB. Several processes may use it: each reads its newest version."""

    def __init__(
        self, where: str, table: str, embedder: Embedder, options: Mapping[str, str]
    ) -> None:
        self._where = where
        self._name = table
        self._embedder = embedder
        self._options = dict(options)
        self._known: dict[int, KeywordIndex] = {}
        self._table: Table | None = None
        self._worker: ThreadPoolExecutor | None = None

    async def is_there(self) -> bool:
        return await self._work(lambda: self._opened(make=False) is not None)

    async def run(self, work: Callable[[VectorTable], T]) -> T:
        def do() -> T:
            table = self._opened(make=True)
            assert table is not None
            return work(LanceTable(table, self._known))

        return await self._work(do)

    async def aclose(self) -> None:
        worker, self._worker = self._worker, None
        self._table = None
        self._known.clear()
        if worker is not None:
            await asyncio.to_thread(worker.shutdown)

    async def _work(self, work: Callable[[], T]) -> T:
        if self._worker is None:
            self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="lance")
        try:
            return await asyncio.get_running_loop().run_in_executor(self._worker, work)
        except RecallError:
            raise
        except Exception as error:
            # Its library raises RuntimeError, ValueError, OSError and its own.
            said = str(error).splitlines()[0] if str(error) else ""
            raise RecallError(
                redact(f"LanceDB failed in {self._where}: {type(error).__name__}: {said}")
            ) from error

    def _opened(self, *, make: bool) -> Table | None:
        if self._table is None:
            if not make and self._is_no_folder():
                return None  # connecting would make it
            connection = self._connection()
            try:
                table = connection.open_table(self._name)
            except ValueError as error:
                if _NOT_FOUND not in str(error):
                    raise
                if not make:
                    return None
                schema = _schema(self._embedder)
                table = connection.create_table(self._name, schema=schema, exist_ok=True)
            self._check(table)
            self._table = table
        return self._table

    def _is_no_folder(self) -> bool:
        return "://" not in self._where and not Path(self._where).exists()

    def _connection(self) -> DBConnection:
        import lancedb

        return lancedb.connect(
            self._where,
            read_consistency_interval=timedelta(0),
            storage_options=self._options or None,
        )

    def _check(self, table: Table) -> None:
        """Errors: `RecallError` for a table of another embedder."""
        theirs = (table.schema.metadata or {}).get(EMBEDDER_KEY.encode(), b"").decode()
        if theirs != self._embedder.name:
            raise RecallError(
                f"the store in {self._where} was written with the embedder {theirs or 'of others'};"
                f" this one has {self._embedder.name}. Vectors of two embedders cannot be compared:"
                " use the first one again, or name another store"
            )


def condition(which: RowFilter) -> str:
    """The filter in SQL. Errors: `RecallError` for a bound of anything but the time."""
    parts = [
        "(" + " OR ".join(f"array_has(tags, {_tag(key, each)})" for each in values) + ")"
        for key, values in which.equal.items()
    ]
    for bounds, sign in ((which.least, ">="), (which.most, "<=")):
        for key, bound in bounds.items():
            if key != TIME:
                raise RecallError(f"LanceDB keeps no numbers of {key!r} to compare")
            parts.append(f"moment {sign} {bound!r}")
    whole = " AND ".join(parts)
    if which.unless_without:
        return f"({whole}) OR NOT array_has(tags, {_tag(which.unless_without, True)})"
    return whole


def _named(ids: Sequence[str]) -> list[str]:
    """The rows of the ids, in SQL, so many at a time."""
    keys = [_key(each) for each in dict.fromkeys(ids)]
    return [
        "key IN ({})".format(", ".join(f"'{each}'" for each in keys[at : at + _NAMED_AT_ONCE]))
        for at in range(0, len(keys), _NAMED_AT_ONCE)
    ]


def _key(id_: str) -> str:
    """What a row is known by in SQL, whatever is in its id."""
    return hashlib.sha256(id_.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _tag(key: str, value: Scalar) -> str:
    """A pair of the metadata as a text of SQL; as JSON it is ASCII without control characters."""
    return "'" + json.dumps([key, value]).replace("'", "''") + "'"


def _schema(embedder: Embedder) -> Any:
    import pyarrow as pa

    fields = {
        "key": pa.string(),
        "id": pa.string(),
        "text": pa.string(),
        "metadata": pa.string(),
        "tags": pa.list_(pa.string()),
        "moment": pa.float64(),
        "vector": pa.list_(pa.float32(), embedder.dimension),
    }
    return pa.schema(list(fields.items()), metadata={EMBEDDER_KEY: embedder.name})


def _arrow(rows: Sequence[VectorRow], schema: Any) -> Any:
    import pyarrow as pa

    last = {each.id: each for each in rows}
    made = [
        {
            "key": _key(each.id),
            "id": each.id,
            "text": each.text,
            "metadata": json.dumps(dict(each.metadata)),
            "tags": [json.dumps([key, value]) for key, value in each.metadata.items()],
            "moment": moment if isinstance(moment := each.metadata.get(TIME), float) else None,
            "vector": list(each.vector),
        }
        for each in last.values()
    ]
    return pa.Table.from_pylist(made, schema=schema)
