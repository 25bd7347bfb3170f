"""Profiles that are kept: found again, never half written, never of another file."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from flows.data.files.sources import content_hash, open_source
from flows.data.profiles import cache as profile_cache
from flows.data.profiles.cache import ProfileCache
from flows.data.tables import Table

TABLE = Table(source="s", name="t", dialect="duckdb", rows=3, columns=())


def make_old(path: Path) -> None:
    past = time.time() - 3600
    os.utime(path, (past, past))


def test_a_profile_is_found_by_content_and_reading(tmp_path: Path) -> None:
    cache = ProfileCache(tmp_path / "deep" / "folder")
    assert cache.find("a" * 64, "csv") is None
    assert cache.keep("a" * 64, "csv", [TABLE])
    assert ProfileCache(tmp_path / "deep" / "folder").find("a" * 64, "csv") == (TABLE,)
    assert cache.find("b" * 64, "csv") is None
    assert cache.find("a" * 64, "csv, other delimiter") is None


def test_another_version_is_another_profile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = ProfileCache(tmp_path)
    cache.keep("a", "", [TABLE])
    monkeypatch.setattr(profile_cache, "VERSION", profile_cache.VERSION + 1)
    assert cache.find("a", "") is None


@pytest.mark.parametrize("damage", ["cut", "changed", "empty", "not text"])
def test_a_damaged_entry_is_a_miss_and_is_replaced(tmp_path: Path, damage: str) -> None:
    cache = ProfileCache(tmp_path)
    cache.keep("a", "", [TABLE])
    (entry,) = tmp_path.iterdir()
    content = entry.read_bytes()
    entry.write_bytes(
        {
            "cut": content[:-20],
            "changed": content.replace(b'"rows":3', b'"rows":4'),
            "empty": b"",
            "not text": b"\xff\x00" * 40,
        }[damage]
    )
    assert cache.find("a", "") is None
    cache.keep("a", "", [TABLE])
    assert cache.find("a", "") == (TABLE,)


def test_a_file_that_did_not_change_is_not_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("n\n1\n")
    make_old(path)
    source = open_source("a", "a.csv", tmp_path)
    cache = ProfileCache(tmp_path / "cache")
    digest = cache.content_hash(source)
    assert digest == content_hash(source)
    before = path.stat()
    # The same size, time and inode with other bytes: only who does not read it is misled.
    with path.open("r+") as file:
        file.write("n\n2\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert cache.content_hash(source) == digest


def test_a_file_that_changed_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("n\n1\n")
    make_old(path)
    source = open_source("a", "a.csv", tmp_path)
    cache = ProfileCache(tmp_path / "cache")
    cache.content_hash(source)
    path.write_text("n\n2\n")
    assert cache.content_hash(source) == content_hash(source)
    path.write_text("n\n3\n")  # within the same moment: nothing was remembered of a new file
    assert cache.content_hash(source) == content_hash(source)


def test_a_folder_that_cannot_be_written_costs_nothing_but_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = ProfileCache(tmp_path / "file")
    assert not cache.keep("a", "", [TABLE])
    assert cache.find("a", "") is None


@pytest.mark.long("servers and workers in processes of their own")
def test_two_processes_write_at_once_and_each_reads_whole_entries(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from flows.data.profiles.cache import ProfileCache\n"
        "from flows.data.tables import Table\n"
        "cache = ProfileCache(Path(sys.argv[1]))\n"
        "tables = [Table(source='s', name='t' * 3000, dialect='duckdb', rows=1, columns=())]\n"
        "for n in range(150):\n"
        "    assert cache.keep('a', '', tables)\n"
        "    assert cache.find('a', '') is not None, n\n"
    )
    both = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    errors = [each.communicate(timeout=90)[1].decode() for each in both]
    assert [each.returncode for each in both] == [0, 0], errors
    assert len(list(tmp_path.iterdir())) == 1
