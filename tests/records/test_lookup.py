"""Finding a run by its id, by the beginning of it, or as the last one."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from flows.errors import UsageError
from flows.records.lookup import find_run, newest, places
from tests.runners.journals import end, make_version_1, start, write_run, write_shared

ROWS = (start(), end())


def test_the_newest_comes_first_whatever_the_names_are(tmp_path: Path) -> None:
    for name in ("b", "c", "a"):
        write_run(tmp_path / name, ROWS)
    (tmp_path / "no run").mkdir()
    (tmp_path / "a file").write_text("")
    assert [each.run_id for each in places(tmp_path)] == ["a", "c", "b"]
    assert find_run(tmp_path, "last").run_id == "a"


def test_the_newest_is_found_without_opening_the_others(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        write_run(tmp_path / name, ROWS)
    write_shared(tmp_path / "batch", {"three": ROWS, "four": ROWS})
    assert list(newest(tmp_path)) == places(tmp_path)
    for name in ("a", "b", "c"):  # as old as runs of last year, and not to be read at all
        for each in (tmp_path / name).iterdir():
            os.utime(each, (1e9, 1e9))
    found = newest(tmp_path)
    with watch_opened() as opened:
        assert [next(found).run_id, next(found).run_id] == ["four", "three"]
    assert opened == {"batch"}


@contextmanager
def watch_opened() -> Iterator[set[str]]:
    """The folders of the journals that are opened meanwhile."""
    opened: set[str] = set()
    watching = True

    def hear(event: str, given: tuple[object, ...]) -> None:
        if watching and event == "sqlite3.connect":
            opened.add(Path(str(given[0]).removeprefix("file://").partition("?")[0]).parent.name)

    sys.addaudithook(hear)
    yield opened
    watching = False


def test_no_folder_has_no_runs(tmp_path: Path) -> None:
    assert places(tmp_path / "nothing") == []
    with pytest.raises(UsageError, match=r"there is no run .last.; .*nothing has none"):
        find_run(tmp_path / "nothing", "last")


def test_a_beginning_that_one_run_has(tmp_path: Path) -> None:
    for name in ("20260101-1", "20260102-1", "20260102-2", "20260102"):
        write_run(tmp_path / name, ROWS)
    assert find_run(tmp_path, "20260101").run_id == "20260101-1"
    assert find_run(tmp_path, "20260102").run_id == "20260102"
    with pytest.raises(UsageError, match="2 runs begin with '20260102-': 20260102-2, 20260102-1"):
        find_run(tmp_path, "20260102-")
    with pytest.raises(UsageError, match="there is no run '3'; the last are: 20260101-1, 2026"):
        find_run(tmp_path, "3")


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", "*", "a\x00b"])
def test_what_no_run_is_called(tmp_path: Path, name: str) -> None:
    write_run(tmp_path / "runs" / "x", ROWS)
    with pytest.raises(UsageError, match="the last are: x"):
        find_run(tmp_path / "runs", name)


def test_runs_that_share_a_journal(tmp_path: Path) -> None:
    write_run(tmp_path / "own", ROWS)
    write_shared(tmp_path, {"one": ROWS, "two": ROWS})
    write_shared(tmp_path / "batch", {"three": ROWS, "four": ROWS})
    (tmp_path / "two" / "artifacts").mkdir(parents=True)
    assert [each.run_id for each in places(tmp_path)] == ["four", "three", "two", "one", "own"]
    two, four = find_run(tmp_path, "tw"), find_run(tmp_path, "four")
    assert (two.folder, two.journal, two.shared) == (tmp_path / "two", tmp_path, True)
    assert find_run(tmp_path, "two") == two
    assert (four.folder, four.journal) == (tmp_path / "batch" / "four", tmp_path / "batch")
    assert [row.kind for row in two.rows()] == ["start", "end"]


def test_a_journal_of_the_first_version_and_one_that_is_none(tmp_path: Path) -> None:
    write_run(tmp_path / "old", ROWS)
    make_version_1(tmp_path / "old")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "journal.sqlite").write_text("no database")
    assert {each.run_id for each in places(tmp_path)} == {"old", "bad"}
    assert [row.kind for row in find_run(tmp_path, "old").rows()] == ["start", "end"]
