"""A list of runs reads the journals that changed, and no other."""

from __future__ import annotations

import os
from dataclasses import fields
from pathlib import Path

import pytest

from flows.core.journal import Journal
from flows.core.store import FILE
from flows.records.record import RunRecord
from flows.records.record_cache import CACHE, EDITION, newest_records
from tests.runners.journals import add, change_row, end, outcome, start, write_run, write_shared


def statuses(runs: Path) -> dict[str, str]:
    return {each.place.run_id: each.status for each in newest_records(runs)}


def change_unseen(folder: Path) -> None:
    """Change a journal so that its file looks as before: who reads it finds it damaged."""
    before = (folder / FILE).stat()
    change_row(folder, "outcome")
    content = (folder / FILE).read_bytes()
    assert len(content) == before.st_size
    os.utime(folder / FILE, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    found = tmp_path / "runs"
    write_run(found / "own", [start(), outcome("a#1"), end("failed")])
    shared = {"one": [start(), outcome("a#1"), end()], "two": [start(), outcome("a#1"), end()]}
    write_shared(found / "shared", shared)
    return found


def test_what_is_known_is_not_read_again(runs: Path) -> None:
    first = list(newest_records(runs))
    assert {each.place.run_id for each in first} == {"own", "one", "two"}
    for each in ("own", "shared"):
        change_unseen(runs / each)
    assert list(newest_records(runs)) == first
    os.utime(runs / "own" / FILE)
    assert statuses(runs) == {"own": "damaged", "one": "finished", "two": "finished"}


def test_a_run_that_goes_on_is_read_again(runs: Path) -> None:
    assert statuses(runs)["own"] == "failed"
    journal = Journal.open(runs / "own")
    add(journal, [start()])
    assert statuses(runs)["own"] == "running"
    add(journal, [outcome("b#1"), end()])
    assert statuses(runs)["own"] == "finished"
    journal.close()
    assert [statuses(runs)["own"] for _ in range(2)] == ["finished", "finished"]


def test_the_folder_of_runs_may_be_moved_and_runs_deleted(runs: Path) -> None:
    statuses(runs)
    moved = runs.rename(runs.with_name("moved"))
    assert all(moved in each.place.folder.parents for each in newest_records(moved))
    for each in (moved / "own").iterdir():
        each.unlink()
    (moved / "own").rmdir()
    assert statuses(moved) == {"one": "finished", "two": "finished"}


def test_a_file_that_cannot_be_used_keeps_nobody_from_the_runs(runs: Path) -> None:
    expected = statuses(runs)
    (runs / CACHE).write_bytes(b"not a database " * 100)
    assert [statuses(runs) for _ in range(3)] == [expected] * 3
    (runs / CACHE).unlink()
    (runs / CACHE).mkdir()
    assert statuses(runs) == expected
    assert statuses(runs / "nothing") == {}


def test_an_output_that_json_does_not_have_is_read_each_time(tmp_path: Path) -> None:
    write_run(tmp_path / "own", [start(), end(outputs={"n": float("nan")})])
    for _ in range(2):
        [found] = newest_records(tmp_path)
        assert str(found.outputs["n"]) == "nan"


def test_the_edition_is_that_of_what_a_record_holds() -> None:
    """With other fields the edition has to be another one too."""
    names = [each.name for each in fields(RunRecord)]
    assert (EDITION, names) == (
        1,
        ["place", "status", "reason", "title", "ended", "epochs", "inputs", "outputs", "limits",
         "spent", "questions", "answers", "changes", "steps", "artifacts"],
    )  # fmt: skip
