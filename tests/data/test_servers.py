"""Tables of database servers: what is read of them, and what is said when they fail."""

from __future__ import annotations

import socket
import sqlite3
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pyarrow
import pytest

from flows.data.catalog import Catalog
from flows.data.deadline import Deadline
from flows.data.engines.mysql import MySQLServer
from flows.data.engines.postgres import PostgresServer
from flows.data.query import run_query
from flows.data.servers import is_server, open_server
from flows.data.tables import ForeignKey
from flows.errors import QueryFailed, QueryRefused, SourceError
from flows.sandbox.columns import values_of
from tests.servers.database import free_port
from tests.servers.mariadb import MariaDB
from tests.servers.postgres import PASSWORDS, Postgres

POSTGRES_TYPES = """
CREATE TYPE mood AS ENUM ('sad', 'glad');
CREATE DOMAIN cents AS numeric(8, 2);
CREATE TABLE kinds (
    i int, b bigint, n numeric(6, 3), c cents, f float8, t text, v varchar(9), o boolean, d date,
    s timestamp, z timestamptz, h time, j jsonb, u uuid, a int[], y bytea, x bit(3), m mood,
    w interval, r int4range, p inet
);
INSERT INTO kinds VALUES (
    1, 9007199254740993, 1.125, 2.50, 0.5, 'text', 'var', true, '2024-02-29', '2024-02-29 10:00:01',
    '2024-02-29 12:00:00+02', '10:30', '{"a": [1]}', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
    '{1,2}', 'abc', '101', 'glad', '1 day 2 hours', '[1,5)', '10.0.0.1'
), (2, NULL, 'NaN', NULL, 'Infinity', '', NULL, NULL, 'infinity', NULL, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL);
GRANT SELECT ON kinds TO reader
"""
POSTGRES_ROW = (
    1, 9007199254740993, 1.125, 2.5, 0.5, "text", "var", True, "2024-02-29", "2024-02-29 10:00:01",
    "2024-02-29 10:00:00+00", "10:30:00", '{"a": [1]}', "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
    "[1, 2]", "616263", "101", "glad", "1 day 02:00:00", "[1,5)", "10.0.0.1",
)  # fmt: skip
MARIADB_TYPES = """
CREATE TABLE kinds (
    i INT, b BIGINT, n DECIMAL(6, 3), f DOUBLE, t TEXT, v VARCHAR(9), o BOOLEAN, d DATE,
    s DATETIME, h TIME, j JSON, y BLOB, x BIT(3), m ENUM('sad', 'glad'), e SET('a', 'b'), g POINT,
    k YEAR
)
"""
MARIADB_VALUES = """
INSERT INTO kinds VALUES (
    1, 9007199254740993, 1.125, 0.5, 'text', 'var', TRUE, '2024-02-29', '2024-02-29 10:00:01',
    '10:30', '{"a": [1]}', 'abc', b'101', 'glad', 'a,b', POINT(1, 2), 2024
)
"""
MARIADB_ROW = (
    1, 9007199254740993, 1.125, 0.5, "text", "var", 1, "2024-02-29", "2024-02-29 10:00:01",
    "10:30:00", '{"a": [1]}', "616263", "05", "glad", "a,b",
    "000000000101000000000000000000f03f0000000000000040", 2024,
)  # fmt: skip


@contextmanager
def postgres(url: str) -> Iterator[PostgresServer]:
    engine = PostgresServer(open_server("shop", url, "shop"))
    try:
        yield engine
    finally:
        engine.close()


@contextmanager
def mysql(url: str) -> Iterator[MySQLServer]:
    engine = MySQLServer(open_server("shop", url, "shop"))
    try:
        yield engine
    finally:
        engine.close()


# --- addresses


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "mysql", "mariadb", "POSTGRESQL"])
def test_the_address_of_a_server(scheme: str) -> None:
    where = f"{scheme}://me:p%40ss%2Fword-long@db.example:7777/shop?schema=a,b"
    assert is_server(where)
    source = open_server("sales", where, "sales")
    assert (source.host, source.port, source.database) == ("db.example", 7777, "shop")
    assert (source.user, source.password) == ("me", "p@ss/word-long")
    assert source.schemas == ("a", "b")
    assert source.where == f"{scheme}://me:***@db.example:7777/shop"
    assert "p@ss" not in repr(source)


@pytest.mark.parametrize("where", ["orders.csv", "https://x/y.csv", "package://a/b.csv", "mysql"])
def test_other_sources_are_no_servers(where: str) -> None:
    assert not is_server(where)


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ("postgresql://me:Pass/word-1@h/db", "write @ as %40"),
        ("postgresql://me:Pass@word-1@h:x/db", "write @ as %40"),
        ("postgresql://me:Password-1@h:99999/db", "not of the form"),
        ("postgresql://me:Password-1@h", "names no database"),
        ("postgresql://h/db", "names no user"),
        ("mysql://me:Password-1@/db", "names no host"),
        ("mysql://me:Password-1@h/db?shema=x", "did you mean schema?"),
        ("mysql://me:Password-1@h/db?local_infile=1", "unknown option 'local_infile'"),
        ("postgresql://me:Password-1@h/db?options=-c", "unknown option 'options'"),
        ("postgresql://me:Password-1@h/d\x07b", "a character that none has"),
    ],
)
def test_an_address_that_is_wrong_is_said_without_its_password(where: str, says: str) -> None:
    with pytest.raises(SourceError) as caught:
        open_server("sales", where, "sales")
    assert says in str(caught.value)
    assert "word-1" not in str(caught.value)


@pytest.mark.parametrize(("scheme", "module"), [("postgres", "psycopg"), ("mysql", "pymysql")])
def test_a_missing_driver_names_what_to_install(
    scheme: str, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    source = open_server("sales", f"{scheme}://me:Password-1@127.0.0.1:9/db", "sales")
    with pytest.raises(SourceError, match=rf"pip install 'analyst-flows\[{scheme}\]'"):
        PostgresServer(source) if scheme == "postgres" else MySQLServer(source)


# --- tables


def test_tables_of_postgres(postgres_shop: Postgres) -> None:
    with Catalog({"shop": postgres_shop.url()}, Path()) as catalog:
        tables = {table.name: table for table in catalog.tables()}
        assert set(tables) == {"orders", "regions", "paid_orders", "sales_Big Deals"}
        orders = tables["orders"]
        assert (orders.rows, orders.primary_key, orders.dialect) == (5, ("order_id",), "postgres")
        to_regions = ForeignKey(columns=("region",), table="regions", to_columns=("region",))
        assert orders.foreign_keys == (to_regions,)
        assert orders.description == "what was sold"
        columns = {column.name: column for column in orders.columns}
        assert columns["amount"].description == "in euros"
        assert (columns["amount"].missing, columns["amount"].maximum) == (1, 30.0)
        assert [columns[name].type for name in ("placed", "paid")] == ["date", "boolean"]
        deals = tables["sales_Big Deals"].foreign_keys
        assert deals[0].table == "orders"


def test_tables_of_mariadb(mariadb_shop: MariaDB) -> None:
    with Catalog({"shop": mariadb_shop.url(schema="shop,sales")}, Path()) as catalog:
        tables = {table.name: table for table in catalog.tables()}
        assert set(tables) == {"orders", "regions", "paid_orders", "sales_Big Deals"}
        orders = tables["orders"]
        assert (orders.rows, orders.primary_key, orders.dialect) == (5, ("order_id",), "mysql")
        to_regions = ForeignKey(columns=("region",), table="regions", to_columns=("region",))
        assert orders.foreign_keys == (to_regions,)
        assert orders.description == "what was sold"
        columns = {column.name: column for column in orders.columns}
        assert columns["amount"].description == "in euros"
        assert (columns["amount"].missing, columns["amount"].maximum) == (1, 30.0)
        assert tables["sales_Big Deals"].foreign_keys[0].table == "orders"


def test_types_of_postgres(postgres_shop: Postgres) -> None:
    postgres_shop.execute(*POSTGRES_TYPES.split(";\n"))
    try:
        with postgres(postgres_shop.url()) as engine:
            found = engine.query("SELECT * FROM public.kinds", (), 10, Deadline(10))
            assert found.rows[0] == POSTGRES_ROW
            assert found.rows[1][2:9] == (None, None, None, "", None, None, "infinity")
            (layout,) = [each for each in engine.layouts if each.name == "kinds"]
            assert [each.type for each in layout.columns] == found.types
            (batch,) = list(engine.batches("public.kinds"))
            assert batch.num_rows == 2
            assert batch.column("b").to_pylist() == [9007199254740993, None]
            assert values_of(pyarrow.Table.from_batches([batch])["d"]) == ["2024-02-29", "infinity"]
    finally:
        postgres_shop.execute("DROP TABLE kinds", "DROP DOMAIN cents", "DROP TYPE mood")


def test_dates_of_postgres_that_python_does_not_have(postgres_shop: Postgres) -> None:
    days = ("infinity", "-infinity", "0044-03-15 BC", "20000-01-01")
    values = ", ".join(f"({at}, '{day}', '{day}')" for at, day in enumerate(days))
    postgres_shop.execute(
        "CREATE TABLE far (place int, day date, moment timestamptz)",
        f"INSERT INTO far VALUES {values}",
        "GRANT SELECT ON far TO reader",
    )
    try:
        with postgres(postgres_shop.url()) as engine:
            found = engine.query("SELECT day FROM public.far ORDER BY place", (), 10, Deadline(10))
            assert [row[0] for row in found.rows] == list(days)
            table = pyarrow.Table.from_batches(list(engine.batches("public.far")))
        sql = "SELECT day::VARCHAR, moment::VARCHAR FROM far ORDER BY place"
        with duckdb.connect() as connection:
            copied = connection.register("far", table).execute(sql).fetchall()
        assert copied == [("infinity",) * 2, ("-infinity",) * 2, (None, None), (None, None)]
    finally:
        postgres_shop.execute("DROP TABLE far")


def test_types_of_mariadb(mariadb_shop: MariaDB) -> None:
    mariadb_shop.execute(MARIADB_TYPES, MARIADB_VALUES, database="shop")
    mariadb_shop.execute("GRANT SELECT ON shop.kinds TO reader@'127.0.0.1'")
    try:
        with mysql(mariadb_shop.url()) as engine:
            found = engine.query("SELECT * FROM shop.kinds", (), 10, Deadline(10))
            assert found.rows == [MARIADB_ROW]
            assert found.types[:4] == ["integer", "integer", "real", "real"]
            assert found.types[4:9] == ["text", "text", "integer", "date", "timestamp"]
            (batch,) = list(engine.batches("shop.kinds"))
            assert batch.column("n").to_pylist() == [1.125]
            assert str(batch.column("d").to_pylist()) == "[datetime.date(2024, 2, 29)]"
    finally:
        mariadb_shop.execute("DROP TABLE kinds", database="shop")


def test_a_long_table_comes_in_batches(postgres_shop: Postgres) -> None:
    postgres_shop.execute(
        "CREATE TABLE long AS SELECT i, 'x' || i AS t FROM generate_series(1, 25000) i",
        "GRANT SELECT ON long TO reader",
    )
    try:
        with postgres(postgres_shop.url()) as engine:
            sizes = [batch.num_rows for batch in engine.batches("public.long")]
            assert sizes == [10_000, 10_000, 5_000]
            assert len(engine.query("SELECT * FROM public.long", (), 7, Deadline(10)).rows) == 7
    finally:
        postgres_shop.execute("DROP TABLE long")


def test_a_table_without_rows_still_has_columns(mariadb_shop: MariaDB) -> None:
    mariadb_shop.execute("CREATE TABLE empty (a INT, b TEXT)", database="shop")
    mariadb_shop.execute("GRANT SELECT ON shop.empty TO reader@'127.0.0.1'")
    try:
        with mysql(mariadb_shop.url()) as engine:
            (batch,) = list(engine.batches("shop.empty"))
            assert (batch.num_rows, batch.schema.names) == (0, ["a", "b"])
    finally:
        mariadb_shop.execute("DROP TABLE empty", database="shop")


def test_the_hash_changes_with_the_data(postgres_shop: Postgres) -> None:
    with postgres(postgres_shop.url()) as engine:
        before = engine.hashes
        assert engine.hashes == before
        postgres_shop.execute("UPDATE regions SET manager = 'Zoe' WHERE region = 'West'")
        try:
            end = time.monotonic() + 20
            while engine.hashes == before and time.monotonic() < end:
                postgres_shop.execute("SELECT pg_stat_force_next_flush()")
            assert engine.hashes != before
        finally:
            postgres_shop.execute("UPDATE regions SET manager = 'Kim' WHERE region = 'West'")


# --- joins with other sources


@pytest.mark.long("servers and workers in processes of their own")
def test_a_join_of_postgres_and_a_file(postgres_shop: Postgres, tmp_path: Path) -> None:
    (tmp_path / "goals.csv").write_text("region,goal\nNorth,30\nSouth,40\n")
    sources = {"shop": postgres_shop.url(), "goals": "goals.csv"}
    with Catalog(sources, tmp_path) as catalog:
        found = run_query(
            catalog,
            "SELECT g.region, sum(o.amount) - g.goal AS more FROM orders o JOIN goals g "
            "ON o.region = g.region GROUP BY g.region, g.goal ORDER BY g.region",
            max_rows=10,
            timeout=30,
        )
    assert found.rows == (("North", 10.5), ("South", -14.0))
    assert set(found.sources) == {"shop", "goals"}


@pytest.mark.long("data of some size, read and asked in workers")
def test_a_join_of_mariadb_and_sqlite(mariadb_shop: MariaDB, tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "people.sqlite")
    connection.execute("CREATE TABLE people (manager TEXT, city TEXT)")
    connection.execute("INSERT INTO people VALUES ('Ida', 'Rome'), ('Jon', 'Oslo')")
    connection.commit()
    connection.close()
    sources = {"shop": mariadb_shop.url(), "people": "people.sqlite"}
    with Catalog(sources, tmp_path) as catalog:
        found = run_query(
            catalog,
            "SELECT p.city, r.region FROM regions r JOIN people p ON p.manager = r.manager "
            "ORDER BY p.city",
            max_rows=10,
            timeout=30,
        )
    assert found.rows == (("Oslo", "South"), ("Rome", "North"))


# --- what can go wrong


@pytest.mark.parametrize("scheme", ["postgresql", "mysql"])
def test_no_server_answers(scheme: str) -> None:
    source = open_server("shop", f"{scheme}://me:Password-1@127.0.0.1:{free_port()}/db", "shop")
    with pytest.raises(SourceError, match="no server answers there") as caught:
        PostgresServer(source) if scheme == "postgresql" else MySQLServer(source)
    assert "Password-1" not in str(caught.value)


@contextmanager
def refusing(first: bytes, error: bytes) -> Iterator[int]:
    """The port of a server that says `first` when it is asked to, and then an error."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            connection, _ = listening.accept()
            with connection:
                for answer in (first, error):
                    if first:
                        connection.recv(1 << 16)
                    connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        yield int(listening.getsockname()[1])
        thread.join()


@pytest.mark.parametrize("scheme", ["postgresql", "mysql"])
def test_an_error_of_a_server_shows_little_of_a_long_value(scheme: str) -> None:
    if scheme == "postgresql":
        said = b"SFATAL\0C53300\0M" + b"x" * 20_000 + b"\0\0"
        first, error = b"N", b"E" + (len(said) + 4).to_bytes(4, "big") + said
    else:
        said = b"\xff\x10\x04#08004" + b"x" * 20_000
        first, error = b"", len(said).to_bytes(3, "little") + b"\0" + said
    with refusing(first, error) as port:
        source = open_server("shop", f"{scheme}://me:Password-1@127.0.0.1:{port}/db", "shop")
        with pytest.raises(SourceError, match=r"cannot open .*xxx \.\.\.$") as caught:
            PostgresServer(source) if scheme == "postgresql" else MySQLServer(source)
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ((PASSWORDS["reader"], "wrong-Password-9"), "the password or the user reader is wrong"),
        (("/postgres", "/nowhere"), "there is no database nowhere"),
        (("/postgres", "/postgres?schema=nope"), "no schema nope"),
    ],
)
def test_postgres_does_not_open(
    postgres_shop: Postgres, change: tuple[str, str], says: str
) -> None:
    url = postgres_shop.url().replace(*change)
    with pytest.raises(SourceError, match=says) as caught, postgres(url):
        pass
    assert "Password" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ((PASSWORDS["reader"], "wrong-Password-9"), "the password or the user reader is wrong"),
        (("/shop", "/nowhere"), "nowhere"),
        (("/shop", "/shop?schema=nope"), "no schema nope"),
    ],
)
def test_mariadb_does_not_open(mariadb_shop: MariaDB, change: tuple[str, str], says: str) -> None:
    url = mariadb_shop.url().replace(*change)
    with pytest.raises(SourceError, match=says) as caught, mysql(url):
        pass
    assert "Password" not in str(caught.value)


def test_rights_that_are_missing(postgres_shop: Postgres, mariadb_shop: MariaDB) -> None:
    sql = "SELECT * FROM secrets.vault"
    with (
        postgres(postgres_shop.url()) as engine,
        pytest.raises(QueryRefused, match="permission denied"),
    ):
        engine.query(sql, (), 5, Deadline(10))
    with mysql(mariadb_shop.url()) as other, pytest.raises(QueryRefused, match="denied to user"):
        other.query(sql, (), 5, Deadline(10))


def test_only_who_may_write_is_warned_of(postgres_shop: Postgres, mariadb_shop: MariaDB) -> None:
    postgres_shop.execute("GRANT INSERT ON regions TO reader")
    try:
        with postgres(postgres_shop.url()) as engine:
            assert "may write to 1 tables" in engine.warnings[0]
    finally:
        postgres_shop.execute("REVOKE INSERT ON regions FROM reader")
    with postgres(postgres_shop.url()) as engine:
        assert engine.warnings == ()
    with mysql(mariadb_shop.url("boss")) as other:
        assert "may do more than read" in other.warnings[0]


UNPARSED_SLEEPS = [
    "SELECT pg_sleep(60)",
    "SELECT set_config('statement_timeout', '0', false), pg_sleep(60)",
    "SELECT count(*) FROM generate_series(1, 100000000000)",
]


@pytest.mark.long("data of some size, read and asked in workers")
@pytest.mark.parametrize("sql", UNPARSED_SLEEPS)
def test_the_clients_own_deadline_ends_a_query_of_postgres(
    postgres_shop: Postgres, sql: str
) -> None:
    with postgres(postgres_shop.url()) as engine:
        with pytest.raises(QueryFailed, match=r"took longer than 0\.3 seconds"):
            engine.query(sql, (), 5, Deadline(0.3))
        assert engine.query("SELECT 1", (), 5, Deadline(10)).rows == [(1,)]
    busy = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'reader' AND state = 'active'"
    end = time.monotonic() + 20
    while postgres_shop.rows(busy) != [(0,)] and time.monotonic() < end:
        time.sleep(0.05)
    assert postgres_shop.rows(busy) == [(0,)]


@pytest.mark.parametrize(
    "sql", ["SELECT sleep(60)", "SELECT benchmark(100000000000, md5('x'))"], ids=str
)
def test_the_clients_own_deadline_ends_a_query_of_mariadb(mariadb_shop: MariaDB, sql: str) -> None:
    with mysql(mariadb_shop.url()) as engine:
        with pytest.raises(QueryFailed, match=r"took longer than 0\.3 seconds"):
            engine.query(sql, (), 5, Deadline(0.3))
        assert engine.query("SELECT 1", (), 5, Deadline(10)).rows == [(1,)]


def test_somebody_can_stop_a_query(postgres_shop: Postgres) -> None:
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    with postgres(postgres_shop.url()) as engine, pytest.raises(QueryFailed, match="stopped"):
        engine.query("SELECT pg_sleep(60)", (), 5, Deadline(60, stop))


@pytest.mark.long("data of some size, read and asked in workers")
def test_a_session_that_is_ended_from_outside(
    postgres_shop: Postgres, mariadb_shop: MariaDB
) -> None:
    """The query that ran fails, and the next one works on a new connection."""
    with postgres(postgres_shop.url()) as engine:
        ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'"
        threading.Timer(0.3, postgres_shop.execute, [ended]).start()
        with pytest.raises(QueryFailed, match="was lost"):
            engine.query("SELECT pg_sleep(20)", (), 5, Deadline(30))
        assert engine.query("SELECT 1", (), 5, Deadline(10)).rows == [(1,)]
        assert engine.fetch("SELECT 2") == [(2,)]
    with mysql(mariadb_shop.url()) as other:
        threading.Timer(0.3, mariadb_shop.execute, ["KILL USER reader@'127.0.0.1'"]).start()
        with pytest.raises(QueryFailed, match="was lost"):
            other.query("SELECT sleep(20)", (), 5, Deadline(30))
        assert other.query("SELECT 1", (), 5, Deadline(10)).rows == [(1,)]
        assert list(other.fetch("SELECT 2")) == [(2,)]


@pytest.mark.long("servers and workers in processes of their own")
def test_a_server_that_is_killed(postgres_shop: Postgres) -> None:
    assert postgres_shop.port  # skipped with it
    with Postgres() as server, postgres(server.url()) as engine:
        threading.Timer(0.3, server.daemon.kill).start()
        with pytest.raises(QueryFailed, match="was lost"):
            engine.query("SELECT pg_sleep(20)", (), 5, Deadline(30))
        with pytest.raises(SourceError, match="no server answers there"):
            engine.query("SELECT 1", (), 5, Deadline(10))
