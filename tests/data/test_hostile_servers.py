"""Hostile SQL for servers: refused by the firewall, and held by the connection without it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from flows.data.catalog import Catalog
from flows.data.deadline import Deadline
from flows.data.engines.engine import Engine
from flows.data.engines.mysql import MySQLServer
from flows.data.engines.postgres import PostgresServer
from flows.data.query import run_query
from flows.data.servers import open_server
from flows.data.sql.firewall import check_query
from flows.data.tables import Column, Dialect, Table
from flows.errors import CommandError, QueryRefused
from tests.data import hostile_mysql, hostile_postgres
from tests.data.conftest import SECRET
from tests.data.server_shops import mariadb_state, postgres_state
from tests.servers.mariadb import MariaDB
from tests.servers.postgres import Postgres

POSTGRES, MYSQL = hostile_postgres.STATEMENTS, hostile_mysql.STATEMENTS
SCHEMAS = {"postgres": "public", "mysql": "shop"}
TABLES = {
    "orders": ("order_id", "customer", "region", "placed", "amount", "paid"),
    "regions": ("region", "manager"),
}
# The connection alone does not limit a server's memory; these take it and do nothing else.
BOMBS = ("1000000000", "1000000)")
SECONDS = 0.2


def table(name: str, columns: tuple[str, ...], dialect: Dialect) -> Table:
    known = [
        Column(name=each, type="text", role="text", rows=1, missing=0, distinct=1)
        for each in columns
    ]
    return Table(source="shop", name=name, dialect=dialect, rows=1, columns=tuple(known))


def plan(sql: str, dialect: Dialect) -> str:
    tables = [table(name, columns, dialect) for name, columns in TABLES.items()]
    physical = {name: f"{SCHEMAS[dialect]}.{name}" for name in TABLES}
    return check_query(sql.replace("FOLDER", "/srv"), tables, dialect, physical).sql


@pytest.fixture(scope="module")
def postgres_reader(postgres_shop: Postgres) -> Iterator[PostgresServer]:
    engine = PostgresServer(open_server("shop", postgres_shop.url(), "shop"))
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def mariadb_reader(mariadb_shop: MariaDB) -> Iterator[MySQLServer]:
    engine = MySQLServer(open_server("shop", mariadb_shop.url(), "shop"))
    yield engine
    engine.close()


def in_public(sql: str) -> str:
    """The statement with the schema that the locked connection would not look into."""
    return re.sub(r"\b(orders|regions|ticket|evil_write|evil)\b(?!\.)", r"public.\1", sql)


def outcome(engine: Engine, sql: str) -> str:
    """What the connection says to a statement that nothing has looked at before."""
    try:
        return str(engine.query(sql, (), 1000, Deadline(SECONDS)))
    except CommandError as error:
        return str(error)


def test_the_lists_are_long_and_say_nothing_twice() -> None:
    for statements in (POSTGRES, MYSQL):
        assert len(set(statements)) == len(statements) >= 120


@pytest.mark.parametrize("sql", POSTGRES)
def test_the_firewall_refuses_hostile_postgres(sql: str) -> None:
    with pytest.raises(QueryRefused):
        plan(sql, "postgres")


@pytest.mark.parametrize("sql", MYSQL)
def test_the_firewall_refuses_hostile_mysql(sql: str) -> None:
    with pytest.raises(QueryRefused):
        plan(sql, "mysql")


@pytest.mark.long("every attack on a server, without the firewall")
def test_a_reader_of_postgres_reaches_nothing_without_the_firewall(
    postgres_shop: Postgres, postgres_reader: PostgresServer
) -> None:
    before = postgres_state(postgres_shop)
    for sql in (each for each in POSTGRES if not any(bomb in each for bomb in BOMBS)):
        text = in_public(sql).replace("FOLDER", str(postgres_shop.folder))
        assert SECRET not in outcome(postgres_reader, text), sql
    assert postgres_state(postgres_shop) == before


@pytest.mark.long("every attack on a server, without the firewall")
def test_a_reader_of_mariadb_reaches_nothing_without_the_firewall(
    mariadb_shop: MariaDB, mariadb_reader: MySQLServer
) -> None:
    before = mariadb_state(mariadb_shop)
    for sql in (each for each in MYSQL if not any(bomb in each for bomb in BOMBS)):
        text = sql.replace("FOLDER", str(mariadb_shop.folder))
        assert SECRET not in outcome(mariadb_reader, text), sql
    assert mariadb_state(mariadb_shop) == before


# What a superuser may do to files, sessions and the server itself no connection can forbid; these
# are the statements that would write to the data, or undo what keeps them from it.
WRITING = re.compile(
    r"DELETE|UPDATE|INSERT|DROP|CREATE|ALTER|MERGE|TRUNCATE|GRANT|REPLACE|RENAME|LOCK|evil_write"
    r"|nextval|setval|NEXT VALUE|lo_[cup]|set_config|INTO (?:TEMP |@|evil)|LOAD DATA",
    re.IGNORECASE,
)


@pytest.mark.long("data of some size, read and asked in workers")
def test_a_superuser_of_postgres_writes_nothing(postgres_shop: Postgres) -> None:
    before = postgres_state(postgres_shop)
    engine = PostgresServer(open_server("shop", postgres_shop.url("boss"), "shop"))
    assert "superuser" in engine.warnings[0]
    for sql in filter(WRITING.search, POSTGRES):
        text = in_public(sql).replace("FOLDER", str(postgres_shop.folder))
        outcome(engine, text)
    engine.close()
    assert postgres_state(postgres_shop) == before


@pytest.mark.long("data of some size, read and asked in workers")
def test_a_superuser_of_mariadb_writes_nothing(mariadb_shop: MariaDB) -> None:
    before = mariadb_state(mariadb_shop)
    engine = MySQLServer(open_server("shop", mariadb_shop.url("boss"), "shop"))
    assert "ALL PRIVILEGES" in engine.warnings[0]
    for sql in filter(WRITING.search, MYSQL):
        outcome(engine, sql.replace("FOLDER", str(mariadb_shop.folder)))
    engine.close()
    assert mariadb_state(mariadb_shop) == before


@pytest.mark.long("data of some size, read and asked in workers")
def test_nothing_gets_through_all_layers_to_postgres(postgres_shop: Postgres) -> None:
    before = postgres_state(postgres_shop)
    with Catalog({"shop": postgres_shop.url()}, Path()) as catalog:
        for sql in POSTGRES:
            text = sql.replace("FOLDER", str(postgres_shop.folder))
            with pytest.raises(QueryRefused):
                run_query(catalog, text, max_rows=5, timeout=5, engine="postgres")
        count = run_query(catalog, "SELECT count(*) FROM orders", max_rows=5, timeout=5)
        assert count.rows == ((5,),)
    assert postgres_state(postgres_shop) == before


@pytest.mark.long("data of some size, read and asked in workers")
def test_nothing_gets_through_all_layers_to_mariadb(mariadb_shop: MariaDB) -> None:
    before = mariadb_state(mariadb_shop)
    with Catalog({"shop": mariadb_shop.url()}, Path()) as catalog:
        for sql in MYSQL:
            text = sql.replace("FOLDER", str(mariadb_shop.folder))
            with pytest.raises(QueryRefused):
                run_query(catalog, text, max_rows=5, timeout=5, engine="mysql")
        count = run_query(catalog, "SELECT count(*) FROM orders", max_rows=5, timeout=5)
        assert count.rows == ((5,),)
    assert mariadb_state(mariadb_shop) == before


def test_the_attacks_on_postgres_work_where_nothing_holds_them(postgres_shop: Postgres) -> None:
    folder = postgres_shop.folder
    assert SECRET in str(postgres_shop.rows(f"SELECT pg_read_file('{folder}/canary.txt')"))
    xml = "SELECT query_to_xml('SELECT * FROM secrets.vault', true, true, '')"
    assert SECRET in str(postgres_shop.rows(xml))
    try:
        postgres_shop.execute(f"COPY (SELECT 1) TO PROGRAM 'cat > {folder}/out.txt'")
        assert (folder / "out.txt").exists()
    finally:
        (folder / "out.txt").unlink(missing_ok=True)
    with psycopg.connect(postgres_shop.url("reader")) as connection:
        connection.execute("SELECT public.evil_write()")  # it may, where transactions can write
        count = connection.execute("SELECT count(*) FROM orders").fetchone()
        connection.rollback()
        assert count == (1,)


def test_the_attacks_on_mariadb_work_where_nothing_holds_them(mariadb_shop: MariaDB) -> None:
    folder = mariadb_shop.folder
    assert SECRET in str(mariadb_shop.rows(f"SELECT LOAD_FILE('{folder}/canary.txt')"))
    comment = f"SELECT 1 /*!50000 , LOAD_FILE('{folder}/canary.txt') */"
    assert SECRET in str(mariadb_shop.rows(comment))
    try:
        mariadb_shop.execute(f"SELECT 'x' INTO OUTFILE '{folder}/out.txt'")
        assert (folder / "out.txt").exists()
    finally:
        (folder / "out.txt").unlink(missing_ok=True)
