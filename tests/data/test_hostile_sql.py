"""Hostile SQL: refused by the firewall, and by the locked databases when the firewall is absent."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import duckdb
import pytest

from flows.data.catalog import Catalog
from flows.data.deadline import Deadline
from flows.data.query import plan_query, query_duckdb, query_sqlite, run_query
from flows.errors import CommandError, QueryRefused
from tests.data.conftest import SECRET

# FOLDER stands for the folder of the data: an absolute path that the attacker knows.
DUCKDB = [
    "SELECT * FROM 'FOLDER/secret.csv'",
    'SELECT * FROM "FOLDER/secret.csv"',
    "SELECT * FROM read_csv('FOLDER/secret.csv')",
    "SELECT * FROM read_csv_auto('FOLDER/secret.csv')",
    "SELECT * FROM read_text('FOLDER/secret.csv')",
    "SELECT * FROM read_blob('FOLDER/secret.csv')",
    "SELECT * FROM read_parquet('FOLDER/*')",
    "SELECT * FROM read_json('FOLDER/secret.csv')",
    "SELECT * FROM sniff_csv('FOLDER/secret.csv')",
    "SELECT * FROM glob('FOLDER/*')",
    "SELECT * FROM orders WHERE (SELECT count(*) FROM read_text('FOLDER/secret.csv')) > 0",
    "WITH x AS (SELECT * FROM read_text('FOLDER/secret.csv')) SELECT * FROM x",
    "WITH x AS (SELECT 1) SELECT * FROM x, (SELECT * FROM 'FOLDER/secret.csv')",
    "SELECT * FROM (SELECT * FROM (FROM 'FOLDER/secret.csv'))",
    "SELECT * FROM query('SELECT * FROM orders')",
    "SELECT * FROM query_table('FOLDER/secret.csv')",
    "COPY orders TO 'FOLDER/out.csv'",
    "COPY (SELECT 1) TO 'FOLDER/orders.csv'",
    "COPY orders FROM 'FOLDER/secret.csv'",
    "EXPORT DATABASE 'FOLDER/out'",
    "IMPORT DATABASE 'FOLDER/out'",
    "ATTACH 'FOLDER/out.duckdb' AS other",
    "ATTACH ':memory:' AS other",
    "DETACH memory",
    "USE memory",
    "INSTALL httpfs",
    "LOAD httpfs",
    "LOAD 'FOLDER/evil.duckdb_extension'",
    "PRAGMA database_list",
    "PRAGMA enable_external_access",
    "SET enable_external_access = true",
    "SET lock_configuration = false",
    "SET memory_limit = '100GB'",
    "RESET ALL",
    "SET VARIABLE x = 1",
    "CALL pragma_version()",
    "CREATE TABLE evil AS SELECT 1",
    "CREATE TEMP TABLE evil AS SELECT 1",
    "CREATE OR REPLACE VIEW orders AS SELECT 1",
    "CREATE MACRO evil() AS 1",
    "CREATE SECRET evil (TYPE s3)",
    "DROP TABLE orders",
    "DELETE FROM orders",
    "UPDATE orders SET amount = 0",
    "INSERT INTO orders SELECT * FROM orders",
    "MERGE INTO orders USING regions ON true WHEN MATCHED THEN DELETE",
    "TRUNCATE orders",
    "ALTER TABLE orders DROP COLUMN amount",
    "WITH gone AS (DELETE FROM orders RETURNING *) SELECT * FROM gone",
    "SELECT 1; DELETE FROM orders",
    "SELECT 1; COMMIT; DROP TABLE orders",
    "BEGIN TRANSACTION",
    "CHECKPOINT",
    "VACUUM",
    "EXPLAIN ANALYZE DELETE FROM orders",
    "PREPARE p AS DELETE FROM orders",
    "EXECUTE p",
    "DESCRIBE orders",
    "SHOW TABLES",
    "SELECT * FROM duckdb_settings()",
    "SELECT * FROM duckdb_secrets()",
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM sqlite_master",
    "SELECT * FROM pg_catalog.pg_tables",
    "SELECT current_setting('temp_directory')",
    "SELECT getenv('HOME')",
    "SELECT getvariable('x')",
    "SELECT nextval('s')",
    "SELECT len(range(2000000000))",
    "SELECT repeat('x', 2000000000)",
    "SELECT lpad('x', 2000000000, 'y')",
    "SELECT format('{:>2000000000}', 1)",
    "SELECT printf('%2000000000d', 1)",
    "SELECT * FROM orders FOR UPDATE",
    "SELECT * INTO evil FROM orders",
    "SELECT $1",
    "SELECT ?",
    "SELECT * FROM postgres_scan('host=x', 'y', 'z')",
    "SELECT * FROM sqlite_scan('FOLDER/books.sqlite', 'book')",
    "SELECT * FROM memory.main.orders",
    "SELECT orders.* FROM orders, pragma_table_info('orders')",
    "SELECT write_log('x')",
    "SELECT /* */ read_text('FOLDER/secret.csv')",
    "SELECT system('id')",
    "PIVOT orders ON region USING sum(amount)",
]

SQLITE = [
    "ATTACH 'FOLDER/out.sqlite' AS other",
    "ATTACH DATABASE 'file:FOLDER/out.sqlite?mode=rwc' AS other",
    "DETACH main",
    "VACUUM",
    "VACUUM INTO 'FOLDER/out.sqlite'",
    "PRAGMA writable_schema = ON",
    "PRAGMA query_only = OFF",
    "PRAGMA journal_mode = DELETE",
    "PRAGMA table_info(book)",
    "PRAGMA database_list",
    "SELECT load_extension('FOLDER/evil.so')",
    "SELECT readfile('FOLDER/secret.csv')",
    "SELECT writefile('FOLDER/out', 'x')",
    "SELECT edit('x')",
    "SELECT fts3_tokenizer('simple')",
    "SELECT sqlite_version()",
    "SELECT sqlite_source_id()",
    "SELECT sqlite_compileoption_get(0)",
    "SELECT zeroblob(2000000000)",
    "SELECT randomblob(2000000000)",
    "SELECT hex(zeroblob(1000000000))",
    "SELECT changes(), last_insert_rowid()",
    "SELECT * FROM sqlite_master",
    "SELECT * FROM sqlite_schema",
    "SELECT * FROM main.sqlite_master",
    "SELECT sql FROM sqlite_temp_master",
    "SELECT * FROM main.book",
    "SELECT * FROM pragma_table_info('book')",
    "SELECT * FROM pragma_database_list",
    "SELECT * FROM dbstat",
    "SELECT * FROM json_each('[1]')",
    "SELECT * FROM generate_series(1, 10)",
    "SELECT * FROM csv('FOLDER/secret.csv')",
    "INSERT INTO book (isbn) VALUES ('x')",
    "REPLACE INTO book (isbn) VALUES ('a1')",
    "UPDATE book SET price = 0",
    "DELETE FROM book",
    "WITH x AS (SELECT 1) DELETE FROM book",
    "WITH x AS (SELECT 1) INSERT INTO book (isbn) SELECT 'x'",
    "DROP TABLE book",
    "CREATE TABLE evil (a)",
    "CREATE TEMP TABLE evil AS SELECT 1",
    "CREATE TABLE evil AS SELECT * FROM book",
    "CREATE VIEW evil AS SELECT 1",
    "CREATE TRIGGER evil AFTER INSERT ON book BEGIN SELECT 1; END",
    "CREATE INDEX evil ON book (title)",
    "CREATE VIRTUAL TABLE evil USING fts5(a)",
    "ALTER TABLE book RENAME TO gone",
    "REINDEX",
    "ANALYZE",
    "BEGIN EXCLUSIVE",
    "SAVEPOINT s",
    "EXPLAIN SELECT * FROM book",
    "EXPLAIN QUERY PLAN SELECT * FROM book",
    "SELECT 1; DROP TABLE book",
    "SELECT 1; ATTACH 'FOLDER/out.sqlite' AS other",
    "SELECT ?1",
    "SELECT :name",
    "SELECT title FROM book WHERE title MATCH 'x'",
]

# What the databases themselves may answer: it tells nothing and changes nothing.
_HARMLESS_RAW = {
    "SELECT * FROM query('SELECT * FROM orders')",
    "SELECT * FROM duckdb_settings()",
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM sqlite_master",
    "SELECT * FROM pg_catalog.pg_tables",
    "SELECT current_setting('temp_directory')",
    "SELECT getvariable('x')",
    "SELECT * FROM memory.main.orders",
    "SELECT orders.* FROM orders, pragma_table_info('orders')",
    "SELECT write_log('x')",
    "SELECT * FROM main.book",
    "DESCRIBE orders",
    "SHOW TABLES",
    "EXPLAIN SELECT * FROM book",
    "EXPLAIN QUERY PLAN SELECT * FROM book",
}
# These only take memory, which the locked connection does not limit enough.
_BOMBS = ("2000000000", "1000000000")


def listing(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("sql", DUCKDB)
def test_the_firewall_refuses_hostile_duckdb(
    standing_catalog: Catalog, standing_shop: Path, sql: str
) -> None:
    with pytest.raises(QueryRefused):
        plan_query(standing_catalog, sql.replace("FOLDER", str(standing_shop)), "duckdb")


@pytest.mark.parametrize("sql", SQLITE)
def test_the_firewall_refuses_hostile_sqlite(
    standing_catalog: Catalog, standing_shop: Path, sql: str
) -> None:
    with pytest.raises(QueryRefused):
        plan_query(standing_catalog, sql.replace("FOLDER", str(standing_shop)), "sqlite")


def test_a_refused_query_does_not_run(catalog: Catalog) -> None:
    with pytest.raises(QueryRefused):
        run_query(catalog, "SELECT 1; DELETE FROM orders", max_rows=5, timeout=5)
    assert run_query(catalog, "SELECT * FROM orders", max_rows=9, timeout=5).rows[4][0] == 5


def test_the_locked_duckdb_holds_without_the_firewall(catalog: Catalog, shop: Path) -> None:
    catalog.tables()
    before = listing(shop)
    for sql in (each for each in DUCKDB if not any(bomb in each for bomb in _BOMBS)):
        text = sql.replace("FOLDER", str(shop))
        cursor = catalog.file_cursor()
        try:
            if sql in _HARMLESS_RAW:
                found = query_duckdb(cursor, text, 1000)
                assert SECRET not in str(found)
                continue
            with pytest.raises((CommandError, duckdb.Error)):
                print(sql, query_duckdb(cursor, text, 1000))
        finally:
            cursor.close()
    assert listing(shop) == before
    assert run_query(catalog, "SELECT sum(amount) FROM orders", max_rows=1, timeout=5).rows == (
        (66.5,),
    )


def test_the_guarded_sqlite_holds_without_the_firewall(catalog: Catalog, shop: Path) -> None:
    source = catalog.source("books") if catalog.tables() else None
    assert source is not None
    before = listing(shop)
    tables = ["author", "book", "odd name", "recent", "blank"]
    for sql in SQLITE:
        if sql in _HARMLESS_RAW:
            continue
        with pytest.raises((CommandError, sqlite3.Error)):
            print(
                sql,
                query_sqlite(source, sql.replace("FOLDER", str(shop)), tables, 1000, Deadline(5.0)),
            )
    assert listing(shop) == before


def test_the_guard_knows_only_the_tables_it_is_given(catalog: Catalog) -> None:
    catalog.tables()
    source = catalog.source("books")
    with pytest.raises(QueryRefused, match="may not read the table book"):
        query_sqlite(source, "SELECT * FROM book", ["author"], 10, Deadline(5.0))


def test_the_attacks_work_where_nothing_holds_them(shop: Path) -> None:
    """Without this, a list of statements that are merely wrong would prove nothing."""
    connection = duckdb.connect()
    secret = f"SELECT content FROM read_text('{shop}/secret.csv')"
    assert SECRET in str(connection.execute(secret).fetchall())
    assert SECRET in str(connection.execute(f"FROM '{shop}/secret.csv'").fetchall())
    connection.execute(f"COPY (SELECT 1) TO '{shop}/out.csv'")
    connection.execute(f"ATTACH '{shop}/out.duckdb' AS other")
    connection.close()
    plain = sqlite3.connect(f"file:{shop}/books.sqlite?mode=ro", uri=True)
    plain.execute(f"VACUUM INTO '{shop}/copy.sqlite'")
    plain.execute(f"ATTACH '{shop}/new.sqlite' AS other")
    plain.execute("CREATE TABLE other.evil (a)")
    plain.close()
    made = {"out.csv", "out.duckdb", "copy.sqlite", "new.sqlite"}
    assert made <= {path.name for path in shop.iterdir()}
