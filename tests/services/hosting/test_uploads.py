"""Files that people bring: their names, what is read of them, and what is refused."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from flows.errors import NotFound, SourceError, UsageError
from flows.services.hosting.uploads import MOST_FILES, UploadFolder, plain_file_name


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("sales.csv", "sales.csv"),
        ("../../etc/sales.csv", "sales.csv"),
        ("C:\\data\\sales 2023.csv", "sales_2023.csv"),
        ("<img src=x>.csv", "img_src_x_.csv"),
        ("Umsätze.csv.gz", "Umsätze.csv.gz"),
        ("...", "file"),
        ("x" * 300 + ".csv", "x" * 76 + ".csv"),
        (".csv", "csv"),
        ("a\nb\0.csv", "a_b_.csv"),
    ],
)
def test_a_name_has_no_folders_and_no_signs(given: str, kept: str) -> None:
    assert plain_file_name(given) == kept


def test_a_file_is_read_when_it_is_brought(tmp_path: Path) -> None:
    folder = UploadFolder(tmp_path / "uploads")
    path = folder.place("../sales.csv")
    assert path.parent.parent == tmp_path / "uploads"
    path.write_text("region,revenue\nNorth,1\nSouth,2\n")
    found = folder.check(path).as_json()
    [table] = found["tables"]
    assert (table["name"], table["rows"], table["columns"]) == ("sales", 2, ["region", "revenue"])
    [taken] = folder.take([found["id"]], tmp_path / "session")
    assert taken.read_text().startswith("region")
    assert not path.exists()
    # The same request once more finds what the first one moved.
    assert folder.take([found["id"]], tmp_path / "session") == [taken]
    with pytest.raises(NotFound):
        folder.take([found["id"]], tmp_path / "another")


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        ("empty.csv", b"", UsageError),
        ("torn.parquet", b"PAR1", SourceError),
        ("torn.xlsx", b"PK\x03\x04", SourceError),
        ("torn.sqlite", b"SQLite format 3\x00", SourceError),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_and_removed(
    tmp_path: Path, name: str, content: bytes, error: type[Exception]
) -> None:
    folder = UploadFolder(tmp_path)
    path = folder.place(name)
    path.write_bytes(content)
    with pytest.raises(error, match=name.partition(".")[0]):
        folder.check(path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["letter.pdf", "run.sh", "data", ".csv", ""])
def test_what_is_no_data_gets_no_place(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"is no data file; allowed: \.csv"):
        UploadFolder(tmp_path).place(name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("wrong", ["", "..", "../../etc", "a" * 32, "A" * 32, "0" * 31])
def test_an_id_is_no_path(tmp_path: Path, wrong: str) -> None:
    (tmp_path / "secret.csv").write_text("a\n1\n")
    with pytest.raises(NotFound):
        UploadFolder(tmp_path / "uploads").take([wrong], tmp_path / "session")
    with pytest.raises(UsageError, match="20 files"):
        UploadFolder(tmp_path).take(["0" * 32] * (MOST_FILES + 1), tmp_path / "session")


def test_what_no_conversation_took_is_removed_after_a_week(tmp_path: Path) -> None:
    folder = UploadFolder(tmp_path)
    old, new = folder.place("old.csv"), folder.place("new.csv")
    long_ago = time.time() - 8 * 86_400
    os.utime(old.parent, (long_ago, long_ago))
    folder.forget()
    assert not old.parent.exists()
    assert new.parent.exists()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("cut.json", b'{"a": [1,'),
        ("deep.json", b'{"a":{"b":' + b"[" * 5000),
        ("cut.jsonl", b'{"a":1}\n{"b"'),
        ("array.ndjson", b"["),
        ("torn.parquet", b"PAR1xx"),
        ("torn.xlsx", b"PK\x03\x04"),
        ("torn.sqlite", b"SQLite format 3\x00junk"),
        ("torn.duckdb", b"junk" * 1000),
        ("torn.csv.gz", b"\x1f\x8bjunk"),
        ("binary.csv", b"\x00\x01\x02"),
        ("blank.csv", b"\n\n\n"),
    ],
)
def test_what_is_wrong_with_a_file_does_not_say_where_it_is_kept(
    tmp_path: Path, name: str, content: bytes
) -> None:
    folder = UploadFolder(tmp_path / "uploads")
    path = folder.place(name)
    path.write_bytes(content)
    with pytest.raises((SourceError, UsageError)) as raised:
        folder.check(path)
    said = str(raised.value)
    assert name in said
    assert "uploads" not in said
    assert "CREATE" not in said
    assert tmp_path.name not in said
    assert not path.exists()
