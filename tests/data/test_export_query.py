"""All rows of a query as Parquet, from every engine; the first of them as cells."""

from __future__ import annotations

import sqlite3
from io import BytesIO
from pathlib import Path

import pandas as pd
import pytest

from flows.data.catalog import Catalog
from flows.data.query import Exported, export_query, run_query
from flows.data.sql.table_copies import copied_table
from flows.errors import QueryFailed, QueryRefused
from tests.servers.mariadb import MariaDB
from tests.servers.postgres import Postgres

MANY = 3_000


def export(catalog: Catalog, sql: str, max_rows: int = 100) -> Exported:
    return export_query(catalog, sql, max_rows=max_rows, timeout=30)


def frame(found: Exported) -> pd.DataFrame:
    return pd.read_parquet(BytesIO(found.parquet))


@pytest.fixture
def files(tmp_path: Path) -> Path:
    made = pd.DataFrame(
        {"n": range(MANY), "x": [each / 7 for each in range(MANY)],
         "day": [f"2024-01-{1 + each % 28:02d}" for each in range(MANY)],
         "word": [None if each % 5 == 0 else f"w{each}" for each in range(MANY)]}
    )  # fmt: skip
    made.to_csv(tmp_path / "many.csv", index=False)
    connection = sqlite3.connect(tmp_path / "many.db")
    made.to_sql("stored", connection, index=False)
    connection.execute("CREATE TABLE mixed (v, w, b)")
    rows = [(each if each % 2 else f"t{each}", each if each % 3 else each / 2, b"\x01")
            for each in range(MANY)]  # fmt: skip
    connection.executemany("INSERT INTO mixed VALUES (?, ?, ?)", rows)
    connection.commit()
    connection.close()
    return tmp_path


@pytest.mark.long("data of some size, read and asked in workers")
@pytest.mark.parametrize(("source", "table"), [("many.csv", "many"), ("many.db", "stored")])
def test_all_rows_come_out_and_the_first_are_cells(files: Path, source: str, table: str) -> None:
    with Catalog({"many": source}, files) as catalog:
        sql = f"SELECT n, x, day, word, x AS n FROM {table} WHERE n >= 500 ORDER BY n DESC"
        found = export(catalog, sql)
        plain = run_query(catalog, sql, max_rows=100, timeout=30)
    whole = frame(found)
    assert found.total == len(whole) == 2500
    assert list(whole.columns) == ["n", "x", "day", "word", "n_2"]
    assert whole["n"].to_list() == list(range(2999, 499, -1))
    assert whole["word"].isna().sum() == 500
    assert (found.table.truncated, len(found.table.rows)) == (True, 100)
    assert found.table.rows == plain.rows
    assert (found.table.columns, found.table.sql) == (plain.columns, plain.sql)
    assert found.table.types[2] == "date"


def test_a_small_result_is_as_a_query_gives_it(files: Path) -> None:
    with Catalog({"many": "many.csv"}, files) as catalog:
        sql = "SELECT n FROM many WHERE n < 3"
        found = export(catalog, sql)
        none = export(catalog, "SELECT n FROM many WHERE n < 0")
    assert (found.total, found.table.rows, found.table.truncated) == (3, ((0,), (1,), (2,)), False)
    assert frame(found)["n"].to_list() == [0, 1, 2]
    assert (none.total, list(frame(none).columns)) == (0, ["n"])


@pytest.mark.long("data of some size, read and asked in workers")
def test_columns_of_mixed_types_become_one(files: Path) -> None:
    with Catalog({"many": "many.db"}, files) as catalog:
        found = frame(export(catalog, "SELECT v, w, b FROM mixed"))
    assert found["v"].to_list()[:3] == ["t0", "1", "t2"]
    assert found["w"].dtype == "float64"
    assert found["b"].iloc[0] == b"\x01"


@pytest.mark.long("data of some size, read and asked in workers")
def test_tables_of_two_databases_are_exported_together(files: Path) -> None:
    with Catalog({"many": "many.csv", "other": "many.db"}, files) as catalog:
        sql = "SELECT a.n, b.x FROM many AS a JOIN stored AS b ON a.n = b.n ORDER BY a.n"
        found = export(catalog, sql)
    assert (found.total, frame(found)["n"].to_list()[-1]) == (MANY, MANY - 1)


@pytest.mark.long("data of some size, read and asked in workers")
def test_the_firewall_and_the_clock_hold_for_exports(files: Path) -> None:
    with Catalog({"many": "many.csv"}, files) as catalog:
        with pytest.raises(QueryRefused):
            export(catalog, "DELETE FROM many")
        with pytest.raises(QueryFailed, match="longer than"):
            export_query(
                catalog,
                "SELECT SUM(a.n * b.n + c.n) FROM many a, many b, many c",
                max_rows=10,
                timeout=0.5,
            )
        assert export(catalog, "SELECT n FROM many").total == MANY


@pytest.mark.long("servers and workers in processes of their own")
def test_servers_export_all_rows_too(
    postgres_shop: Postgres, mariadb_shop: MariaDB, tmp_path: Path
) -> None:
    for server in (postgres_shop, mariadb_shop):
        with Catalog({"shop": server.url()}, tmp_path) as catalog:
            sql = "SELECT order_id, placed, amount, customer FROM orders ORDER BY order_id"
            found = export(catalog, sql, max_rows=2)
        assert (found.total, len(found.table.rows)) == (5, 2)
        assert frame(found)["order_id"].to_list() == [1, 2, 3, 4, 5]
        assert frame(found)["amount"].to_list()[:2] == [10.5, 20.25]
        assert found.table.types == ("integer", "date", "real", "text")


COPIES = {
    "SELECT * FROM many": ("n", "x", "day", "word"),
    'SELECT word, "x" FROM many': ("word", "x"),
    "SELECT * FROM many LIMIT 5": None,
    "SELECT * FROM many WHERE n > 1": None,
    "SELECT DISTINCT word FROM many": None,
    "SELECT x + 1 AS x FROM many": None,
    "SELECT x AS n FROM many": None,
    "SELECT * FROM many, many AS other": None,
    "SELECT n FROM many UNION SELECT n FROM many": None,
    "WITH many AS (SELECT 1 AS n) SELECT n FROM many": None,
}


@pytest.mark.parametrize("sql", list(COPIES))
def test_only_a_plain_copy_keeps_the_profile(files: Path, sql: str) -> None:
    with Catalog({"many": "many.csv"}, files) as catalog:
        found = copied_table(sql, catalog.tables())
    columns = None if found is None else tuple(each.name for each in found.columns)
    assert columns == COPIES[sql]
