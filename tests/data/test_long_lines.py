"""Lines and values that are longer than a row can be: refused at once, with few of their words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from flows.data.catalog import Catalog
from flows.data.query import run_query
from flows.errors import QueryFailed, SourceError

_MB = 1 << 20


def write(path: Path, parts: Sequence[bytes], times: int = 1, end: bytes = b"") -> Path:
    """A file of a first part, and a second one many times."""
    with path.open("wb") as file:
        file.write(parts[0])
        for _ in range(times):
            file.write(parts[1])
        file.write(end)
    return path


@pytest.mark.long("files of 64 MB")
@pytest.mark.parametrize("read", ["tables", "preview"])
@pytest.mark.parametrize(
    ("name", "first", "said"),
    [
        ("t.csv", b"a,b\n1,2\n", "line 3 has more than 2,097,152 bytes"),
        ("t.ndjson", b'{"a": 1}\n{"a": "', "line 2 has more than 16,777,216 bytes"),
        ("t.json", b'[{"a": 1}, {"a": "', "an object of JSON has more than 16,777,216 bytes"),
    ],
)
def test_a_value_of_64_mb_is_refused_with_its_file_and_limit(
    tmp_path: Path, read: str, name: str, first: bytes, said: str
) -> None:
    write(tmp_path / name, [first, b"a" * _MB], 64, b'"}]\n')
    with Catalog({"s": name}, tmp_path) as catalog, pytest.raises(SourceError) as raised:
        catalog.tables() if read == "tables" else catalog.preview(10)
    text = str(raised.value)
    assert said in text
    assert str(tmp_path / name) in text
    assert len(text) < 500 + len(str(tmp_path))


@pytest.mark.long("data of some size, read and asked in workers")
@pytest.mark.parametrize("read", ["tables", "preview"])
@pytest.mark.parametrize(("first", "line"), [(b'a,b\n1,"', 2), (b'a,b\n1,2\n3,"', 3)])
def test_a_quote_that_is_never_closed_is_refused_with_its_line(
    tmp_path: Path, read: str, first: bytes, line: int
) -> None:
    write(tmp_path / "t.csv", [first, (b"a" * 99 + b"\n") * 10_000], 16)
    with Catalog({"s": "t.csv"}, tmp_path) as catalog, pytest.raises(SourceError) as raised:
        catalog.tables() if read == "tables" else catalog.preview(10)
    assert f"{tmp_path}/t.csv: line {line} has a quote after which none" in str(raised.value)


def test_a_line_that_is_too_long_for_the_head_is_no_end_of_a_preview(tmp_path: Path) -> None:
    write(tmp_path / "t.csv", [b"a,b\n1,2\n3,", b"a" * _MB], 12, b"\n5,6\n")
    with (
        Catalog({"s": "t.csv"}, tmp_path) as catalog,
        pytest.raises(SourceError, match=r"t\.csv: line 3 has more than 2,097,152 bytes"),
    ):
        catalog.preview(10)


@pytest.mark.long("data of some size, read and asked in workers")
def test_a_quote_that_is_a_character_hides_no_rows_of_a_preview(tmp_path: Path) -> None:
    write(tmp_path / "t.csv", [b'a,b\n1,x\n2,5" pipe\n', b"3,y\n" * 100_000], 20)
    with Catalog({"s": "t.csv"}, tmp_path) as catalog:
        [table] = catalog.preview(10)
    assert table.rows == 10
    assert table.sample[:3] == ((1, "x"), (2, '5" pipe'), (3, "y"))


@pytest.mark.long("data of some size, read and asked in workers")
def test_rows_of_many_lines_are_shown_by_a_preview(tmp_path: Path) -> None:
    write(tmp_path / "t.csv", [b"a,b\n", b'1,"' + b"line\n" * 10_000 + b'"\n'], 50)
    with Catalog({"s": "t.csv"}, tmp_path) as catalog:
        assert [table.rows for table in catalog.preview(20)] == [20]


def test_a_long_list_of_json_in_one_line_is_read(tmp_path: Path) -> None:
    write(tmp_path / "t.json", [b"[", b'{"a": "\xc3\xa4"},' * 10_000], 20, b'{"a": "b"}]')
    with Catalog({"s": "t.json"}, tmp_path) as catalog:
        assert [table.rows for table in catalog.tables()] == [200_001]


@pytest.mark.long("data of some size, read and asked in workers")
def test_lines_that_end_with_a_carriage_return_are_lines(tmp_path: Path) -> None:
    write(tmp_path / "t.csv", [b"a,b\r", b"1,2\r" * 100_000], 8)
    with Catalog({"s": "t.csv"}, tmp_path) as catalog:
        assert [table.rows for table in catalog.tables()] == [800_000]


@pytest.mark.long("data of some size, read and asked in workers")
def test_an_error_of_a_database_shows_little_of_a_long_value(tmp_path: Path) -> None:
    write(tmp_path / "t.csv", [b"a,b\nx,", b"y" * 1000], 1000, b"\nz,w\n")
    with Catalog({"t": "t.csv"}, tmp_path) as catalog:
        with pytest.raises(QueryFailed, match=r"DuckDB: .*y \.\.\.$") as raised:
            run_query(catalog, "SELECT CAST(b AS INTEGER) FROM t", max_rows=5, timeout=60)
        assert len(str(raised.value)) < 500
