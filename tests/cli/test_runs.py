"""`flows runs`: the runs that there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.farm import farm
from tests.cli.inside import inside
from tests.cli.talk import TALK, Talk
from tests.runners.journals import (
    change_row,
    end,
    make_version_1,
    outcome,
    start,
    write_run,
    write_shared,
)


def lines(out: str) -> list[str]:
    """The lines below the heading."""
    return [line.rstrip() for line in out.splitlines()[2:]]


def test_real_runs_newest_first(tmp_path: Path) -> None:
    talk = Talk(tmp_path, TALK)
    first = talk.run("--json").json()["run_id"]
    second = talk.run("human={_target_: human.never}", "--json").json()["run_id"]
    done = inside("runs", cwd=tmp_path)
    assert done.code == 0
    top, below = lines(done.out)
    assert top.startswith(f"{second}  finished  20")
    assert top.endswith("Talk: Count the trees")
    assert below.startswith(f"{first}  waiting   20")

    found = inside("runs", "--json", "--status", "waiting", cwd=tmp_path).json()
    assert (len(found["runs"]), found["more"]) == (1, False)
    [waiting] = found["runs"]
    assert (waiting["run_id"], waiting["status"]) == (first, "waiting")
    assert waiting["questions"][0]["text"] == "What comes first? "
    assert "steps" not in waiting


def test_no_runs(tmp_path: Path) -> None:
    done = inside("runs", cwd=tmp_path)
    assert (done.code, done.out) == (0, "There is no run in runs, or none as asked for.\n")
    assert inside("runs", "--json", cwd=tmp_path).json() == {"runs": [], "more": False}


def test_some_of_many(tmp_path: Path) -> None:
    runs = tmp_path / "elsewhere"
    for number in range(5):
        write_run(runs / f"run-{number}", [start(), end("finished" if number % 2 else "failed")])
    given = ("runs", "--runs", "elsewhere")
    done = inside(*given, "--limit", "2", cwd=tmp_path)
    assert [line[:6] for line in lines(done.out)] == ["run-4 ", "run-3 ", "… and "]
    found = inside(*given, "--status", "finished", "--json", cwd=tmp_path).json()
    assert [each["run_id"] for each in found["runs"]] == ["run-3", "run-1"]
    both = inside(*given, "--status", "finished", "--status", "failed", cwd=tmp_path)
    assert len(lines(both.out)) == 5
    assert inside(*given, "--limit", "0", cwd=tmp_path).code == 2


def test_a_status_that_there_is_not(tmp_path: Path) -> None:
    done = inside("runs", "--status", "finishd", cwd=tmp_path)
    assert done.code == 2
    assert "there is no status 'finishd'" in done.err
    assert "did you mean: finished" in done.err
    assert "allowed: finished, unfinished, waiting" in done.err


def test_damaged_old_and_shared_ones_are_listed_too(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    write_run(runs / "old", [start("Old"), outcome("a#1"), end()])
    make_version_1(runs / "old")
    write_run(runs / "bad", [start(), end()])
    change_row(runs / "bad", "end")
    write_shared(runs, {"one": [start("Shared")], "two": [start("Shared"), end("degraded")]})
    done = inside("runs", cwd=tmp_path)
    assert done.code == 0
    listed = {line.split()[0]: line for line in lines(done.out)}
    assert " finished " in listed["old"]
    assert " damaged " in listed["bad"]
    assert "is damaged at row 2" in listed["bad"]
    assert " interrupted " in listed["one"]
    assert " degraded " in listed["two"]


@pytest.mark.parametrize("columns", ["20", "40", "60", "100", "200"])
def test_hostile_names_in_narrow_and_wide_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    bad = "\x1b[2J\u202e\x9dx\x07[bold]\n漢字" * 9
    write_run(tmp_path / "runs" / "r\x1b[31m", [start(bad), end("failed", reason=bad)])
    write_run(tmp_path / "runs" / "r", [start(bad), end()])
    done = inside("runs", cwd=tmp_path)
    assert not set(done.out) & set("\x1b\u202e\x9d\x07")
    assert len(lines(done.out)) == 2
    assert columns == "20" or "finished" in done.out


@pytest.mark.long("whole runs of the command")
def test_a_question_that_is_not_answered_is_declined(tmp_path: Path) -> None:
    farm(tmp_path)
    asked = ("ask", "How tall is the giraffe?", "--data", "farm.db")
    assert inside(*asked, cwd=tmp_path).code == 1
    assert inside("ask", "How many cows are there?", "--data", "farm.db", cwd=tmp_path).code == 0
    found = inside("runs", "--json", cwd=tmp_path).json()["runs"]
    assert [each["status"] for each in found] == ["finished", "declined"]
    [declined] = inside("runs", "--status", "declined", "--json", cwd=tmp_path).json()["runs"]
    assert "giraffe" in declined["inputs"]["question"]
    assert "Declined" in inside("show", declined["run_id"], cwd=tmp_path).out
