"""Entities in a SQLite file, for those who run no server."""

from __future__ import annotations

import json
import sqlite3
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, Final

from flows.core.entity_store import EntityKey, EntityNeighbour, EntityRecord, EntityType
from flows.errors import StoreError
from flows.memory.entities.engine import (
    LOADING_SECONDS,
    SAMPLE,
    EntityLoading,
    from_json,
    to_json,
    type_of,
)
from flows.memory.entities.keys import normal_form

# A type's entities have its generation. To load a type anew writes another generation, and then
# changes the one number that says which counts. What is put or removed meanwhile is changed in
# both, and noted, so that what is loaded does not undo it.
TABLES: Final = """
CREATE TABLE IF NOT EXISTS types (
  name TEXT PRIMARY KEY, hint TEXT NOT NULL, generation INTEGER NOT NULL, letters TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS entities (
  generation INTEGER, key TEXT, form TEXT, record TEXT, expires REAL, PRIMARY KEY (generation, key)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS entities_form ON entities (generation, form);
CREATE INDEX IF NOT EXISTS entities_expires ON entities (expires) WHERE expires IS NOT NULL;
CREATE TABLE IF NOT EXISTS relations (
  target TEXT, generation INTEGER, name TEXT, key TEXT, target_type TEXT,
  PRIMARY KEY (target, generation, name, key, target_type)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS relations_key ON relations (generation, key);
CREATE TABLE IF NOT EXISTS loadings (
  type TEXT PRIMARY KEY, token TEXT, generation INTEGER, letters TEXT, used REAL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS changed (
  generation INTEGER, key TEXT, PRIMARY KEY (generation, key)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS generations (generation INTEGER PRIMARY KEY AUTOINCREMENT);
"""
_LIVE: Final = "entities e JOIN types t ON t.generation = e.generation"
# Without statistics SQLite would rather read all of a generation.
_BY_FORM: Final = "types t JOIN entities e INDEXED BY entities_form ON t.generation = e.generation"
_UNEXPIRED: Final = "(e.expires IS NULL OR e.expires > ?)"
_OF_TYPES: Final = "(? = '[]' OR t.name IN (SELECT value FROM json_each(?)))"
_DELETED_AT_ONCE: Final = 10_000
_FEW: Final = 5
# A million entities are about half a gigabyte: less, and writing them in no order reads pages again
# and again (three times the time of a load).
_CACHE_KB: Final = 64_000
_MAPPED: Final = 2**30
_PAGES_WRITTEN: Final = 10_000


class SQLiteEngine:
    """The entities of a file, which several processes may use at once.

    The file is made with the first write. Readers are never kept waiting by a writer; a writer
    waits for another for `wait_s` at most.
    """

    def __init__(self, path: Path, wait_s: float = 30.0) -> None:
        self._path = path
        self._wait = wait_s
        self._lock = Lock()
        self._writing = Lock()
        self._reader: sqlite3.Connection | None = None
        self._writer: sqlite3.Connection | None = None

    def records(self, keys: Sequence[str], types: Sequence[str]) -> list[str]:
        named = json.dumps(list(types))
        sql = (
            f"SELECT e.record FROM {_LIVE} WHERE e.key IN (SELECT value FROM json_each(?))"
            f" AND {_UNEXPIRED} AND {_OF_TYPES}"
        )
        rows = self._read(sql, json.dumps(list(keys)), time.time(), named, named)
        return [record for (record,) in rows]

    def with_forms(self, forms: Sequence[str]) -> list[EntityKey]:
        sql = (
            f"SELECT t.name, e.key FROM {_BY_FORM} WHERE e.form IN (SELECT value FROM json_each(?))"
            f" AND {_UNEXPIRED} LIMIT ?"
        )
        rows = self._read(sql, json.dumps(list(forms)), time.time(), _FEW * max(1, len(forms)))
        return [EntityKey(type=type_, key=key) for type_, key in rows]

    def with_beginning(self, form: str, limit: int) -> list[EntityKey]:
        sql = (
            f"SELECT t.name, e.key FROM {_BY_FORM} WHERE e.form >= ? AND e.form < ?"
            f" AND {_UNEXPIRED} ORDER BY e.form LIMIT ?"
        )
        rows = self._read(sql, form, form + "\U0010ffff", time.time(), limit)
        return [EntityKey(type=type_, key=key) for type_, key in rows]

    def letters(self) -> str:
        return "".join(sorted({each for (text,) in self._read(
            "SELECT letters FROM types") for each in text}))  # fmt: skip

    def related(
        self, key: str, types: Sequence[str], relation: str, limit: int
    ) -> tuple[list[str], list[EntityNeighbour]]:
        named, now = json.dumps(list(types)), time.time()
        owners = f"SELECT t.name, e.record FROM {_LIVE} WHERE e.key = ? AND {_UNEXPIRED}"
        owners = f"{owners} AND {_OF_TYPES}"
        sql = (
            f"WITH owners(name, record) AS MATERIALIZED ({owners}), others AS ("
            "SELECT r.name AS relation, r.key AS key, t.name AS type FROM relations r"
            " JOIN types t ON t.generation = r.generation JOIN entities e"
            " ON e.generation = r.generation AND e.key = r.key WHERE r.target = ?"
            " AND EXISTS (SELECT 1 FROM owners)"
            " AND (r.target_type = '' OR r.target_type IN (SELECT name FROM owners))"
            f" AND (? = '' OR r.name = ?) AND {_UNEXPIRED} ORDER BY r.name, t.name, r.key LIMIT ?)"
            " SELECT record, NULL, NULL FROM owners"
            " UNION ALL SELECT relation, key, type FROM others"
        )
        given = (key, now, named, named, key, relation, relation, now, limit)
        records: list[str] = []
        others: list[EntityNeighbour] = []
        for first, other, type_ in self._read(sql, *given):
            if type_ is None:
                records.append(first)
            else:
                others.append(
                    EntityNeighbour(relation=first, direction="from", key=other, type=type_)
                )
        others.sort(key=lambda each: (each.relation, each.type, each.key))
        return records, others

    def types(self) -> list[EntityType]:
        found = []
        for name, hint, generation in self._read(
            "SELECT name, hint, generation FROM types ORDER BY name"
        ):
            where = f"FROM entities e WHERE e.generation = ? AND {_UNEXPIRED}"
            [(count,)] = self._read(f"SELECT count(*) {where}", generation, time.time())
            some = self._read(f"SELECT record {where} LIMIT ?", generation, time.time(), SAMPLE)
            records = [from_json(record) for (record,) in some]
            found.append(type_of(name, hint, count, records))
        return found

    def put(self, records: Sequence[EntityRecord], ttl_s: float | None) -> None:
        with self._write() as writer:
            for type_ in dict.fromkeys(each.type for each in records):
                own = [each for each in records if each.type == type_]
                if not writer.execute("SELECT 1 FROM types WHERE name = ?", (type_,)).fetchone():
                    writer.execute(
                        "INSERT INTO types VALUES (?, '', ?, '')", (type_, _next_generation(writer))
                    )
                [(generation, letters)] = writer.execute(
                    "SELECT generation, letters FROM types WHERE name = ?", (type_,)
                )
                _insert(writer, generation, own, ttl_s)
                known = _letters_of(own, letters)
                writer.execute("UPDATE types SET letters = ? WHERE name = ?", (known, type_))
                _put_in_loading(writer, type_, own, ttl_s)

    def remove(self, keys: Sequence[EntityKey]) -> int:
        with self._write() as writer:
            gone = 0
            for each in keys:
                where = (each.type, each.key)
                of_type = "generation = (SELECT generation FROM types WHERE name = ?) AND key = ?"
                gone += writer.execute(f"DELETE FROM entities WHERE {of_type}", where).rowcount
                writer.execute(f"DELETE FROM relations WHERE {of_type}", where)
                _remove_from_loading(writer, each)
            return gone

    def begin(self, type_: str) -> EntityLoading:
        token = uuid.uuid4().hex
        with self._write() as writer:
            other = writer.execute(
                "SELECT generation, used FROM loadings WHERE type = ?", (type_,)
            ).fetchone()
            if other is not None and time.time() - other[1] < LOADING_SECONDS:
                raise StoreError(
                    f"entities of the type {type_} are being loaded into {self._path} by another"
                    " process; wait until it has ended"
                )
            generation = _next_generation(writer)
            writer.execute(
                "INSERT OR REPLACE INTO loadings VALUES (?, ?, ?, '', ?)",
                (type_, token, generation, time.time()),
            )
        self._clear()
        return EntityLoading(type_, token, generation)

    def write(
        self, loading: EntityLoading, records: Sequence[EntityRecord], ttl_s: float | None
    ) -> None:
        with self._write() as writer:
            letters = _letters_of(records, _held(writer, loading))
            changed = _changed(writer, loading.generation)
            own = [each for each in records if each.key not in changed]
            _insert(writer, loading.generation, own, ttl_s)
            writer.execute(
                "UPDATE loadings SET letters = ?, used = ? WHERE token = ?",
                (letters, time.time(), loading.token),
            )

    def swap(self, loadings: Sequence[tuple[EntityLoading, str]]) -> list[int]:
        counts = []
        with self._write() as writer:
            for loading, hint in loadings:
                letters = _held(writer, loading)
                writer.execute(
                    "INSERT OR REPLACE INTO types VALUES (?, ?, ?, ?)",
                    (loading.type, hint, loading.generation, letters),
                )
                writer.execute("DELETE FROM loadings WHERE token = ?", (loading.token,))
                writer.execute("DELETE FROM changed WHERE generation = ?", (loading.generation,))
                [(count,)] = writer.execute(
                    "SELECT count(*) FROM entities WHERE generation = ?", (loading.generation,)
                )
                counts.append(int(count))
        self._clear()
        return counts

    def discard(self, loading: EntityLoading) -> None:
        with self._write() as writer:
            writer.execute("DELETE FROM loadings WHERE token = ?", (loading.token,))
        self._clear()

    def close(self) -> None:
        with self._lock, self._writing:
            for each in (self._reader, self._writer):
                if each is not None:
                    each.close()
            self._reader = self._writer = None

    def _clear(self) -> None:
        """Delete the generations that nobody sees or loads, some rows at a time, so that others can
        write in between, and the entities that have expired."""
        used = "SELECT generation FROM types UNION SELECT generation FROM loadings"
        with self._write() as writer:
            _expire(writer)
            unseen = [
                generation
                for (generation,) in writer.execute(
                    f"SELECT generation FROM generations WHERE generation NOT IN ({used})"
                )
            ]
        for generation in unseen:
            for table in ("relations", "entities"):
                while self._delete_some(table, generation):
                    pass
            with self._write() as writer:
                writer.execute("DELETE FROM changed WHERE generation = ?", (generation,))
                writer.execute("DELETE FROM generations WHERE generation = ?", (generation,))

    def _delete_some(self, table: str, generation: int) -> bool:
        """Delete rows of a generation. Returns whether there may be more."""
        some = f"SELECT key FROM {table} WHERE generation = ? ORDER BY key LIMIT ?"
        with self._write() as writer:
            gone = writer.execute(
                f"DELETE FROM {table} WHERE generation = ? AND key IN ({some})",
                (generation, generation, _DELETED_AT_ONCE),
            )
            return gone.rowcount >= _DELETED_AT_ONCE

    def _read(self, sql: str, *given: object) -> list[tuple[Any, ...]]:
        """The rows of a query; none of a file that nobody has written. Errors: `StoreError`."""
        with self._lock:
            try:
                if self._reader is None:
                    if not self._path.exists():
                        return []
                    self._reader = self._open()
                return self._reader.execute(sql, given).fetchall()
            except sqlite3.Error as error:
                raise StoreError(f"the entities of {self._path} cannot be read: {error}") from error

    @contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        """A transaction. Errors: `StoreError`."""
        with self._writing:
            try:
                if self._writer is None:
                    self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                    self._writer = self._open()
                self._writer.execute("BEGIN IMMEDIATE")
                with self._writer:
                    yield self._writer
            except (sqlite3.Error, OSError) as error:
                is_busy = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY
                why = f"another process has been writing for {self._wait:g} s" if is_busy else error
                raise StoreError(f"{self._path} cannot be written: {why}") from error

    def _open(self) -> sqlite3.Connection:
        opened = sqlite3.connect(
            self._path, timeout=self._wait, isolation_level=None, check_same_thread=False
        )
        try:
            opened.execute("PRAGMA journal_mode = WAL")
            opened.execute("PRAGMA synchronous = NORMAL")
            opened.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
            opened.execute(f"PRAGMA mmap_size = {_MAPPED}")
            opened.execute(f"PRAGMA wal_autocheckpoint = {_PAGES_WRITTEN}")
            opened.executescript(TABLES)
        except BaseException:
            opened.close()
            raise
        return opened


def _held(writer: sqlite3.Connection, loading: EntityLoading) -> str:
    """The letters that the loading has seen. Errors: `StoreError` where it was taken over."""
    row = writer.execute(
        "SELECT letters FROM loadings WHERE token = ?", (loading.token,)
    ).fetchone()
    if row is None:
        raise StoreError(
            f"another process began to load the type {loading.type} anew, since this one had"
            f" written nothing for {LOADING_SECONDS:g} s"
        )
    return str(row[0])


def _put_in_loading(
    writer: sqlite3.Connection, type_: str, records: Sequence[EntityRecord], ttl_s: float | None
) -> None:
    """Put the records among those that are being loaded of the type, if it is loaded anew."""
    found = writer.execute(
        "SELECT generation, letters FROM loadings WHERE type = ?", (type_,)
    ).fetchone()
    if found is not None:
        generation, letters = found
        _insert(writer, generation, records, ttl_s)
        keys = [(generation, each.key) for each in records]
        writer.executemany("INSERT OR IGNORE INTO changed VALUES (?, ?)", keys)
        known = _letters_of(records, letters)
        writer.execute("UPDATE loadings SET letters = ? WHERE type = ?", (known, type_))


def _remove_from_loading(writer: sqlite3.Connection, entity: EntityKey) -> None:
    """Leave the entity out of what is being loaded of its type."""
    of_type = "generation = (SELECT generation FROM loadings WHERE type = ?) AND key = ?"
    for table in ("entities", "relations"):
        writer.execute(f"DELETE FROM {table} WHERE {of_type}", (entity.type, entity.key))
    writer.execute(
        "INSERT OR IGNORE INTO changed SELECT generation, ? FROM loadings WHERE type = ?",
        (entity.key, entity.type),
    )


def _changed(writer: sqlite3.Connection, generation: int) -> frozenset[str]:
    """The keys that were put or removed while the generation is loaded."""
    rows = writer.execute("SELECT key FROM changed WHERE generation = ?", (generation,))
    return frozenset(key for (key,) in rows)


def _next_generation(writer: sqlite3.Connection) -> int:
    number = writer.execute("INSERT INTO generations DEFAULT VALUES").lastrowid
    assert number is not None
    return number


def _insert(
    writer: sqlite3.Connection,
    generation: int,
    records: Sequence[EntityRecord],
    ttl_s: float | None,
) -> None:
    expires = None if ttl_s is None else time.time() + ttl_s
    last = {each.key: each for each in records}
    keys = [(generation, key) for key in last]
    writer.executemany("DELETE FROM relations WHERE generation = ? AND key = ?", keys)
    writer.executemany(
        "INSERT OR REPLACE INTO entities VALUES (?, ?, ?, ?, ?)",
        ((generation, key, normal_form(key), to_json(each), expires) for key, each in last.items()),
    )
    writer.executemany(
        "INSERT OR IGNORE INTO relations VALUES (?, ?, ?, ?, ?)",
        (
            (each.key, generation, each.name, key, each.type)
            for key, record in last.items()
            for each in record.relations
        ),
    )


def _expire(writer: sqlite3.Connection) -> None:
    now = (time.time(),)
    expired = "SELECT generation, key FROM entities WHERE expires <= ?"
    writer.execute(f"DELETE FROM relations WHERE (generation, key) IN ({expired})", now)
    writer.execute("DELETE FROM entities WHERE expires <= ?", now)


def _letters_of(records: Sequence[EntityRecord], known: str) -> str:
    return "".join(sorted(set(known).union(*(normal_form(each.key) for each in records))))
