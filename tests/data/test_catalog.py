"""The catalog: tables, types, roles and statistics of real files."""

from __future__ import annotations

import gzip
import json
import sqlite3
import threading
import time
from pathlib import Path

import duckdb
import pytest

from flows.data.catalog import Catalog, describe_text
from flows.data.tables import VALUES_KEPT, Column, ForeignKey, Table
from flows.errors import SourceError


def columns_of(table: Table) -> dict[str, Column]:
    return {column.name: column for column in table.columns}


def only_table(path: Path) -> Table:
    with Catalog({"t": path.name}, path.parent) as catalog:
        (table,) = catalog.tables()
    return table


def test_making_a_catalog_reads_nothing(tmp_path: Path) -> None:
    catalog = Catalog({"x": "missing.csv"}, tmp_path)
    assert catalog.sources == {"x": "missing.csv"}
    with pytest.raises(SourceError, match="there is no file"):
        catalog.tables()


@pytest.mark.long("data of some size, read and asked in workers")
def test_a_csv_is_profiled(catalog: Catalog) -> None:
    table = next(each for each in catalog.tables() if each.name == "orders")
    found = columns_of(table)
    assert (table.source, table.dialect, table.rows) == ("orders", "duckdb", 5)
    assert [(each.name, each.type, each.role) for each in table.columns] == [
        ("order_id", "integer", "id"),
        ("customer", "text", "category"),
        ("region", "text", "category"),
        ("placed", "date", "time"),
        ("amount", "real", "measure"),
        ("paid", "boolean", "boolean"),
    ]
    amount = found["amount"]
    assert (amount.missing, amount.distinct, amount.minimum, amount.maximum) == (1, 4, 5.75, 30.0)
    assert amount.mean == pytest.approx(16.625)
    assert found["placed"].minimum == "2024-01-05"
    assert found["customer"].values == ("Ann", "Bob", "Cid", "Dee")
    assert found["customer"].values_complete


@pytest.mark.long("data of some size, read and asked in workers")
def test_a_sqlite_file_is_profiled_with_its_keys(catalog: Catalog) -> None:
    tables = {table.name: table for table in catalog.tables() if table.source == "books"}
    assert list(tables) == ["author", "book", "odd name", "blank", "recent"]
    book = tables["book"]
    assert (book.dialect, book.rows, book.primary_key) == ("sqlite", 3, ("isbn",))
    key = ForeignKey(columns=("author_id",), table="author", to_columns=("author_id",))
    assert book.foreign_keys == (key,)
    assert [(each.name, each.type, each.role) for each in book.columns] == [
        ("isbn", "text", "id"),
        ("title", "text", "category"),
        ("year", "integer", "time"),
        ("price", "real", "measure"),
        ("pages", "integer", "measure"),
        ("author_id", "integer", "id"),
        ("notes", "other", "text"),
    ]
    born = columns_of(tables["author"])["born"]
    assert (born.type, born.role, born.minimum) == ("date", "time", "1923-10-15")
    assert tables["recent"].rows == 1
    assert [each.type for each in tables["blank"].columns] == ["date", "real", "text"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", b"name;n\nx;1\ny;2\n"),
        ("a.tsv", b"name\tn\nx\t1\ny\t2\n"),
        ("a.psv", b"name|n\nx|1\ny|2\n"),
        ("a.csv.gz", gzip.compress(b"name,n\nx,1\ny,2\n", mtime=0)),
        ("a.json", json.dumps([{"name": "x", "n": 1}, {"name": "y", "n": 2}]).encode()),
        ("a.ndjson", b'{"name": "x", "n": 1}\n{"name": "y", "n": 2}\n'),
        ("a [1]*?.csv", b"name,n\nx,1\ny,2\n"),
        ("utf16.csv", "name,n\nx,1\ny,2\n".encode("utf-16")),
        ("bom.csv", b"\xef\xbb\xbfname,n\nx,1\ny,2\n"),
    ],
)
def test_every_format_gives_the_same_table(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    table = only_table(tmp_path / name)
    assert [(each.name, each.type, each.distinct) for each in table.columns] == [
        ("name", "text", 2),
        ("n", "integer", 2),
    ]


def test_parquet_and_duckdb_files(tmp_path: Path) -> None:
    connection = duckdb.connect(str(tmp_path / "b.duckdb"))
    connection.execute("CREATE TABLE part AS SELECT 'x' AS name, 1.5::DECIMAL(5,2) AS price")
    connection.execute("CREATE SCHEMA other; CREATE TABLE other.part AS SELECT 7 AS n")
    connection.execute(f"COPY part TO '{tmp_path}/a.parquet'")
    connection.close()
    with Catalog({"a": "a.parquet", "b": "b.duckdb"}, tmp_path) as catalog:
        tables = {table.name: table for table in catalog.tables()}
    assert set(tables) == {"a", "part", "b_part"}
    assert columns_of(tables["b_part"])["n"].maximum == 7
    assert columns_of(tables["a"])["price"].maximum == 1.5
    assert tables["part"].source == "b"


def test_marks_for_no_number_do_not_make_a_text_of_a_number(tmp_path: Path) -> None:
    rows = "".join(
        f"{n},{'NA' if n % 3 else n * 2},{'nan' if n == 4 else n / 2},NA\n" for n in range(40)
    )
    (tmp_path / "a.csv").write_text("n,double,half,country\n" + rows + "9,9,9,DE\n")
    found = columns_of(only_table(tmp_path / "a.csv"))
    assert (found["double"].type, found["double"].missing) == ("integer", 26)
    assert (found["half"].type, found["half"].missing) == ("real", 1)
    assert found["half"].mean is not None
    assert found["country"].values == ("NA", "DE")


def test_a_type_that_changes_far_down_the_file_is_found(tmp_path: Path) -> None:
    rows = "".join(f"{n}\n" for n in range(60_000))
    (tmp_path / "a.csv").write_text("code\n" + rows + "A17\n")
    (code,) = only_table(tmp_path / "a.csv").columns
    assert (code.type, code.rows, code.missing) == ("text", 60_001, 0)


def test_latin_1_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("city,n\nMünchen,1\nKöln,2\n".encode("latin-1"))
    assert set(columns_of(only_table(tmp_path / "a.csv"))["city"].values) == {"München", "Köln"}


def test_zeros_before_a_number_are_kept(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("area,n\n01234,0\n94107,10\n")
    area, n = only_table(tmp_path / "a.csv").columns
    assert (area.type, area.values, n.type) == ("text", ("01234", "94107"), "integer")


def test_rows_are_not_left_out_silently(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b,c\n1,2,3\n4,5\n6,7,8,9\n")
    with pytest.raises(SourceError, match="do not all have as many columns as line 1: a,b,c"):
        only_table(tmp_path / "a.csv")
    (tmp_path / "b.csv").write_text("Report of June\n\na,b,c\n1,2,3\n4,5,6\n")
    assert only_table(tmp_path / "b.csv").rows == 2


def test_a_header_without_rows_is_an_empty_table(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("name,amount\n")
    table = only_table(tmp_path / "a.csv")
    assert (table.rows, [each.name for each in table.columns]) == (0, ["name", "amount"])


@pytest.mark.parametrize(
    ("header", "values", "role"),
    [
        ("year", range(1952, 2008, 5), "time"),
        ("modelYear", [1990, 1990, 2001], "time"),
        ("founded", [1990, 1991, 1991, 1994], "time"),
        ("yearly_cost", [1990, 1991, 1991, 1994], "time"),
        ("price", [1000, 1250, 1999, 2050], "measure"),
        ("price", [15, 20, 20], "measure"),
        ("customer_id", [1, 1, 2], "id"),
        ("customerId", [1, 1, 2], "id"),
        ("ID", [1, 2, 3], "id"),
        ("customerid", [11, 12, 13], "id"),
        ("grid", [5, 5, 6], "measure"),
        ("zip_code", [94107, 94105, 94107], "id"),
        ("survived", [0, 1, 1], "boolean"),
        ("name", ["a", "b", "a"], "category"),
        ("name", [f"person {n}" for n in range(80)], "text"),
        ("comment", ["long words " * 12, "other words " * 12, "x"], "text"),
        ("share", [0.5, 0.25], "measure"),
        ("season", ["2001-01-01", "2002-01-01"], "time"),
    ],
)
def test_roles(tmp_path: Path, header: str, values: list[object], role: str) -> None:
    (tmp_path / "a.csv").write_text(f"{header},z\n" + "".join(f"{each},q\n" for each in values))
    assert only_table(tmp_path / "a.csv").columns[0].role == role


def test_numbers_that_sqlite_keeps_as_text_are_measures(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "a.sqlite")
    connection.executescript(
        "CREATE TABLE t (heat TEXT, founded TEXT); "
        "INSERT INTO t VALUES ('66.5','1999'), ('', '2001'), ('71','2001')"
    )
    connection.close()
    with Catalog({"a": "a.sqlite"}, tmp_path) as catalog:
        heat, founded = catalog.tables()[0].columns
    assert (heat.type, heat.role, founded.type, founded.role) == ("text", "measure", "text", "time")


def test_two_sources_with_one_name_of_a_table_are_both_there(shop: Path) -> None:
    (shop / "book.csv").write_text("title,stock\nLavinia,3\n")
    sources = {"book": "book.csv", "library": "books.sqlite"}
    with Catalog(sources, shop) as catalog:
        names = [table.name for table in catalog.tables()]
        assert names[:3] == ["book", "author", "library_book"]
        assert catalog.physical_names()["library_book"] == "book"


def test_two_names_that_become_one_are_refused(shop: Path) -> None:
    catalog = Catalog({"my orders": "orders.csv", "my-orders": "regions.csv"}, shop)
    with pytest.raises(SourceError, match="would both be the table my_orders"):
        catalog.tables()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", b'{"broken": '),
        ("a.parquet", b"PAR1" + b"x" * 100),
        ("a.sqlite", b"SQLite format 3\x00" + b"x" * 5000),
        ("a.csv.gz", gzip.compress(b"a,b\n1,2\n" * 40_000, mtime=0)[:-900]),
        ("a.csv.zst", b"\x28\xb5\x2f\xfd rubbish"),
    ],
)
def test_a_damaged_file_is_an_error_with_its_path(
    tmp_path: Path, name: str, content: bytes
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceError) as caught:
        only_table(tmp_path / name)
    assert str(tmp_path / name) in str(caught.value)


@pytest.mark.long("data of some size, read and asked in workers")
def test_many_threads_get_one_profile(catalog: Catalog) -> None:
    found: list[tuple[Table, ...]] = []
    threads = [threading.Thread(target=lambda: found.append(catalog.tables())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert all(each is found[0] for each in found)


@pytest.mark.long("a million rows")
def test_a_million_rows_are_profiled_in_seconds(tmp_path: Path) -> None:
    connection = duckdb.connect()
    connection.execute(
        "COPY (SELECT i AS event_id, i % 5000 AS visits, 'city ' || (i % 300) AS city, "
        "DATE '2020-01-01' + (i % 900)::INT AS day, sin(i) AS wave FROM range(1000000) r(i)) "
        f"TO '{tmp_path}/a.csv'"
    ).close()
    started = time.monotonic()
    table = only_table(tmp_path / "a.csv")
    assert time.monotonic() - started < 20
    assert table.rows == 1_000_000
    assert [each.role for each in table.columns] == ["id", "measure", "category", "time", "measure"]
    visits = columns_of(table)["visits"]
    assert (visits.distinct, len(visits.values), visits.values_complete) == (5000, 0, False)
    assert VALUES_KEPT < 5000


@pytest.mark.long("data of some size, read and asked in workers")
def test_the_description_names_everything_and_stays_in_its_limit(catalog: Catalog) -> None:
    text = describe_text(catalog.tables())
    assert "table orders (5 rows, DuckDB SQL)" in text
    assert "  region: text, category, values 'North', 'South', 'West'" in text
    assert "author_id -> author(author_id)" in text
    many = [
        table.model_copy(update={"name": f"{table.name}_{number}"})
        for number in range(60)
        for table in catalog.tables()
    ]
    short = describe_text(many, 3000)
    assert len(short) < 3200
    assert "more tables" in short
    wide = catalog.tables()[0].model_copy(update={"columns": catalog.tables()[0].columns * 500})
    names = describe_text([wide], 1000)
    assert names.startswith("table orders: order_id, customer")
    assert len(names) <= 1000
