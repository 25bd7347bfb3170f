"""Running queries: results, limits, deadlines, hashes, several engines and threads."""

from __future__ import annotations

import asyncio
import hashlib
import json
import sqlite3
import time
from pathlib import Path

import duckdb
import pytest

from flows.data.catalog import Catalog
from flows.data.engines.duckdb_files import DuckDBFiles
from flows.data.files.sources import open_source
from flows.data.query import Engine, run_query, run_unchecked
from flows.data.tables import Dialect, ResultTable
from flows.errors import CommandError, QueryFailed, QueryRefused, SourceError
from tests.data.test_firewall import HARMLESS_DUCKDB, HARMLESS_SQLITE


def run(catalog: Catalog, sql: str, max_rows: int = 100) -> ResultTable:
    return run_query(catalog, sql, max_rows=max_rows, timeout=20)


@pytest.mark.long("data of some size, read and asked in workers")
def test_a_question_to_a_csv(catalog: Catalog, shop: Path) -> None:
    result = run(
        catalog, "SELECT region, sum(amount) AS total FROM orders GROUP BY region ORDER BY region"
    )
    assert result.columns == ("region", "total")
    assert result.types == ("text", "real")
    assert result.rows == (("North", 40.5), ("South", 26.0), ("West", None))
    assert not result.truncated
    digest = hashlib.sha256((shop / "orders.csv").read_bytes()).hexdigest()
    assert result.sources == {"orders": digest}
    assert result.sql.startswith("SELECT region, SUM(amount) AS total")
    assert result.elapsed_ms > 0


@pytest.mark.long("data of some size, read and asked in workers")
def test_files_are_joined(catalog: Catalog) -> None:
    result = run(
        catalog,
        "SELECT manager, count(*) AS n FROM orders JOIN regions USING (region) "
        "GROUP BY manager ORDER BY n DESC, manager",
    )
    assert result.rows == (("Ida", 2), ("Jon", 2), ("Kim", 1))
    assert set(result.sources) == {"orders", "regions"}


@pytest.mark.long("data of some size, read and asked in workers")
def test_a_question_to_sqlite(catalog: Catalog) -> None:
    result = run(
        catalog,
        "SELECT a.name, b.title, b.price FROM book b JOIN author a USING (author_id) "
        'WHERE a.name = "Ursula" ORDER BY b.year',
    )
    assert result.types == ("text", "text", "real")
    assert result.rows == (("Ursula", "The Dispossessed", 12.5), ("Ursula", "Lavinia", 15.0))
    assert set(result.sources) == {"books"}


@pytest.mark.long("data of some size, read and asked in workers")
def test_views_and_odd_names_of_sqlite(catalog: Catalog) -> None:
    assert run(catalog, "SELECT title FROM recent").rows == (("Lavinia",),)
    assert run(catalog, 'SELECT "select" FROM "odd name" WHERE "first col" = \'y\'').rows == ((2,),)


@pytest.mark.long("data of some size, read and asked in workers")
def test_a_renamed_table_is_read_from_its_source(shop: Path) -> None:
    (shop / "book.csv").write_text("title,stock\nLavinia,3\n")
    with Catalog({"book": "book.csv", "library": "books.sqlite"}, shop) as catalog:
        assert run(catalog, "SELECT stock FROM book").rows == ((3,),)
        sql = "SELECT library_book.pages FROM library_book WHERE library_book.isbn = 'a2'"
        assert run(catalog, sql).rows == ((279,),)


@pytest.mark.long("data of some size, read and asked in workers")
def test_rows_beyond_the_limit_are_left_out_and_it_says_so(catalog: Catalog) -> None:
    result = run(catalog, "SELECT order_id FROM orders ORDER BY order_id", max_rows=2)
    assert (result.rows, result.truncated) == (((1,), (2,)), True)
    exact = run(catalog, "SELECT order_id FROM orders ORDER BY order_id LIMIT 2", max_rows=2)
    assert (len(exact.rows), exact.truncated) == (2, False)
    assert run(catalog, "SELECT * FROM book", max_rows=1).truncated
    endless = "SELECT a.i FROM generate_series(1, 100000000) a(i)"
    assert len(run(catalog, endless, max_rows=3).rows) == 3


@pytest.mark.long("data of some size, read and asked in workers")
def test_values_become_plain_data(catalog: Catalog) -> None:
    result = run(
        catalog,
        "SELECT 'nan'::DOUBLE, 'inf'::FLOAT, 1.25::DECIMAL(5,2), DATE '2024-02-29', "
        "TIMESTAMP '2024-02-29 10:11:12', TIMESTAMPTZ '2024-02-29 10:00:00+02', TIME '10:11:12', "
        "'ab'::BLOB, INTERVAL 3 DAY, [1, 2], {'a': DATE '2024-01-01'}, true, NULL, "
        "170141183460469231731687303715884105727::HUGEINT, 5::UTINYINT",
    )
    (row,) = result.rows
    assert row == (
        None,
        None,
        1.25,
        "2024-02-29",
        "2024-02-29 10:11:12",
        "2024-02-29 08:00:00+00",
        "10:11:12",
        "6162",
        "3 days",
        "[1, 2]",
        '{"a": "2024-01-01"}',
        True,
        None,
        1.7014118346046923e38,
        5,
    )
    assert result.types[:7] == (
        "real",
        "real",
        "real",
        "date",
        "timestamp",
        "timestamp",
        "time",
    )
    assert json.loads(result.model_dump_json())["rows"][0] == list(row)
    assert run(catalog, "SELECT notes FROM book WHERE isbn = 'a1'").rows == (("00ff",),)


@pytest.mark.long("data of some size, read and asked in workers")
def test_columns_of_one_name_are_told_apart(catalog: Catalog) -> None:
    sql = "SELECT o.region, r.region FROM orders o JOIN regions r USING (region)"
    assert run(catalog, sql).columns == ("region", "region_2")


@pytest.mark.long("data of some size, read and asked in workers")
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT sum(a.i * b.i) FROM generate_series(1, 1000000) a(i), "
        "generate_series(1, 1000000) b(i)",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n",
        "WITH RECURSIVE n(i) AS (SELECT author_id FROM author UNION ALL SELECT i + 1 FROM n) "
        "SELECT max(i) FROM n",
    ],
)
def test_a_query_that_takes_too_long_is_stopped(catalog: Catalog, sql: str) -> None:
    catalog.tables()
    started = time.monotonic()
    with pytest.raises(QueryFailed, match=r"longer than .* seconds and was stopped"):
        run_query(catalog, sql, max_rows=10, timeout=0.5)
    assert time.monotonic() - started < 5
    assert run(catalog, "SELECT count(*) FROM orders").rows == ((5,),)


@pytest.mark.long("data of some size, read and asked in workers")
def test_what_the_database_cannot_do_is_its_message(catalog: Catalog) -> None:
    with pytest.raises(QueryFailed, match="DuckDB: Conversion Error"):
        run(catalog, "SELECT CAST(customer AS INTEGER) FROM orders")
    with pytest.raises(QueryFailed, match="SQLite: "):
        run(catalog, "SELECT json_extract(title, '$.a') FROM book")


@pytest.mark.long("data of some size, read and asked in workers")
def test_an_engine_can_be_forced(catalog: Catalog) -> None:
    found = run_query(catalog, "SELECT 7 / 2", max_rows=1, timeout=5, engine="sqlite")
    assert found.rows == ((3,),)
    found = run_query(catalog, "SELECT 7 / 2", max_rows=1, timeout=5, engine="duckdb")
    assert found.rows == ((3.5,),)
    with pytest.raises(QueryRefused, match="which SQLite reads"):
        run_query(catalog, "SELECT * FROM book", max_rows=1, timeout=5, engine="duckdb")


@pytest.mark.parametrize(
    ("engine", "sql"),
    [("duckdb", sql) for sql in HARMLESS_DUCKDB] + [("sqlite", sql) for sql in HARMLESS_SQLITE],
)
def test_writing_a_query_anew_does_not_change_its_result(
    standing_catalog: Catalog, engine: Dialect, sql: str
) -> None:
    found = run_query(standing_catalog, sql, max_rows=100, timeout=10, engine=engine)
    raw = run_unchecked(standing_catalog, sql, engine, max_rows=100, timeout=10)
    if "SAMPLE" not in sql:
        assert sorted(found.rows, key=str) == sorted(raw.rows, key=str)


@pytest.mark.parametrize(
    ("source", "engine", "says"),
    [
        ("orders.csv", "sqlite", "no source that SQLite reads"),
        ("books.sqlite", "duckdb", "no source that DuckDB reads"),
    ],
)
def test_an_engine_without_sources_says_so(
    shop: Path, source: str, engine: Engine, says: str
) -> None:
    with Catalog({"s": source}, shop) as catalog, pytest.raises(CommandError, match=says):
        run_query(catalog, "SELECT 1", max_rows=1, timeout=5, engine=engine)


@pytest.mark.long("data of some size, read and asked in workers")
def test_two_sqlite_files_are_joined_by_duckdb_and_not_by_sqlite(shop: Path) -> None:
    connection = sqlite3.connect(shop / "shelf.sqlite")
    connection.executescript(
        "CREATE TABLE shelf (isbn TEXT, place TEXT); INSERT INTO shelf VALUES ('a2', 'hall')"
    )
    connection.close()
    sql = "SELECT title, place FROM book JOIN shelf USING (isbn)"
    with Catalog({"books": "books.sqlite", "shelf": "shelf.sqlite"}, shop) as catalog:
        found = run(catalog, sql)
        assert (found.rows, set(found.sources)) == ((("Lavinia", "hall"),), {"books", "shelf"})
        with pytest.raises(QueryRefused, match="two SQLite databases"):
            run_query(catalog, sql, max_rows=1, timeout=5, engine="sqlite")


@pytest.mark.long("data of some size, read and asked in workers")
def test_many_threads_ask_at_once(catalog: Catalog) -> None:
    queries = [
        ("SELECT sum(amount) FROM orders", 66.5),
        ("SELECT count(*) FROM book", 3),
        ("SELECT count(*) FROM regions", 3),
    ] * 8

    async def ask() -> list[ResultTable]:
        return await asyncio.gather(*(asyncio.to_thread(run, catalog, sql) for sql, _ in queries))

    found = asyncio.run(ask())
    assert [result.rows[0][0] for result in found] == [value for _, value in queries]


@pytest.mark.long("servers and workers in processes of their own")
def test_one_deadline_does_not_stop_another_query(catalog: Catalog) -> None:
    slow = (
        "SELECT sum(a.i * b.i) FROM generate_series(1, 1000000) a(i), "
        "generate_series(1, 1000000) b(i)"
    )

    async def ask() -> list[object]:
        late = asyncio.to_thread(run_query, catalog, slow, max_rows=1, timeout=0.4)
        others = [asyncio.to_thread(run, catalog, "SELECT count(*) FROM orders") for _ in range(20)]
        return await asyncio.gather(late, *others, return_exceptions=True)

    first, *rest = asyncio.run(ask())
    assert isinstance(first, QueryFailed)
    assert all(isinstance(each, ResultTable) and each.rows == ((5,),) for each in rest)


@pytest.mark.long("data of some size, read and asked in workers")
def test_files_keep_what_was_loaded_and_sqlite_is_read_anew(catalog: Catalog, shop: Path) -> None:
    first = run(catalog, "SELECT count(*) FROM orders")
    books = run(catalog, "SELECT count(*) FROM book")
    with (shop / "orders.csv").open("a") as file:
        file.write("6,Eve,West,2024-04-01,1.0,true\n")
    with sqlite3.connect(shop / "books.sqlite") as connection:
        connection.execute("DELETE FROM book WHERE isbn = 'b1'")
    connection.close()
    again = run(catalog, "SELECT count(*) FROM orders")
    assert (again.rows, again.sources) == (first.rows, first.sources)
    books_again = run(catalog, "SELECT count(*) FROM book")
    assert books_again.rows == ((2,),)
    assert books_again.sources != books.sources


def test_what_stands_in_a_write_ahead_log_counts(shop: Path) -> None:
    writer = sqlite3.connect(shop / "books.sqlite")
    writer.execute("PRAGMA journal_mode = WAL")
    with Catalog({"books": "books.sqlite"}, shop) as catalog:
        before = run(catalog, "SELECT count(*) FROM book")
        writer.execute("DELETE FROM book WHERE isbn = 'b1'")
        writer.commit()
        after = run(catalog, "SELECT count(*) FROM book")
    writer.close()
    assert (before.rows, after.rows) == (((3,),), ((2,),))
    assert before.sources != after.sources


def test_a_file_too_large_to_load_is_read_where_it_is(shop: Path) -> None:
    connection = duckdb.connect(str(shop / "part.duckdb"))
    connection.execute("CREATE TABLE part AS SELECT range AS n FROM range(10)").close()
    names = ("orders.csv", "part.duckdb")
    files = DuckDBFiles([open_source("s", name, shop) for name in names], shop, loaded_bytes=0)
    cursor = files.cursor()
    assert cursor.execute("SELECT count(*) FROM s").fetchall() == [(5,)]
    assert cursor.execute("SELECT sum(n) FROM part").fetchall() == [(45,)]
    with pytest.raises(duckdb.PermissionException):
        cursor.execute(f"FROM '{shop}/regions.csv'")
    with pytest.raises(duckdb.PermissionException):
        cursor.execute(f"COPY (SELECT 1) TO '{shop}/orders.csv'")
    with pytest.raises(duckdb.Error):
        cursor.execute('INSERT INTO "attached s".part VALUES (1)')
    files.close()


def test_a_view_in_a_duckdb_file_reads_no_other_file(shop: Path) -> None:
    connection = duckdb.connect(str(shop / "part.duckdb"))
    connection.execute("CREATE TABLE part AS SELECT 1 AS n")
    connection.execute(f"CREATE VIEW spy AS SELECT * FROM read_text('{shop}/secret.csv')").close()
    with Catalog({"parts": "part.duckdb"}, shop) as catalog:
        assert [table.name for table in catalog.tables()] == ["part"]
        with pytest.raises(QueryRefused, match="no table spy"):
            run(catalog, "SELECT * FROM spy")


def test_a_view_in_a_sqlite_file_calls_no_forbidden_function(shop: Path) -> None:
    connection = sqlite3.connect(shop / "spy.sqlite")
    connection.executescript(
        "CREATE TABLE t (a); CREATE VIEW spy AS SELECT load_extension('x.so') AS a FROM t"
    )
    connection.close()
    with (
        Catalog({"spy": "spy.sqlite"}, shop) as catalog,
        pytest.raises((SourceError, QueryRefused)),
    ):
        run(catalog, "SELECT * FROM spy")
