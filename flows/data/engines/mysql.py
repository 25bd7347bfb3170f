"""MySQL and MariaDB as an engine: each query on a connection of its own that can only read."""

from __future__ import annotations

import re
import ssl
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from flows.data.deadline import Deadline, too_slow
from flows.data.engines.arrow_rows import record_batches
from flows.data.engines.engine import QueryRows, Whole, take
from flows.data.engines.mysql_layouts import mysql_digest, mysql_layouts, mysql_warnings
from flows.data.engines.server_stop import CANCEL_SECONDS, CONNECT_SECONDS, shut, stopped_after
from flows.data.excerpt import excerpt
from flows.data.physical import quote_name, quote_table
from flows.data.profiles.profile import Declared, TableLayout
from flows.data.servers import ServerSource, without_driver
from flows.data.tables import ColumnType, Dialect
from flows.errors import QueryFailed, QueryRefused, SourceError

if TYPE_CHECKING:
    import pyarrow
    import pymysql

_FETCH_SECONDS = 300.0
# A read-only transaction does not stop statements such as SET GLOBAL or CALL.
_READS = re.compile(r"\s*(?:\(\s*)*(?:select|with|values)\b", re.IGNORECASE)
# How texts are quoted must be what the firewall took it for.
_SETTINGS = """
SET SESSION sql_mode = 'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO',
    time_zone = '+00:00', lock_wait_timeout = 10, group_concat_max_len = 1000000"""
_INTEGERS, _REALS = (1, 2, 3, 8, 9, 13), (0, 4, 5, 246)
_TEXTS, _BINARY = (15, 247, 248, 249, 250, 251, 252, 253, 254), 63
_TYPES: dict[int, ColumnType] = {
    **dict.fromkeys(_INTEGERS, "integer"),
    **dict.fromkeys(_REALS, "real"),
    **dict.fromkeys(_TEXTS, "text"),
    **dict.fromkeys((7, 12, 17, 18), "timestamp"),
    **dict.fromkeys((11, 19), "time"),
    10: "date",
    14: "date",
}
_KEPT_AS_TEXT = (7, 10, 11, 12, 14, 17, 18, 19)
_STOPPED = (1317, 1969, 3024, 1028)
_LOST = (0, 2006, 2013, 2055, 1053, 1927)
_DENIED = (1044, 1142, 1143, 1227, 1370, 1792, 1290)


class MySQLServer:
    """One database of a MySQL or MariaDB server. Opening it reads what tables there are.

    A role that can only SELECT is the wall; read-only transactions, a look at the first word and
    timeouts stand before it. `warnings` say where that wall is missing. `hashes` are of the tables'
    shapes and of what the server notes of their changes (see `mysql_digest`).
    """

    dialect: Dialect = "mysql"

    def __init__(self, source: ServerSource) -> None:
        self._source = source
        self._lock = threading.Lock()
        self._own: pymysql.Connection[Any] | None = None
        ssl_ca = source.options.get("ssl_ca")
        self._secured: dict[str, Any] = {"ssl_ca": ssl_ca} if ssl_ca else {}
        try:
            self.layouts: Sequence[TableLayout] = mysql_layouts(source, self.fetch)
            self.warnings: Sequence[str] = mysql_warnings(source, self.fetch)
        except BaseException:
            self.close()
            raise

    @property
    def hashes(self) -> dict[str, str]:
        return {self._source.name: mysql_digest(self._source, self.layouts, self.fetch)}

    def fetch(self, sql: str) -> Sequence[tuple[Any, ...]]:
        """Run one of our own queries; on a new connection if the one that was kept has ended."""
        with self._lock:
            kept = self._own
            try:
                return self._fetch(sql)
            except SourceError:
                if kept is None or kept.open:
                    raise
            return self._fetch(sql)

    def _fetch(self, sql: str) -> Sequence[tuple[Any, ...]]:
        if self._own is None or not self._own.open:
            self._own = self._connect(_FETCH_SECONDS)
        connection = self._own
        with self._told(connection, Deadline(_FETCH_SECONDS), SourceError):
            with connection.cursor() as cursor:
                cursor.execute(sql)
                found = list(cursor.fetchall())
            connection.rollback()
            return found

    def query(
        self,
        sql: str,
        tables: Sequence[str],  # noqa: ARG002 - the role's rights say which may be read
        rows: int,
        deadline: Deadline,
        whole: Whole | None = None,
    ) -> QueryRows:
        if not _READS.match(sql):
            raise QueryRefused("MySQL is only asked to SELECT")
        connection = self._connect(deadline.seconds)
        with self._told(connection, deadline, QueryFailed):
            cursor = self._stream(connection, sql, rows)
            described = cursor.description or ()
            types = [self._type(cursor, at, each[1]) for at, each in enumerate(described)]
            found, cut = take(cursor.fetchmany, rows)
            names = [str(each[0]) for each in described]
            total = None
            if whole is not None and (cut or len(found) >= rows):
                cursor.close()
                with connection.cursor() as setting:
                    setting.execute("SET SESSION sql_select_limit = DEFAULT")
                declared = [Declared(*each) for each in zip(names, types, strict=True)]
                all_rows = self._stream(connection, sql, None)
                total = whole(record_batches(declared, all_rows.fetchmany))
            return QueryRows(names, types, found, cut, total)

    def batches(self, table: str) -> Iterator[pyarrow.RecordBatch]:
        layout = next(each for each in self.layouts if each.physical == table)
        names = ", ".join(quote_name(each.name, "mysql") for each in layout.columns)
        connection = self._connect(_FETCH_SECONDS)
        with self._told(connection, Deadline(_FETCH_SECONDS), QueryFailed):
            sql = f"SELECT {names} FROM {quote_table(table, 'mysql')}"
            yield from record_batches(layout.columns, self._stream(connection, sql, None).fetchmany)

    def close(self) -> None:
        with self._lock:
            if self._own is not None:
                _cut(self._own)
                self._own = None

    @staticmethod
    def _stream(connection: pymysql.Connection[Any], sql: str, rows: int | None) -> Any:
        """A cursor that holds a row at a time, of at most so many rows where the text says none."""
        from pymysql.cursors import SSCursor

        with connection.cursor() as cursor:
            if rows is not None:
                cursor.execute(f"SET SESSION sql_select_limit = {rows}")
            cursor.execute("START TRANSACTION READ ONLY")
        found = connection.cursor(SSCursor)
        found.execute(sql)
        return found

    @staticmethod
    def _type(cursor: Any, at: int, code: int) -> ColumnType:
        if code in _TEXTS and cursor._result.fields[at].charsetnr == _BINARY:
            return "other"
        return _TYPES.get(code, "other")

    def _connect(self, seconds: float, connect_seconds: int = CONNECT_SECONDS) -> Any:
        try:
            import pymysql
            from pymysql.converters import conversions
        except ImportError as error:
            raise without_driver(self._source, "mysql") from error
        source = self._source
        kept = {key: each for key, each in conversions.items() if key not in _KEPT_AS_TEXT}
        try:
            connection = pymysql.connect(
                host="localhost" if source.host.startswith("/") else source.host,
                unix_socket=source.host if source.host.startswith("/") else None,
                port=source.port,
                user=source.user,
                password=source.password,
                database=source.database,
                charset="utf8mb4",
                connect_timeout=connect_seconds,
                read_timeout=seconds + 2 * CONNECT_SECONDS,
                write_timeout=2 * CONNECT_SECONDS,
                local_infile=False,
                conv=kept,
                **self._secured,
                program_name="analyst-flows",
            )
        except pymysql.err.MySQLError as error:
            raise SourceError(_unreachable(source, error)) from None
        # What the first connection agreed on: making a context takes longer than connecting.
        is_secured = isinstance(connection._sock, ssl.SSLSocket)
        self._secured = {"ssl": connection.ctx} if is_secured else {"ssl_disabled": True}
        told = self._told(connection, Deadline(seconds), SourceError, keep=True)
        with told, connection.cursor() as cursor:
            cursor.execute(f"{_SETTINGS}, {_server_timeout(connection, seconds + 1)}")
            cursor.execute("SET SESSION TRANSACTION READ ONLY")
        return connection

    @contextmanager
    def _told(
        self,
        connection: Any,
        deadline: Deadline,
        kind: type[SourceError] | type[QueryFailed],
        *,
        keep: bool = False,
    ) -> Iterator[None]:
        """What the server says, as our errors. A connection that is not kept is closed after."""
        import pymysql

        kept = keep or connection is self._own
        try:
            with stopped_after(
                deadline, lambda: self._kill(connection), lambda: _shut(connection)
            ) as over:
                try:
                    yield
                except (pymysql.err.MySQLError, OSError, ValueError) as error:
                    kept = False
                    raise self._explained(error, over, deadline, kind) from None
                if over.is_set():  # a killed SLEEP or BENCHMARK still returns a row
                    raise QueryFailed(too_slow(deadline.seconds))
        finally:
            if not kept:
                _cut(connection)

    def _kill(self, connection: Any) -> None:
        other = self._connect(CANCEL_SECONDS, CANCEL_SECONDS)
        try:
            with other.cursor() as cursor:
                cursor.execute(f"KILL QUERY {int(connection.thread_id())}")
        finally:
            _cut(other)

    def _explained(
        self,
        error: Exception,
        over: threading.Event,
        deadline: Deadline,
        kind: type[SourceError] | type[QueryFailed],
    ) -> Exception:
        code, said = _said(error)
        if over.is_set():
            return QueryFailed(too_slow(deadline.seconds))
        if code in _STOPPED:
            return QueryFailed(f"the server stopped the query: {said}")
        if code in _DENIED:
            return QueryRefused(f"the server refused the query: {said}")
        if code in _LOST:
            return kind(f"the connection to {self._source.where} was lost: {said}")
        return kind(f"{self._source.where}: {said}")


def _server_timeout(connection: Any, seconds: float) -> str:
    if "mariadb" in connection.get_server_info().lower():
        return f"max_statement_time = {seconds:.3f}"
    return f"max_execution_time = {int(seconds * 1000)}"


def _cut(connection: Any) -> None:
    """Close at once. A polite end would read all rows that are still on their way."""
    if connection._result is not None:
        connection._result.unbuffered_active = False
    _shut(connection)
    connection._force_close()


def _shut(connection: Any) -> None:
    if connection._sock is not None:
        with suppress(OSError):
            shut(connection._sock)


def _said(error: Exception) -> tuple[int, str]:
    code = error.args[0] if error.args and isinstance(error.args[0], int) else None
    said = error if code is None or len(error.args) < 2 else error.args[1]
    return code or 0, excerpt(said) or type(error).__name__


def _unreachable(source: ServerSource, error: Exception) -> str:
    """Why there is no connection, in words for what the user can change."""
    code, said = _said(error)
    where = f"source '{source.name}': cannot open {source.where}"
    if code in (1045, 1698):
        return f"{where}: the password or the user {source.user} is wrong"
    if code == 1049:
        return f"{where}: there is no database {source.database}"
    if code == 1044:
        return f"{where}: the user {source.user} may not read the database {source.database}"
    if code in (2002, 2003, 2005):
        unknown = "Name or service not known" in said or "name resolution" in said
        reason = f"there is no host {source.host}" if unknown else "no server answers there"
        return f"{where}: {reason}"
    return f"{where}: {said}"
