"""The profile: the same numbers as pandas finds, whatever the way to them."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flows.data.catalog import Catalog
from flows.data.files.readers import read_source
from flows.data.files.sources import open_source
from flows.data.profiles.large import arrays_of, profile_large
from flows.data.profiles.profile import Declared, TableLayout, profile_table
from flows.data.tables import Column, ColumnType, Dialect, Table

TYPES: tuple[ColumnType, ...] = ("integer", "real", "text", "boolean", "date")
WORDS = st.text(alphabet="ab cé,'\"\n0", min_size=0, max_size=4)
ROWS = st.lists(
    st.tuples(
        st.none() | st.integers(-(2**40), 2**40) | st.integers(-3, 3),
        st.none() | st.floats(-1e6, 1e6, width=32),
        st.none() | WORDS,
        st.none() | st.booleans(),
        st.none() | st.dates(date(1990, 1, 1), date(1990, 3, 1)),
    ),
    max_size=40,
)
Row = tuple[Any, ...]


def profiled(rows: Sequence[Row], dialect: Dialect, *, sorted_columns: bool) -> Table:
    declared = tuple(
        Declared(f"c {kind}", None if dialect == "sqlite" and kind != "date" else kind)
        for kind in TYPES
    )
    layout = TableLayout("s", "t", "t", dialect, declared)
    if dialect == "sqlite":
        connection = sqlite3.connect(":memory:")
        connection.execute('CREATE TABLE t ("c integer","c real","c text","c boolean","c date")')
        plain = [
            tuple(each.isoformat() if isinstance(each, date) else each for each in row)
            for row in rows
        ]
        connection.executemany("INSERT INTO t VALUES (?,?,?,?,?)", plain)
        try:
            return profile_table(layout, lambda sql: connection.execute(sql).fetchall())
        finally:
            connection.close()
    database = duckdb.connect()
    database.execute(
        'CREATE TABLE t ("c integer" BIGINT, "c real" DOUBLE, "c text" VARCHAR, '
        '"c boolean" BOOLEAN, "c date" DATE)'
    )
    if rows:
        database.executemany("INSERT INTO t VALUES (?,?,?,?,?)", [list(row) for row in rows])
    arrays = arrays_of(database, "t") if sorted_columns else None
    try:
        return profile_table(layout, lambda sql: database.execute(sql).fetchall(), arrays)
    finally:
        database.close()


def check(table: Table, rows: Sequence[Row], at: int) -> None:
    """One column of the profile against what pandas says of the same values."""
    column = table.columns[at]
    series = pandas.Series([row[at] for row in rows], dtype=object)
    present = series.dropna()
    assert (column.rows, column.missing) == (len(series), int(series.isna().sum()))
    assert column.distinct == present.nunique()
    if present.empty:
        assert (column.minimum, column.mean, column.quantiles, column.top) == (None, None, None, ())
        return
    assert sum(each.count for each in column.top) == present.value_counts().head(10).sum()
    if at < 2:
        numbers = present.astype(float)
        check_numbers(column, numbers)
    if at == 2:
        assert (column.minimum, column.maximum) == (present.min(), present.max())
        assert set(column.values) == set(present)
        lengths = present.str.len()
        assert column.lengths is not None
        assert column.lengths.longest == lengths.max()
        assert column.lengths.mean == pytest.approx(lengths.mean())
    if at == 4:
        assert (column.minimum, column.maximum) == (str(present.min()), str(present.max()))


def check_numbers(column: Column, numbers: pandas.Series[float]) -> None:
    assert (column.minimum, column.maximum) == (numbers.min(), numbers.max())
    assert column.mean == pytest.approx(numbers.mean(), rel=1e-9, abs=1e-6)
    deviation = numbers.std()
    assert column.std == (
        None if math.isnan(deviation) else pytest.approx(deviation, rel=1e-9, abs=1e-6)
    )
    assert column.quantiles is not None
    found = list(column.quantiles.model_dump().values())
    assert found == pytest.approx(
        list(numbers.quantile([0.05, 0.25, 0.5, 0.75, 0.95])), rel=1e-9, abs=1e-6
    )


@pytest.mark.long("every column of a hundred generated tables, computed twice")
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None
)
@given(rows=ROWS)
def test_duckdb_says_what_pandas_says(rows: list[Row]) -> None:
    asked = profiled(rows, "duckdb", sorted_columns=False)
    for at in range(len(TYPES)):
        check(asked, rows, at)
    assert (
        profiled(rows, "duckdb", sorted_columns=True).model_copy(update={"columns": asked.columns})
        == asked
    )


@pytest.mark.long("random columns, each profiled twice")
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None
)
@given(rows=ROWS)
def test_a_sort_says_what_pandas_says(rows: list[Row]) -> None:
    table = profiled(rows, "duckdb", sorted_columns=True)
    for at in range(len(TYPES)):
        check(table, rows, at)


@pytest.mark.long("data of some size, read and asked in workers")
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None
)
@given(rows=ROWS)
def test_sqlite_says_what_pandas_says(rows: list[Row]) -> None:
    table = profiled(rows, "sqlite", sorted_columns=False)
    for at in range(len(TYPES)):
        if at != 3:  # SQLite keeps truth as 0 and 1
            check(table, rows, at)


@pytest.mark.long("servers and workers in processes of their own")
def test_a_file_that_stays_on_the_disk_has_the_profile_of_a_loaded_one(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    duckdb.connect().execute(
        "COPY (SELECT i AS n, (i * 7919) % 5003 AS code, sin(i) AS wave, "
        "CASE WHEN i % 11 = 0 THEN NULL ELSE 'word ' || (i % 3001) END AS word, "
        "TIMESTAMP '2020-01-01' + to_seconds(i * 37 % 9001) AS moment, i % 2 = 0 AS even "
        f"FROM range(60000) numbers(i)) TO '{path}' (HEADER)"
    ).close()
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    source = open_source("t", "t.csv", tmp_path)
    with duckdb.connect() as connection:
        (reading,) = read_source(source, connection, scratch)
    large = profile_large(source, reading, scratch)
    with Catalog({"t": "t.csv"}, tmp_path) as catalog:
        (small,) = catalog.tables()
    assert [each.name for each in scratch.glob("*.duckdb")] == []
    assert large.keys == small.keys == (("n",),)
    for one, other in zip(large.columns, small.columns, strict=True):
        for field in Column.model_fields:
            mine, theirs = getattr(one, field), getattr(other, field)
            if isinstance(mine, float):
                mine, theirs = pytest.approx(mine, rel=1e-9), theirs
            if field == "quantiles" and mine is not None:
                assert list(mine.model_dump().values()) == pytest.approx(
                    list(theirs.model_dump().values())
                )
            else:
                assert theirs == mine, (one.name, field)


def test_missing_numbers_of_parquet_are_missing(tmp_path: Path) -> None:
    duckdb.connect().execute(
        "COPY (SELECT unnest([1.0::DOUBLE, 'nan'::DOUBLE, NULL, 'inf'::DOUBLE]) AS x) "
        f"TO '{tmp_path}/t.parquet'"
    ).close()
    with Catalog({"t": "t.parquet"}, tmp_path) as catalog:
        (x,) = catalog.tables()[0].columns
    assert (x.rows, x.missing, x.distinct, x.minimum, x.maximum, x.mean) == (4, 2, 2, 1.0, 1.0, 1.0)


def test_keys_and_joins_are_found(tmp_path: Path) -> None:
    (tmp_path / "customers.csv").write_text(
        "id,name\n" + "".join(f"{n},c{n}\n" for n in range(1, 9))
    )
    orders = "".join(f"{100 + n},{n % 8 + 1},{n % 3}\n" for n in range(12))
    (tmp_path / "orders.csv").write_text("order_id,customer_id,amount\n" + orders)
    lines = "".join(f"{100 + n // 2},{n % 2 + 1},x{n // 12}\n" for n in range(24))
    (tmp_path / "lines.csv").write_text("order_id,line_no,product\n" + lines)
    sources = {name: f"{name}.csv" for name in ("customers", "orders", "lines")}
    with Catalog(sources, tmp_path) as catalog:
        customers, orders_table, lines_table = catalog.tables()
    assert customers.keys == (("id",), ("name",))
    assert orders_table.keys == (("order_id",),)
    assert lines_table.keys == (("order_id", "line_no"),)
    (join,) = orders_table.joins
    assert (join.columns, join.table, join.to_columns) == (("customer_id",), "customers", ("id",))
    assert (join.declared, join.share) == (False, 1.0)
    assert [each.table for each in lines_table.joins] == ["orders"]
    assert customers.joins == ()


def test_columns_that_only_share_a_name_are_not_joined(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("code,n\n" + "".join(f"A{n},1\n" for n in range(9)))
    (tmp_path / "b.csv").write_text("code,n\n" + "".join(f"B{n},2\n" for n in range(9)))
    with Catalog({"a": "a.csv", "b": "b.csv"}, tmp_path) as catalog:
        assert [each.joins for each in catalog.tables()] == [(), ()]


def joins_of(tmp_path: Path, **tables: str) -> list[tuple[tuple[str, ...], str, tuple[str, ...]]]:
    """The joins of the first table."""
    for name, text in tables.items():
        (tmp_path / f"{name}.csv").write_text(text)
    with Catalog({name: f"{name}.csv" for name in tables}, tmp_path) as catalog:
        joins = catalog.tables()[0].joins
    return sorted((each.columns, each.table, each.to_columns) for each in joins)


def letters(number: int) -> str:
    """A code of three letters, another one for each number below 17,576."""
    number = number * 7919 % 17576
    return "".join(chr(65 + number // 26**place % 26) for place in range(3))


def test_texts_that_identify_rows_join_though_some_refer_to_nothing(tmp_path: Path) -> None:
    silos = "silo,tons\n" + "".join(f"S-{n} north,{n}\n" for n in range(30))
    loads = "load,silo\n" + "".join(f"{n % 9},S-{n % 40} north\n" for n in range(120))
    assert joins_of(tmp_path, loads=loads, silos=silos) == [(("silo",), "silos", ("silo",))]


def test_a_text_that_both_tables_describe_their_rows_with_joins_nothing(tmp_path: Path) -> None:
    shops = "shop_id,city\n" + "".join(f"{n},city {n}\n" for n in range(30))
    people = "person,city\n" + "".join(f"{n % 9},city {n % 40}\n" for n in range(120))
    assert joins_of(tmp_path, people=people, shops=shops) == []


def test_codes_join_in_each_role_though_one_is_unknown(tmp_path: Path) -> None:
    ports = "code,berths\n" + "".join(f"{letters(n)},{n % 7}\n" for n in range(150))
    known = [letters(n) for n in range(40)]
    rows = [f"{known[n % 3]},{known[n % 39] if n % 50 else 'QQQ'},{n % 5}" for n in range(200)]
    found = joins_of(tmp_path, trips="home,goal,crew\n" + "\n".join(rows) + "\n", ports=ports)
    assert found == [(("goal",), "ports", ("code",)), (("home",), "ports", ("code",))]


def test_two_codes_that_are_found_by_chance_join_nothing(tmp_path: Path) -> None:
    states = "state,area\n" + "".join(f"{letters(n)[:2]},{n}\n" for n in range(60))
    tags = [letters(n)[:2] for n in (3, 5)]
    rows = "".join(f"{n % 7},{tags[n % 2]}\n" for n in range(300))
    assert joins_of(tmp_path, sales="amount,tag\n" + rows, states=states) == []


def staff_of(tmp_path: Path, heading: str, rows: str, more: str = "") -> list[tuple[str, ...]]:
    """The columns of the joins of a table with itself."""
    (tmp_path / "staff.csv").write_text(f"{heading}\n{rows}")
    sources = {"staff": "staff.csv"}
    if more:
        (tmp_path / f"{more}.csv").write_text("id,name\n1,a\n2,b\n3,c\n4,d\n")
        sources[more] = f"{more}.csv"
    with Catalog(sources, tmp_path) as catalog:
        return [each.columns for each in catalog.tables()[0].joins if each.table == "staff"]


@pytest.mark.parametrize(
    "heading", ["id,name,manager_id", "staff_id,name,ReportsTo", "staffId,name,headStaffId"]
)
def test_a_hierarchy_within_a_table_is_found(tmp_path: Path, heading: str) -> None:
    rows = "1,Ann,\n2,Bea,1\n3,Cy,1\n4,Di,2\n"
    assert staff_of(tmp_path, heading, rows) == [(heading.split(",")[2],)]


@pytest.mark.parametrize(
    ("heading", "rows", "more"),
    [
        ("id,name,manager_id", "1,Ann,\n2,Bea,1\n3,Cy,9\n", ""),  # 9 is nobody here
        ("id,name,manager_id", "1,Ann,2\n2,Bea,1\n3,Cy,1\n", ""),  # nobody is the first
        ("id,name,manager_id", "1,Ann,\n2,Bea,1\n3,Cy,1\n", "managers"),  # they have a table
        ("id,name,floor", "1,Ann,\n2,Bea,1\n3,Cy,1\n", ""),  # its name says nothing of rows
        ("id,name,customer_id", "1,Ann,\n2,Bea,1\n3,Cy,1\n", ""),
    ],
)
def test_what_could_be_a_hierarchy_by_chance_is_none(
    tmp_path: Path, heading: str, rows: str, more: str
) -> None:
    assert staff_of(tmp_path, heading, rows, more) == []


@pytest.mark.long("data of some size, read and asked in workers")
def test_declared_keys_come_first(catalog: Catalog) -> None:
    book = next(each for each in catalog.tables() if each.name == "book")
    assert book.keys[0] == ("isbn",)
    assert [(each.table, each.declared) for each in book.joins] == [("author", True)]


@pytest.mark.long("data of some size, read and asked in workers")
def test_the_sample_is_the_first_rows_and_memory_is_told(catalog: Catalog) -> None:
    orders = next(each for each in catalog.tables() if each.name == "orders")
    assert len(orders.sample) == 5
    assert orders.sample[0] == (1, "Ann", "North", "2024-01-05", 10.5, True)
    assert orders.bytes == 5 * (8 + 4 + 4 + 4 + 8 + 1) + len("AnnBobAnnCidDee") + len(
        "NorthSouthNorthWestSouth"
    )


@pytest.mark.long("data of some size, read and asked in workers")
def test_a_wide_table_has_the_profile_of_a_narrow_one(tmp_path: Path) -> None:
    lines = [f"{n % 7},{n / 4},word {n % 5},{'true' if n % 3 else 'false'}" for n in range(30)]
    (tmp_path / "narrow.csv").write_text("\n".join(["i,r,w,b", *lines]))
    names = ",".join(f"i{n},r{n},w{n},b{n}" for n in range(40))
    (tmp_path / "wide.csv").write_text(
        "\n".join([names, *(",".join([line] * 40) for line in lines)])
    )
    with Catalog({"narrow": "narrow.csv", "wide": "wide.csv"}, tmp_path) as catalog:
        narrow, wide = catalog.tables()
    assert len(wide.columns) == 160
    for one, other in zip(narrow.columns, wide.columns[-4:], strict=True):
        assert other.model_copy(update={"name": one.name, "std": one.std}) == one
        assert other.std == pytest.approx(one.std)


def test_keys_that_are_called_by_a_role_of_a_row_join_it_in_each_role(tmp_path: Path) -> None:
    clubs = "club_code,city\n" + "".join(f"{letters(n)},c{n % 3}\n" for n in range(9))
    codes = [letters(n) for n in range(8)] + ["QQQ"]
    rows = "".join(f"{n},{codes[n % 9]},{codes[(n + 4) % 9]}\n" for n in range(80))
    found = joins_of(tmp_path, games="game_id,home_club,away_club\n" + rows, clubs=clubs)
    assert found == [
        (("away_club",), "clubs", ("club_code",)),
        (("home_club",), "clubs", ("club_code",)),
    ]


@pytest.mark.parametrize(("table", "joins"), [("staff", 2), ("customers", 1), ("rooms", 0)])
def test_roles_of_persons_join_the_one_table_of_persons(
    tmp_path: Path, table: str, joins: int
) -> None:
    people = "id,name\n" + "".join(f"{n},name {n}\n" for n in range(1, 31))
    rows = "".join(f"{1000 + n},{n % 29 + 1},{n % 7 + 1}\n" for n in range(80))
    letters = "no,sender_id,seller_id\n" + rows
    found = joins_of(tmp_path, **{"letters": letters, table: people})
    assert len(found) == joins
