"""PostgreSQL as an engine: each query on a connection of its own that can only read."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from flows.data.deadline import Deadline, too_slow
from flows.data.engines.arrow_rows import record_batches
from flows.data.engines.engine import QueryRows, Whole, take
from flows.data.engines.postgres_layouts import postgres_digest, postgres_layouts, postgres_warnings
from flows.data.engines.server_stop import CANCEL_SECONDS, CONNECT_SECONDS, shut, stopped_after
from flows.data.excerpt import excerpt
from flows.data.physical import quote_name, quote_table
from flows.data.profiles.profile import Declared, TableLayout
from flows.data.servers import ServerSource, without_driver
from flows.data.tables import ColumnType, Dialect
from flows.errors import QueryFailed, QueryRefused, SourceError

if TYPE_CHECKING:
    import psycopg
    import pyarrow

_FETCH_SECONDS = 300.0
# Names are looked up in pg_catalog only: tables carry their schema, and no function that somebody
# has made can stand in for one that the firewall knows.
_SETTINGS = {
    "default_transaction_read_only": "on",
    "search_path": "pg_catalog",
    "lock_timeout": "10s",
    "idle_in_transaction_session_timeout": "600s",
    "TimeZone": "UTC",
    "DateStyle": "ISO",
    "IntervalStyle": "postgres",
    "bytea_output": "hex",
    "standard_conforming_strings": "on",
    "max_parallel_workers_per_gather": "2",
}
# What Python has no exact value for, or a smaller range than the server: kept as the server says.
_AS_TEXT = (
    "date", "timestamp", "timestamptz", "time", "timetz", "interval", "json", "jsonb", "inet",
    "cidr", "int4range", "int8range", "numrange", "daterange", "tsrange", "tstzrange",
    "int4multirange", "int8multirange", "nummultirange", "datemultirange", "tsmultirange",
    "tstzmultirange",
)  # fmt: skip
_TYPES: dict[str, ColumnType] = {
    **dict.fromkeys(("int2", "int4", "int8", "oid"), "integer"),
    **dict.fromkeys(("numeric", "float4", "float8"), "real"),
    **dict.fromkeys(("text", "varchar", "bpchar", "name", "uuid", "citext", '"char"'), "text"),
    "bool": "boolean",
    "date": "date",
    **dict.fromkeys(("timestamp", "timestamptz"), "timestamp"),
    **dict.fromkeys(("time", "timetz"), "time"),
}
_MISSING_RIGHTS = "42501"
_CANCELLED = "57014"
_READ_ONLY = ("25006", "0A000", "42601")


class PostgresServer:
    """One database of a PostgreSQL server. Opening it reads what tables there are.

    A role that can only SELECT is the wall; read-only transactions, cursors that take nothing but
    queries, and timeouts stand before it. `warnings` say where that wall is missing. `hashes` are
    of the tables' shapes and of what the server counts of their changes (see `postgres_digest`):
    equal ones mean that very probably nothing was written in between.
    """

    dialect: Dialect = "postgres"

    def __init__(self, source: ServerSource) -> None:
        self._source = source
        self._lock = threading.Lock()
        self._own: psycopg.Connection[Any] | None = None
        try:
            self._types = self._read_types()
            self.layouts: Sequence[TableLayout] = postgres_layouts(source, self.fetch, _TYPES)
            self.warnings: Sequence[str] = postgres_warnings(source, self.fetch)
        except BaseException:
            self.close()
            raise

    @property
    def hashes(self) -> dict[str, str]:
        return {self._source.name: postgres_digest(self.layouts, self.fetch)}

    def fetch(self, sql: str) -> Sequence[tuple[Any, ...]]:
        """Run one of our own queries; on a new connection if the one that was kept has ended."""
        with self._lock:
            kept = self._own
            try:
                return self._fetch(sql)
            except SourceError:
                if kept is None or not kept.closed:
                    raise
            return self._fetch(sql)

    def _fetch(self, sql: str) -> Sequence[tuple[Any, ...]]:
        if self._own is None or self._own.closed:
            self._own = self._connect(_FETCH_SECONDS)
        connection = self._own
        with self._told(connection, Deadline(_FETCH_SECONDS), SourceError):
            found = connection.execute(sql.encode()).fetchall()
            connection.rollback()
            return found

    def _read_types(self) -> dict[int, ColumnType]:
        names = self.fetch("SELECT oid, typname, typtype = 'e' FROM pg_catalog.pg_type")
        return {
            int(oid): "text" if is_enum else _TYPES.get(str(name), "other")
            for oid, name, is_enum in names
        }

    def query(
        self,
        sql: str,
        tables: Sequence[str],  # noqa: ARG002 - the role's rights say which may be read
        rows: int,
        deadline: Deadline,
        whole: Whole | None = None,
    ) -> QueryRows:
        connection = self._connect(deadline.seconds)
        told = self._told(connection, deadline, QueryFailed)
        with told, connection.cursor(name="rows") as cursor:
            cursor.execute(sql.encode())
            described = cursor.description or ()
            found, cut = take(cursor.fetchmany, rows)
            types = [self._types.get(each.type_code, "other") for each in described]
            names = [each.name for each in described]
            total = None
            if whole is not None and (cut or len(found) >= rows):
                declared = [Declared(*each) for each in zip(names, types, strict=True)]
                with connection.cursor(name="whole") as all_rows:
                    all_rows.execute(sql.encode())
                    total = whole(record_batches(declared, all_rows.fetchmany))
            return QueryRows(names, types, found, cut, total)

    def batches(self, table: str) -> Iterator[pyarrow.RecordBatch]:
        layout = next(each for each in self.layouts if each.physical == table)
        names = ", ".join(quote_name(each.name, "postgres") for each in layout.columns)
        connection = self._connect(_FETCH_SECONDS)
        told = self._told(connection, Deadline(_FETCH_SECONDS), QueryFailed)
        with told, connection.cursor(name="rows") as cursor:
            cursor.execute(f"SELECT {names} FROM {quote_table(table, 'postgres')}".encode())
            yield from record_batches(layout.columns, cursor.fetchmany)

    def close(self) -> None:
        with self._lock:
            if self._own is not None:
                self._own.close()
                self._own = None

    def _connect(self, seconds: float) -> psycopg.Connection[Any]:
        try:
            import psycopg
            from psycopg.types.string import TextLoader
        except ImportError as error:
            raise without_driver(self._source, "postgres") from error
        source = self._source
        settings = {**_SETTINGS, "statement_timeout": str(int(seconds * 1000) + 1000)}
        try:
            connection = psycopg.connect(
                host=source.host,
                port=source.port,
                user=source.user,
                password=source.password or None,
                dbname=source.database,
                connect_timeout=CONNECT_SECONDS,
                application_name="analyst-flows",
                client_encoding="utf8",
                options=" ".join(f"-c {key}={value}" for key, value in settings.items()),
                sslmode=source.options.get("sslmode"),
                sslrootcert=source.options.get("sslrootcert"),
            )
        except psycopg.OperationalError as error:
            raise SourceError(_unreachable(source, str(error))) from None
        connection.read_only = True
        for name in _AS_TEXT:
            if connection.adapters.types.get(name) is not None:  # by the driver's version
                connection.adapters.register_loader(name, TextLoader)
        return connection

    @contextmanager
    def _told(
        self,
        connection: psycopg.Connection[Any],
        deadline: Deadline,
        kind: type[SourceError] | type[QueryFailed],
    ) -> Iterator[None]:
        """What the server says, as our errors. A connection that is not kept is closed after."""
        import psycopg

        kept = connection is self._own
        try:
            with stopped_after(
                deadline,
                lambda: connection.cancel_safe(timeout=CANCEL_SECONDS),
                lambda: _cut(connection),
            ) as over:
                try:
                    yield
                except psycopg.Error as error:
                    kept = False
                    raise self._explained(error, over, deadline, kind) from None
                except UnicodeDecodeError as error:
                    raise kind(f"{self._source.where}: a text is not UTF-8: {error}") from error
        finally:
            if not kept:
                with suppress(psycopg.Error):
                    connection.close()

    def _explained(
        self,
        error: psycopg.Error,
        over: threading.Event,
        deadline: Deadline,
        kind: type[SourceError] | type[QueryFailed],
    ) -> Exception:
        if over.is_set():
            return QueryFailed(too_slow(deadline.seconds))
        if error.sqlstate == _CANCELLED:
            return QueryFailed(f"PostgreSQL stopped the query: {_first_line(error)}")
        if error.sqlstate == _MISSING_RIGHTS:
            return QueryRefused(f"PostgreSQL refused the query: {_first_line(error)}")
        if error.sqlstate is None or error.sqlstate.startswith(("08", "57")):
            return kind(f"the connection to {self._source.where} was lost: {_first_line(error)}")
        if error.sqlstate in _READ_ONLY and "read-only" in str(error).lower():
            return QueryRefused(f"PostgreSQL refused the query: {_first_line(error)}")
        return kind(f"PostgreSQL: {_first_line(error)}")


def _cut(connection: psycopg.Connection[Any]) -> None:
    with suppress(Exception), socket.socket(fileno=os.dup(connection.fileno())) as connected:
        shut(connected)


def _first_line(error: Exception) -> str:
    lines = [each.strip() for each in str(error).splitlines() if each.strip()]
    return excerpt(lines[0]) if lines else type(error).__name__


def _unreachable(source: ServerSource, said: str) -> str:
    """Why there is no connection, in the server's words for what the user can change."""
    where = f"source '{source.name}': cannot open {source.where}"
    lowered = said.lower()
    if "password authentication failed" in lowered or "no password supplied" in lowered:
        return f"{where}: the password or the user {source.user} is wrong"
    if "does not exist" in lowered and "database" in lowered:
        return f"{where}: there is no database {source.database}"
    if "refused" in lowered or "timeout" in lowered or "timed out" in lowered:
        return f"{where}: no server answers there"
    if "resolve" in lowered or "not known" in lowered or "name resolution" in lowered:
        return f"{where}: there is no host {source.host}"
    lines = [each.strip() for each in said.splitlines() if each.strip()]
    return f"{where}: {excerpt(lines[-1]) if lines else 'no connection'}"
