"""Queries that would run for minutes are over soon after their limit, whatever they are doing."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.data.catalog import Catalog
from flows.data.query import run_query
from flows.errors import QueryFailed
from tests.servers.mariadb import MariaDB
from tests.servers.postgres import Postgres

# Where many tests run at once a process may wait for seconds before it gets on.
SOON = 30.0
# The first two are told to end while they run; the others are in a single step of the database
# that takes minutes, hears nothing, and is ended with its process.
SQLITE = (
    "SELECT count(*) FROM word a, word b, word c, word d",
    "SELECT a.w FROM word a, word b, word c ORDER BY a.w || b.w || c.w LIMIT 5",
    "SELECT instr(s, substr(s, 1, 1000000) || 'b') FROM long",
    "SELECT sum(length(replace(replace(s, 'aa', 'b'), 'b', 'aaa'))) FROM long, word",
)
DUCKDB = (
    "SELECT count(*) FROM word a, word b, word c, word d WHERE a.w || b.w < c.w || d.w",
    "SELECT a.w FROM word a, word b, word c ORDER BY a.w || b.w || c.w LIMIT 5",
    "SELECT levenshtein(s, s || 'b') FROM long",
)
WORDS = [f"word {number * 7919 % 3000}" for number in range(3000)]
SERVERS = f"SELECT count(*) FROM {', '.join(f'orders o{at}' for at in range(16))}"


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    folder = tmp_path_factory.mktemp("words")
    connection = sqlite3.connect(folder / "words.db")
    connection.execute("CREATE TABLE word (w TEXT)")
    connection.executemany("INSERT INTO word VALUES (?)", [(each,) for each in WORDS])
    connection.execute("CREATE TABLE long (s TEXT)")
    connection.execute("INSERT INTO long VALUES (?)", ("a" * 20_000_000,))
    connection.commit()
    connection.close()
    with Catalog({"stored": "words.db"}, folder) as catalog:
        yield catalog


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    folder = tmp_path_factory.mktemp("files")
    (folder / "word.csv").write_text("\n".join(["w", *WORDS]))
    (folder / "long.csv").write_text("s,n\n" + "ab" * 500_000 + ",1\n")
    with Catalog({"word": "word.csv", "long": "long.csv"}, folder) as catalog:
        yield catalog


def is_over_soon(catalog: Catalog, table: str, sql: str) -> None:
    """The query ends at its limit, and the next one has its answer."""
    ready = f"SELECT count(*) FROM {table}"
    [[rows]] = run_query(catalog, ready, max_rows=1, timeout=60).rows
    began = time.monotonic()
    with pytest.raises(QueryFailed, match="the query took longer than 1 seconds and was stopped"):
        run_query(catalog, sql, max_rows=1, timeout=1)
    assert time.monotonic() - began < SOON
    assert run_query(catalog, ready, max_rows=1, timeout=60).rows == ((rows,),)


@pytest.mark.long("waits for the limit of a query to pass")
@pytest.mark.parametrize("sql", SQLITE)
def test_a_query_of_sqlite_ends_at_its_limit(words: Catalog, sql: str) -> None:
    is_over_soon(words, "word", sql)


@pytest.mark.long("servers and workers in processes of their own")
@pytest.mark.parametrize("sql", DUCKDB)
def test_a_query_of_files_ends_at_its_limit(files: Catalog, sql: str) -> None:
    is_over_soon(files, "word", sql)


@pytest.mark.long("servers and workers in processes of their own")
def test_a_query_of_postgres_ends_at_its_limit(postgres_shop: Postgres, tmp_path: Path) -> None:
    with Catalog({"sold": postgres_shop.url()}, tmp_path) as catalog:
        is_over_soon(catalog, "orders", SERVERS)


@pytest.mark.long("servers and workers in processes of their own")
def test_a_query_of_mariadb_ends_at_its_limit(mariadb_shop: MariaDB, tmp_path: Path) -> None:
    with Catalog({"sold": mariadb_shop.url()}, tmp_path) as catalog:
        is_over_soon(catalog, "orders", SERVERS)
