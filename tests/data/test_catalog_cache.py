"""Profiles that were made before: the catalog answers from them, and never with old ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.data.catalog import Catalog
from flows.data.query import run_query
from flows.data.tables import Table
from flows.errors import SourceError
from tests.data.conftest import SOURCES


def tables_of(shop: Path, cache: Path) -> tuple[tuple[Table, ...], bool]:
    """All tables, and whether a process was started to read the sources."""
    with Catalog(SOURCES, shop, cache) as catalog:
        tables = catalog.tables()
        return tables, catalog.workers.files.pid is not None


@pytest.mark.long("data of some size, read and asked in workers")
def test_what_was_profiled_is_not_read_again(shop: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    first, started = tables_of(shop, cache)
    again, started_again = tables_of(shop, cache)
    with Catalog(SOURCES, shop) as catalog:
        plain = catalog.tables()
    assert (started, started_again) == (True, False)
    assert first == again == plain


@pytest.mark.long("servers and workers in processes of their own")
def test_a_query_over_cached_profiles_gives_what_it_gave(shop: Path, tmp_path: Path) -> None:
    found = []
    for _ in range(2):
        with Catalog(SOURCES, shop, tmp_path / "cache") as catalog:
            sql = "SELECT count(*) FROM orders JOIN book ON order_id = author_id"
            found.append(run_query(catalog, sql, max_rows=1, timeout=30))
    assert found[0].rows == found[1].rows == ((3,),)
    assert found[0].sources == found[1].sources


@pytest.mark.long("data of some size, read and asked in workers")
def test_a_source_that_was_written_again_is_profiled_again(shop: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    tables_of(shop, cache)
    with (shop / "orders.csv").open("a") as file:
        file.write("6,Eve,West,2024-04-01,1.0,true\n")
    tables, started = tables_of(shop, cache)
    assert started
    assert {table.name: table.rows for table in tables}["orders"] == 6


@pytest.mark.long("data of some size, read and asked in workers")
def test_a_source_that_changes_between_profile_and_query(shop: Path, tmp_path: Path) -> None:
    tables_of(shop, tmp_path / "cache")
    with Catalog(SOURCES, shop, tmp_path / "cache") as catalog:
        catalog.tables()
        (shop / "regions.csv").write_text("region,manager\nNorth,Eva\n")
        with pytest.raises(SourceError, match="'regions' has changed since it was first read"):
            run_query(catalog, "SELECT * FROM orders", max_rows=1, timeout=30)


@pytest.mark.long("data of some size, read and asked in workers")
def test_a_damaged_cache_costs_time_and_nothing_else(shop: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    first, _ = tables_of(shop, cache)
    for entry in cache.iterdir():
        entry.write_bytes(b"{" + entry.read_bytes()[:200])
    again, started = tables_of(shop, cache)
    assert (again, started) == (first, True)


@pytest.mark.long("data of some size, read and asked in workers")
def test_one_content_under_two_names_is_two_tables(shop: Path, tmp_path: Path) -> None:
    (shop / "copy.csv").write_bytes((shop / "orders.csv").read_bytes())
    for _ in range(2):
        with Catalog({"a": "orders.csv", "b": "copy.csv"}, shop, tmp_path / "cache") as catalog:
            assert [(each.name, each.source) for each in catalog.tables()] == [
                ("a", "a"),
                ("b", "b"),
            ]
            found = run_query(catalog, "SELECT count(*) FROM a, b", max_rows=1, timeout=30)
            assert found.rows == ((25,),)
