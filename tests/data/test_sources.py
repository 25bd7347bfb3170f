"""Opening sources: what is found, and what is said when it is not."""

from __future__ import annotations

import gzip
import hashlib
import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

from flows.data.files.sources import content_hash, open_source, table_name
from flows.errors import SourceError

NOBODY = 65534


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.csv", "csv"),
        ("a.TSV", "csv"),
        ("a.txt", "csv"),
        ("a.json", "json"),
        ("a.ndjson", "json"),
        ("a.jsonl", "json"),
        ("two.dots.csv", "csv"),
        ("with space & [brackets].csv", "csv"),
    ],
)
def test_text_files_are_known_by_their_ending(tmp_path: Path, name: str, kind: str) -> None:
    (tmp_path / name).write_text("a,b\n1,2\n")
    source = open_source("x", name, tmp_path)
    assert (source.kind, source.path, source.dialect) == (kind, tmp_path / name, "duckdb")


def test_databases_are_known_by_their_content(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "one.db").executescript("CREATE TABLE t (a)")
    duckdb.connect(str(tmp_path / "two.db")).execute("CREATE TABLE t (a INT)").close()
    assert open_source("x", "one.db", tmp_path).kind == "sqlite"
    assert open_source("x", "two.db", tmp_path).kind == "duckdb"


def test_a_relative_path_starts_at_the_base_and_an_absolute_one_does_not(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "a.csv").write_text("a\n1\n")
    assert open_source("x", "data/a.csv", tmp_path).path == folder / "a.csv"
    assert open_source("x", str(folder / "a.csv"), tmp_path / "elsewhere").path == folder / "a.csv"


def test_the_hash_is_of_the_bytes(tmp_path: Path) -> None:
    content = b"a\n" + b"1\n" * 2_000_000
    (tmp_path / "a.csv").write_bytes(content)
    source = open_source("x", "a.csv", tmp_path)
    assert content_hash(source) == hashlib.sha256(content).hexdigest()


def test_a_file_in_a_package_is_found_without_running_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "loudpackage"
    (package / "inside").mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('was run')\n")
    (package / "inside" / "a.csv.gz").write_bytes(gzip.compress(b"a\n1\n"))
    monkeypatch.syspath_prepend(str(tmp_path))
    source = open_source("x", "package://loudpackage/inside/a.csv.gz", Path("/nowhere"))
    assert source.path == package / "inside" / "a.csv.gz"
    assert "loudpackage" not in sys.modules


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ("package://nopackageofthisname/a.csv", "not installed"),
        ("package://__main__/a.csv", "__main__"),
        ("package://flows", "not of the form"),
        ("package://flows/../secret.csv", "not of the form"),
        ("package://flows.data/tables.csv", "not of the form"),
        ("package://flows//etc/passwd.csv", "not of the form"),
        ("package://flows/nothing.csv", "there is no file"),
        ("package://colorsys/a.csv", "single module"),
        ("https://example.org/a.csv", "addresses are not read"),
        ("s3://bucket/a.csv", "addresses are not read"),
        ("file:///etc/passwd", "addresses are not read"),
        ("a.xlsx", "is not an Excel or OpenDocument workbook"),
        ("a.docx", "cannot tell"),
        ("a.xyz.zip", "cannot be unpacked"),
        ("a", "cannot tell"),
        ("", "no path is given"),
        ("missing.csv", "there is no file"),
        ("seles.csv", "did you mean sales.csv?"),
        ("nofolder/a.csv", "there is no file"),
        ("nothing", "holds no file that is read (it is empty)"),
        ("*.nothing", "no file is like"),
        ("empty.csv", "is empty"),
        ("blank.csv", "is empty"),
        ("empty.csv.gz", "is empty"),
        ("rubbish.csv", "binary data"),
        ("rubbish.json", "binary data"),
        ("rubbish.parquet", "not a Parquet file"),
        ("rubbish.sqlite", "not a SQLite or DuckDB database"),
        ("sales.csv.gz", "not compressed so"),
        ("cut.csv.gz", "cannot be unpacked"),
        ("x.parquet.gz", "unpack it first"),
        ("pipe.csv", "not a regular file"),
        ("a\x00b.csv", "no path is given"),
    ],
)
def test_what_cannot_be_read_says_so(tmp_path: Path, where: str, says: str) -> None:
    (tmp_path / "sales.csv").write_text("a\n1\n")
    (tmp_path / "sales.csv.gz").write_text("a\n1\n")
    (tmp_path / "a").write_text("a\n1\n")
    (tmp_path / "a.xlsx").write_bytes(b"PK\x03\x04\x00\x00")
    (tmp_path / "a.docx").write_bytes(b"PK\x03\x04\x00\x00")
    (tmp_path / "a.xyz.zip").write_bytes(b"PK\x03\x04\x00\x00")
    (tmp_path / "nothing").mkdir()
    (tmp_path / "x.parquet.gz").write_bytes(gzip.compress(b"PAR1"))
    (tmp_path / "empty.csv").write_bytes(b"")
    (tmp_path / "blank.csv").write_bytes(b" \n\n ")
    (tmp_path / "empty.csv.gz").write_bytes(gzip.compress(b""))
    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress(b"a,b\n" * 5000)[:30])
    for ending in ("csv", "json", "parquet", "sqlite"):
        (tmp_path / f"rubbish.{ending}").write_bytes(bytes(range(256)) * 20)
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(SourceError, match=r"^source 'x': ") as caught:
        open_source("x", where, tmp_path)
    assert says in str(caught.value)


def test_a_file_without_permission_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a\n1\n")
    (tmp_path / "a.csv").chmod(0)
    with without_rights(), pytest.raises(SourceError, match="permission denied"):
        open_source("x", "a.csv", tmp_path)


@contextmanager
def without_rights() -> Iterator[None]:
    """Root, who may read everything, is nobody for a while."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(user)


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("sales", "sales"),
        ("My sales-2024", "My_sales_2024"),
        ("2024", "t_2024"),
        ("order", "order_"),
        ("Group", "Group_"),
        ("größe", "größe"),
        ("a.b", "a_b"),
    ],
)
def test_a_name_becomes_an_identifier(name: str, table: str) -> None:
    assert table_name(name) == table


@pytest.mark.parametrize("name", ["", "  ", "---", "x" * 64])
def test_a_name_that_cannot_be_one_is_refused(name: str) -> None:
    with pytest.raises(SourceError):
        table_name(name)
