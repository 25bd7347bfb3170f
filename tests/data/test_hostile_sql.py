"""Hostile SQL for files: refused by the firewall, and held by each other layer without it."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from flows.data.catalog import Catalog
from flows.data.deadline import Deadline
from flows.data.engines.duckdb_files import DuckDBFiles
from flows.data.engines.sqlite_files import SQLiteFile
from flows.data.files.sources import open_source
from flows.data.query import plan_query, run_query
from flows.errors import CommandError, QueryRefused
from tests.data import hostile_duckdb, hostile_sqlite
from tests.data.conftest import SECRET, make_shop

DUCKDB, SQLITE = hostile_duckdb.STATEMENTS, hostile_sqlite.STATEMENTS
ROOT = Path(__file__).parents[2]

# What the databases themselves may answer: it tells nothing of files and changes nothing.
_HARMLESS_RAW = {
    "SELECT * FROM query('SELECT * FROM orders')",
    "SELECT * FROM duckdb_settings()",
    "SELECT * FROM duckdb_tables()",
    "SELECT * FROM duckdb_functions()",
    "SELECT * FROM duckdb_databases()",
    "SELECT * FROM duckdb_logs",
    "SELECT * FROM duckdb_temporary_files()",
    "SELECT * FROM pragma_database_size()",
    "SELECT * FROM pragma_storage_info('orders')",
    "SELECT * FROM summary((SELECT * FROM orders))",
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM sqlite_master",
    "SELECT * FROM pg_catalog.pg_tables",
    "SELECT * FROM pg_class",
    "SELECT current_setting('temp_directory')",
    "SELECT current_user, session_user",
    "SELECT current_database(), current_schema()",
    "SELECT version()",
    "SELECT current_query()",
    "SELECT txid_current()",
    "SELECT pg_sleep(1)",
    "SELECT getvariable('x')",
    "SELECT * FROM memory.main.orders",
    "SELECT orders.* FROM orders, pragma_table_info('orders')",
    "SELECT write_log('x')",
    "SELECT * FROM main.book",
    "SELECT json_serialize_sql('SELECT 1')",
    "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
    "SELECT * FROM sql_auto_complete('SEL')",
    "SELECT repeat(repeat('x', 1000), 1000)",
    "DESCRIBE orders",
    "SHOW TABLES",
    "UNPIVOT orders ON amount",
    "PIVOT orders ON region USING sum(amount)",
    "EXPLAIN SELECT * FROM book",
    "EXPLAIN QUERY PLAN SELECT * FROM book",
}
# These only take memory, which a connection alone does not limit enough.
_BOMBS = ("2000000000", "1000000000")


def listing(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def raw(statements: list[str], folder: Path) -> list[tuple[str, str]]:
    """What a connection is given without bombs: the statement, and its text for this folder."""
    return [
        (each, each.replace("FOLDER", str(folder)))
        for each in statements
        if not any(bomb in each for bomb in _BOMBS)
    ]


def test_the_lists_are_long_and_say_nothing_twice() -> None:
    for statements in (DUCKDB, SQLITE):
        assert len(set(statements)) == len(statements) >= 120


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


@pytest.mark.long("data of some size, read and asked in workers")
def test_the_locked_duckdb_holds_without_the_firewall(shop: Path, tmp_path: Path) -> None:
    folder = tmp_path / "loaded"
    folder.mkdir()
    before = listing_of_data(shop)
    sources = [open_source(name, f"{name}.csv", shop) for name in ("orders", "regions")]
    engine = DuckDBFiles(sources, folder)
    try:
        for sql, text in raw(DUCKDB, shop):
            try:
                found = engine.query(text, (), 1000, Deadline(5.0))
            except (CommandError, duckdb.Error, MemoryError):
                continue
            assert sql in _HARMLESS_RAW, (sql, found)
            assert SECRET not in str(found), sql
        assert listing_of_data(shop) == before
        assert engine.fetch("SELECT sum(amount) FROM orders") == [(66.5,)]
    finally:
        engine.close()


def listing_of_data(shop: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in shop.iterdir() if path.is_file()}


def test_the_guarded_sqlite_holds_without_the_firewall(shop: Path) -> None:
    before = listing(shop)
    tables = ["author", "book", "odd name", "recent", "blank"]
    engine = SQLiteFile(open_source("books", "books.sqlite", shop))
    for sql, text in raw(SQLITE, shop):
        try:
            found = engine.query(text, tables, 1000, Deadline(5.0))
        except (CommandError, sqlite3.Error, MemoryError):
            continue
        assert sql in _HARMLESS_RAW, (sql, found)
    engine.close()
    assert listing(shop) == before


def test_the_guard_knows_only_the_tables_it_is_given(shop: Path) -> None:
    engine = SQLiteFile(open_source("books", "books.sqlite", shop))
    with pytest.raises(QueryRefused, match="may not read the table book"):
        engine.query("SELECT * FROM book", ["author"], 10, Deadline(5.0))
    engine.close()


@pytest.mark.long("data of some size, read and asked in workers")
@pytest.mark.parametrize("engine", ["duckdb", "sqlite"])
def test_the_walls_hold_a_plain_connection(engine: str, tmp_path: Path) -> None:
    """No parser, no locked connection: what is asked for may run, but reaches nothing outside."""
    folder, scratch = tmp_path / "shop", tmp_path / "scratch"
    for each in (folder, scratch):
        each.mkdir()
    make_shop(folder)
    before = listing(folder)
    statements = [each.replace("FOLDER", str(folder)) for each in (*DUCKDB, *SQLITE)]
    bombs = [each for each in statements if any(bomb in each for bomb in (*_BOMBS, "threads ="))]
    others = [each for each in statements if each not in bombs]
    ended = behind_walls(engine, folder, scratch, others)
    assert ended.returncode == 0, ended.stderr[-2000:]
    said = json.loads(ended.stdout)
    if "landlock" in said["missing"]:
        pytest.skip("this kernel has no Landlock: only the other layers hold files here")
    assert len(said["outcomes"]) == len(others)
    assert SECRET not in ended.stdout
    assert SECRET not in behind_walls(engine, folder, scratch, bombs).stdout  # it may well die
    assert listing(folder) == before


def behind_walls(
    engine: str, folder: Path, scratch: Path, statements: list[str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.data.behind_walls", engine, str(folder), str(scratch)],
        input=json.dumps(statements),
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=50,
    )


@pytest.mark.long("data of some size, read and asked in workers")
def test_nothing_gets_through_all_layers(catalog: Catalog, shop: Path) -> None:
    catalog.tables()
    before = listing(shop)
    for engine, statements in (("duckdb", DUCKDB), ("sqlite", SQLITE)):
        for sql in statements:
            with pytest.raises(QueryRefused):
                run_query(
                    catalog,
                    sql.replace("FOLDER", str(shop)),
                    max_rows=5,
                    timeout=5,
                    engine="duckdb" if engine == "duckdb" else "sqlite",
                )
    assert listing(shop) == before
    assert run_query(catalog, "SELECT * FROM orders", max_rows=9, timeout=5).rows[4][0] == 5


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
