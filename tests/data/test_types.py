"""Every type that DuckDB, Arrow and pandas have: profiled, asked for, written and read by code."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest

from flows.core.sandbox import SandboxConfig
from flows.data.catalog import Catalog
from flows.data.physical import quote_name
from flows.data.query import export_query, run_query
from flows.data.results.parquet import read_parquet, write_parquet
from flows.data.results.safe_csv import write_csv
from flows.sandbox.python import PythonSandbox
from tests.data import kinds


@dataclass(frozen=True)
class Kinds:
    """A catalog of the two tables, `stored` and `arrow`; what queries show of the first."""

    catalog: Catalog
    shown: dict[str, Any]
    arrow: list[str]


@pytest.fixture(scope="module")
def all_kinds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kinds]:
    folder = tmp_path_factory.mktemp("kinds")
    shown = kinds.write_duckdb(folder / "all.duckdb")
    arrow = kinds.write_arrow(folder / "arrow.parquet")
    with Catalog({"all": "all.duckdb", "arrow": "arrow.parquet"}, folder) as catalog:
        yield Kinds(catalog, shown, arrow)


@pytest.mark.long("data of some size, read and asked in workers")
def test_a_profile_has_every_type(all_kinds: Kinds) -> None:
    stored, arrow = all_kinds.catalog.tables()
    assert [each.name for each in stored.columns] == list(all_kinds.shown)
    assert [each.name for each in arrow.columns] == all_kinds.arrow
    zoned = next(each for each in stored.columns if each.name == "timestamptz")
    assert (zoned.type, zoned.role, zoned.missing) == ("timestamp", "time", 1)
    assert zoned.minimum == zoned.maximum == zoned.values[0] == "2024-02-29 08:00:00+00"


@pytest.mark.long("servers and workers in processes of their own")
def test_a_preview_has_every_type(all_kinds: Kinds) -> None:
    found = all_kinds.catalog.preview(5)
    assert [len(each.columns) for each in found] == [len(all_kinds.shown), len(all_kinds.arrow)]
    assert found[0].sample[0] == all_kinds.catalog.tables()[0].sample[0]


def test_a_query_shows_every_type(all_kinds: Kinds) -> None:
    found = run_query(all_kinds.catalog, "SELECT * FROM stored", max_rows=9, timeout=60)
    assert dict(zip(found.columns, found.rows[0], strict=True)) == all_kinds.shown
    assert set(found.rows[1]) == {None}
    other = run_query(all_kinds.catalog, "SELECT * FROM arrow", max_rows=9, timeout=60)
    for each in (found, other):
        assert write_csv(each.columns, each.rows).startswith(each.columns[0].encode())
        assert pd.read_parquet(BytesIO(write_parquet(each))).shape == (2, len(each.columns))


@pytest.mark.parametrize("table", ["stored", "arrow"])
def test_a_long_result_is_written_with_every_type(all_kinds: Kinds, table: str) -> None:
    sql = f"SELECT * FROM {table}"
    found = export_query(all_kinds.catalog, sql, max_rows=1, timeout=60)
    assert (found.total, len(found.table.rows)) == (2, 1)
    shown = dict(zip(found.table.columns, found.table.rows[0], strict=True))
    if table == "stored":
        assert (shown["date_far"], shown["time_end"]) == ("20000-01-01", "24:00:00")
        assert (shown["date_infinity"], shown["timestamp_infinity"]) == ("infinity", "-infinity")
        assert shown["struct_tz"] == "{'a': '2024-01-01 00:00:00+00'}"
        assert shown["timestamptz"] == "2024-02-29 08:00:00+00:00"
    else:
        assert (shown["date_far"], shown["decimal128"]) == ("2941775-04-07", 1.2)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[tuple[asyncio.Runner, PythonSandbox]]:
    with asyncio.Runner() as runner:
        opened = PythonSandbox(SandboxConfig(seconds=60, memory_mb=1024, file_mb=4, sessions=1))
        yield runner, opened
        runner.run(opened.aclose())


@pytest.mark.long("every type through a worker and a sandbox with all its libraries")
def test_code_reads_every_type(
    all_kinds: Kinds, sandbox: tuple[asyncio.Runner, PythonSandbox], tmp_path: Path
) -> None:
    tables = {name: all_kinds.catalog.export(name, tmp_path) for name in ("stored", "arrow")}
    code = (
        "for table in tables.values():\n    table.to_string(); table.describe()\n"
        "list(stored.columns), str(stored.timestamptz[0]), stored.date_far[0], stored.time_end[0], "
        "stored.date_infinity[0], stored.timestamp_infinity[0]"
    )
    runner, opened = sandbox
    done = runner.run(opened.execute(code, tables=tables))
    assert (done.status, done.fault) == ("ok", None)
    values = "'2024-02-29 08:00:00+00:00', '20000-01-01', '24:00:00', 'infinity', '-infinity'"
    assert done.result == f"({list(all_kinds.shown)}, {values})"


@pytest.mark.long("servers and workers in processes of their own")
def test_a_frame_of_code_comes_back_with_every_type(
    sandbox: tuple[asyncio.Runner, PythonSandbox],
) -> None:
    runner, opened = sandbox
    done = runner.run(opened.execute(kinds.PANDAS))
    assert (done.status, done.fault) == ("ok", None)
    [made] = done.tables
    found, total = read_parquet(made.parquet, most_rows=9, most_cells=1000)
    shown = dict(zip(found.columns, found.rows[0], strict=True))
    assert total == 2
    assert (shown["utc"], shown["period"]) == ("2024-01-01 00:00:00+00:00", "2024-01")
    assert (shown["interval"], shown["complex"], shown["mixed"]) == ("(0, 1]", "1j", "1")
    assert write_csv(found.columns, found.rows)


def test_a_name_with_a_quote_is_no_trouble(tmp_path: Path) -> None:
    name = 'moment "in" UTC'
    (tmp_path / "log.csv").write_text('"moment ""in"" UTC"\n2024-01-01 10:00:00+02\n')
    with Catalog({"log": "log.csv"}, tmp_path) as catalog:
        sql = f"SELECT {quote_name(name, 'duckdb')} FROM log"
        found = run_query(catalog, sql, max_rows=5, timeout=60)
    assert (found.columns, found.rows) == ((name,), (("2024-01-01 08:00:00+00",),))


def test_an_infinite_date_is_the_last_of_its_profile(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT DATE '2024-01-01' + range::INT AS d FROM range(100) "
            "UNION ALL SELECT 'infinity'"
        )
    with Catalog({"t": "t.duckdb"}, tmp_path) as catalog:
        [table] = catalog.tables()
    assert (table.columns[0].minimum, table.columns[0].maximum) == ("2024-01-01", "infinity")
