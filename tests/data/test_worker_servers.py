"""Database servers in a catalog: asked in their own SQL, joined with files, never trusted more."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from flows.data.catalog import Catalog
from flows.data.query import run_query, run_unchecked
from flows.errors import CommandError, QueryFailed
from tests.data.test_worker import until
from tests.servers.mariadb import MariaDB
from tests.servers.postgres import Postgres

EVERYWHERE = """
    SELECT r.manager, sum(o.amount) AS total, count(DISTINCT b.isbn) AS books
    FROM {orders} AS o JOIN regions AS r USING (region) CROSS JOIN book AS b
    WHERE o.placed >= DATE '2024-01-10' GROUP BY r.manager ORDER BY r.manager
"""
EXPECTED = (("Ida", 90.0, 3), ("Jon", 78.0, 3), ("Kim", None, 3))


@pytest.mark.long("data of some size, read and asked in workers")
def test_postgres_is_asked_in_its_own_sql(postgres_shop: Postgres, shop: Path) -> None:
    with Catalog({"sold": postgres_shop.url(), "books": "books.sqlite"}, shop) as catalog:
        sql = (
            "SELECT to_char(placed, 'YYYY-MM') AS m, sum(amount) FROM orders GROUP BY 1 ORDER BY 1"
        )
        found = run_query(catalog, sql, max_rows=9, timeout=30)
        assert found.rows == (("2024-01", 30.75), ("2024-02", 30.0), ("2024-03", 5.75))
        assert catalog.workers.files.pid is not None
        assert catalog.workers.servers.pid != catalog.workers.files.pid
        first = found.sources["sold"]
        assert len(first) == 64
        assert run_query(catalog, sql, max_rows=9, timeout=30).sources["sold"] == first


@pytest.mark.long("servers and workers in processes of their own")
def test_files_sqlite_and_postgres_are_joined(postgres_shop: Postgres, shop: Path) -> None:
    sources = {"regions": "regions.csv", "sold": postgres_shop.url(), "books": "books.sqlite"}
    with Catalog(sources, shop) as catalog:
        names = [table.name for table in catalog.tables()]
        assert {"regions", "sold_regions", "orders", "sales_Big Deals", "book"} <= set(names)
        found = run_query(catalog, EVERYWHERE.format(orders="orders"), max_rows=9, timeout=30)
        assert found.rows == EXPECTED
        assert set(found.sources) == {"regions", "sold", "books"}
        odd = 'SELECT d."Deal", r.manager FROM "sales_Big Deals" d, orders o '
        odd += "JOIN regions r USING (region)"
        odd += ' WHERE d."Order" = o.order_id'
        assert run_query(catalog, odd, max_rows=9, timeout=30).rows == ((7, "Ida"),)


@pytest.mark.long("servers and workers in processes of their own")
def test_files_and_two_servers_are_joined(
    postgres_shop: Postgres, mariadb_shop: MariaDB, shop: Path
) -> None:
    sources = {
        "regions": "regions.csv",
        "books": "books.sqlite",
        "p": postgres_shop.url(),
        "m": mariadb_shop.url(),
    }
    with Catalog(sources, shop) as catalog:
        found = run_query(catalog, EVERYWHERE.format(orders="m_orders"), max_rows=9, timeout=30)
        assert found.rows == EXPECTED
        sql = "SELECT count(*) FROM orders AS p JOIN m_orders AS m USING (order_id, placed, amount)"
        assert run_query(catalog, sql, max_rows=9, timeout=30).rows == ((4,),)


@pytest.mark.long("data of some size, read and asked in workers")
def test_a_table_of_a_server_comes_out_whole(mariadb_shop: MariaDB, tmp_path: Path) -> None:
    from pyarrow import parquet

    with Catalog({"sold": mariadb_shop.url()}, tmp_path) as catalog:
        orders = parquet.read_table(catalog.export("orders", tmp_path))
    assert orders.num_rows == 5
    assert str(orders.schema.field("placed").type) == "date32[day]"


@pytest.mark.long("data of some size, read and asked in workers")
def test_a_server_query_that_takes_too_long_is_stopped(postgres_shop: Postgres, shop: Path) -> None:
    with Catalog({"sold": postgres_shop.url(), "orders": "orders.csv"}, shop) as catalog:
        with pytest.raises(QueryFailed, match="took longer than 1 seconds"):
            run_unchecked(catalog, "SELECT pg_sleep(60)", "postgres", max_rows=1, timeout=1)
        assert run_query(catalog, "SELECT count(*) FROM sold_orders", max_rows=1, timeout=30).rows
        worker = catalog.workers.servers.pid
        assert worker is not None
        os.kill(worker, signal.SIGKILL)
        until(lambda: catalog.workers.servers.pid is None)
        assert run_query(catalog, "SELECT count(*) FROM sold_orders", max_rows=1, timeout=30).rows


@pytest.mark.long("data of some size, read and asked in workers")
def test_the_worker_of_files_has_no_network(postgres_shop: Postgres, shop: Path) -> None:
    sources = {"sold": postgres_shop.url(), "orders": "orders.csv"}
    with Catalog(sources, shop) as catalog:
        catalog.tables()
        sql = "SELECT * FROM read_csv('http://127.0.0.1:80/x.csv')"
        with pytest.raises(CommandError):
            run_unchecked(catalog, sql, "duckdb", max_rows=1, timeout=30)
        assert catalog.workers.files.walls["seccomp"]


@pytest.mark.long("servers and workers in processes of their own")
def test_a_preview_of_servers_reads_their_first_rows(
    postgres_shop: Postgres, mariadb_shop: MariaDB, shop: Path
) -> None:
    sources = {"p": postgres_shop.url(), "m": mariadb_shop.url()}
    with Catalog(sources, shop) as catalog:
        found = {(each.source, each.name): each for each in catalog.preview(rows=2)}
        whole = {(each.source, each.name): each for each in catalog.tables()}
    assert set(found) == set(whole)
    for key, table in found.items():
        assert table.rows == min(2, whole[key].rows)
        assert [(each.name, each.type) for each in table.columns] == [
            (each.name, each.type) for each in whole[key].columns
        ]
    assert found["p", "orders"].dialect == "postgres"
    assert found["p", "orders"].notes[0] == "a preview: only the first 2 rows were looked at"
    assert found["p", "orders"].description == whole["p", "orders"].description
