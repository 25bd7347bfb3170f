"""What analysts ask gets through the firewall, and runs on the real database of each dialect."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
import sqlglot

from flows.data.catalog import Catalog
from flows.data.deadline import Deadline
from flows.data.engines.engine import Engine
from flows.data.engines.mysql import MySQLServer
from flows.data.engines.postgres import PostgresServer
from flows.data.query import run_query
from flows.data.servers import open_server
from flows.data.sql.firewall import check_query
from flows.data.tables import Column, Dialect, Table
from flows.errors import QueryRefused
from tests.data.benign_queries import COMMON, MYSQL, POSTGRES
from tests.data.test_firewall import HARMLESS_DUCKDB, HARMLESS_SQLITE
from tests.servers.mariadb import MariaDB
from tests.servers.postgres import Postgres

# Beside the checkout, where it is there.
SPIDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "spider_train"
DIALECTS: tuple[Dialect, ...] = ("sqlite", "duckdb", "postgres", "mysql")
# Rows that are the same on every database.
ANSWERS: dict[str, list[tuple[object, ...]]] = {
    "SELECT region, avg(amount) FROM orders WHERE paid GROUP BY region ORDER BY region LIMIT 1": [
        ("North", 20.25)
    ],
    "SELECT customer FROM orders WHERE NOT paid ORDER BY customer": [("Bob",), ("Dee",)],
    "SELECT o.customer, r.manager FROM orders o JOIN regions r USING (region) "
    "WHERE o.amount > 20 ORDER BY 1": [("Ann", "Ida"), ("Bob", "Jon")],
    "SELECT CUSTOMER, max(Amount) AS Most FROM Orders WHERE Customer = 'Ann' GROUP BY Customer": [
        ("Ann", 30.0)
    ],
    "SELECT t.n FROM (SELECT Region, count(*) AS N FROM orders GROUP BY Region) t "
    "ORDER BY t.n DESC LIMIT 1": [(2,)],
}  # fmt: skip


def known_column(name: str) -> Column:
    return Column(name=name, type="text", role="text", rows=1, missing=0, distinct=1)


def run_all(engine: Engine, queries: list[str]) -> list[str]:
    """Those that were refused or failed, with the reason."""
    tables = [
        Table(
            source="shop",
            name=layout.name,
            dialect=engine.dialect,
            rows=1,
            columns=tuple(known_column(each.name) for each in layout.columns),
        )
        for layout in engine.layouts
    ]
    physical = {layout.name: layout.physical for layout in engine.layouts}
    wrong = []
    for sql in (*queries, *ANSWERS):
        try:
            checked = check_query(sql, tables, engine.dialect, physical)
            found = engine.query(checked.sql, (), 100, Deadline(20.0))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is listed
            wrong.append(f"{sql}: {type(error).__name__}: {error}")
            continue
        if sql in ANSWERS and found.rows != ANSWERS[sql]:
            wrong.append(f"{sql}: {found.rows}")
    return wrong


def test_the_lists_are_long() -> None:
    assert min(len(COMMON) + len(each) for each in (POSTGRES, MYSQL)) >= 60
    assert min(len(COMMON) + len(each) for each in (HARMLESS_DUCKDB, HARMLESS_SQLITE)) >= 60


@pytest.mark.long("every query on every server")
def test_postgres_runs_them_all(postgres_shop: Postgres) -> None:
    engine = PostgresServer(open_server("shop", postgres_shop.url(), "shop"))
    assert run_all(engine, [*COMMON, *POSTGRES]) == []
    engine.close()


@pytest.mark.long("every query on every server")
def test_mariadb_runs_them_all(mariadb_shop: MariaDB) -> None:
    source = open_server("shop", mariadb_shop.url(schema="shop,sales"), "shop")
    engine = MySQLServer(source)
    assert run_all(engine, [*COMMON, *MYSQL]) == []
    engine.close()


@pytest.mark.long("every query on every server")
def test_duckdb_runs_them_all(catalog: Catalog) -> None:
    for sql in (*COMMON, *HARMLESS_DUCKDB):
        run_query(catalog, sql, max_rows=100, timeout=20, engine="duckdb")
    for sql, rows in ANSWERS.items():
        found = run_query(catalog, sql, max_rows=100, timeout=20, engine="duckdb")
        assert list(found.rows) == rows


@pytest.mark.long("data of some size, read and asked in workers")
def test_sqlite_runs_them_all(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "shop.sqlite")
    connection.execute("CREATE TABLE regions (region TEXT PRIMARY KEY, manager TEXT)")
    connection.execute(
        "CREATE TABLE orders (order_id INTEGER PRIMARY KEY, customer TEXT, region TEXT, "
        "placed TEXT, amount REAL, paid BOOLEAN)"
    )
    connection.executemany(
        "INSERT INTO regions VALUES (?, ?)", [("North", "Ida"), ("South", "Jon"), ("West", "Kim")]
    )
    connection.executemany(
        "INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?)",
        [
            (1, "Ann", "North", "2024-01-05", 10.5, True),
            (2, "Bob", "South", "2024-01-19", 20.25, False),
            (3, "Ann", "North", "2024-02-11", 30.0, True),
            (4, "Cid", "West", "2024-03-02", None, True),
            (5, "Dee", "South", "2024-03-30", 5.75, False),
        ],
    )
    connection.commit()
    connection.close()
    with Catalog({"shop": "shop.sqlite"}, tmp_path) as catalog:
        for sql in COMMON:
            run_query(catalog, sql, max_rows=100, timeout=20)
        for sql, rows in ANSWERS.items():
            assert list(run_query(catalog, sql, max_rows=100, timeout=20).rows) == rows


@pytest.mark.long("data of some size, read and asked in workers")
def test_sqlite_runs_what_is_harmless(catalog: Catalog) -> None:
    for sql in HARMLESS_SQLITE:
        run_query(catalog, sql, max_rows=100, timeout=20, engine="sqlite")


@cache
def spider_tables(database: str, dialect: Dialect) -> tuple[Table, ...]:
    connection = sqlite3.connect(f"file:{SPIDER / database}?mode=ro", uri=True)
    names = connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
    found = []
    for (name,) in names.fetchall():
        info = connection.execute(f'PRAGMA table_info("{name}")').fetchall()
        columns = tuple(known_column(row[1]) for row in info)
        found.append(Table(source="s", name=name, dialect=dialect, rows=1, columns=columns))
    connection.close()
    return tuple(found)


@pytest.mark.long("four thousand queries through the firewall of each database")
@pytest.mark.skipif(not SPIDER.is_dir(), reason="the tuning data is not on this machine")
@pytest.mark.parametrize("dialect", DIALECTS)
def test_few_queries_of_people_are_refused(dialect: Dialect) -> None:
    """SQLite's as they are; for the others each is written anew from what SQLite's means."""
    lines = (SPIDER / "questions.jsonl").read_text().splitlines()
    refused: Counter[str] = Counter()
    # Every query for SQLite, as it was written; for the others every sixth, which is faster.
    rows = [json.loads(line) for line in lines[:: 1 if dialect == "sqlite" else 6]]
    for row in rows:
        try:
            sql = row["sql"]
            if dialect != "sqlite":
                known = check_query(sql, spider_tables(row["database"], "sqlite"), "sqlite").sql
                sql = sqlglot.transpile(known, read="sqlite", write=dialect)[0]
            tables = spider_tables(row["database"], dialect)
            check_query(sql, tables, dialect, {each.name: f"s.{each.name}" for each in tables})
        except QueryRefused as error:
            refused[str(error)] += 1
    assert refused.total() <= 0.005 * len(rows), refused.most_common(5)
