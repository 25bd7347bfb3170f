"""`flows show RUN`: a run as it is recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.core.artifacts import Artifact, Artifacts, Origin
from flows.core.journal import Journal, load
from flows.core.store import FILE
from tests.cli.inside import inside
from tests.cli.talk import TALK, TWO, Talk
from tests.runners.journals import (
    Told,
    add,
    call,
    change_row,
    end,
    make_version_1,
    outcome,
    start,
    write_run,
    write_shared,
)

LIMITS = {"rounds": 9, "model_calls": 40, "tokens": 200_000, "cost": 1.5, "wall_time": 600}


def recorded(folder: Path, *rows: Told) -> str:
    """What `flows show` says of a run with these rows."""
    write_run(folder / "runs" / "r", rows)
    done = inside("show", cwd=folder)
    assert done.code == 0, done
    return done.out


def test_a_waiting_run_and_how_to_answer_it(tmp_path: Path) -> None:
    talk = Talk(tmp_path, TALK.replace("comes first?", "comes \\e[31mfirst?"))
    run_id = talk.run("--json").json()["run_id"]
    done = inside("show", run_id[:-2], cwd=tmp_path)
    assert done.code == 0
    assert "── Talk ──" in done.out
    assert "Question   What comes first?\n           asked by ask#1 · 20" in done.out
    assert "About      goal  Count the trees" in done.out
    assert "Limits     none" in done.out
    [command] = [line.strip() for line in done.out.splitlines() if "flows resume" in line]
    assert command == f"""Go on      flows resume {run_id} --step 'ask#1' --answer "...\""""
    found = inside("show", "--json", cwd=tmp_path).json()
    assert found["questions"][0]["context"] == {"goal": "Count the trees"}
    assert found["questions"][0]["answer_schema"] == {"type": "string"}
    assert [(each["address"], each["came_to"]) for each in found["steps"]] == [("ask#1", "waiting")]


def test_the_command_to_answer_works_as_it_is_printed(tmp_path: Path) -> None:
    talk = Talk(tmp_path, TWO)
    talk.run("runs=my runs")
    done = inside("show", "--runs", "my runs", cwd=tmp_path)
    commands = [line.partition("flows ")[2] for line in done.out.splitlines() if "resume" in line]
    assert len(commands) == 2
    import shlex

    first = [each.replace("...", "east") for each in shlex.split(commands[0])]
    assert first[2:4] == ["--runs", "my runs"]
    assert inside(*first, cwd=tmp_path).code == 75
    again = inside(*first, cwd=tmp_path)
    assert again.code == 2
    assert "was answered before" in again.err


@pytest.mark.long("whole runs of the command")
def test_the_steps_as_a_tree(tmp_path: Path) -> None:
    goal = "goal=How many rows does trees have?"
    (tmp_path / "trees.csv").write_text("kind,height\noak,20\nelm,30\n")
    (tmp_path / "my.yaml").write_text("defaults: [autogpt, override human: never, _self_]\n")
    inside("run", "my.yaml", goal, "data.trees=trees.csv", cwd=tmp_path)
    done = inside("show", "last", "--steps", cwd=tmp_path)
    assert "── Answer ──" in done.out
    tree = done.out[done.out.index("Steps") : done.out.index("Artifacts")].splitlines()
    names = [line[11:].split("  ")[0] for line in tree[2:]]
    assert "Memory#1" in names
    executor = next(number for number, name in enumerate(names) if name == "Executor#1")
    assert tree[2 + executor + 1][11:15].startswith("  ")
    assert any("offline" in line for line in tree)
    assert any("artifacts/" in line for line in tree)
    assert "flows resume" not in done.out  # it is finished
    found = inside("show", "--json", cwd=tmp_path).json()
    rows = load(next((tmp_path / "runs").iterdir()))
    kept = {row.address for row in rows if row.kind == "outcome"}
    assert {each["address"] for each in found["steps"]} == kept
    assert all(each["seconds"] >= 0 for each in found["steps"])


def test_limits_and_what_was_used_of_them(tmp_path: Path) -> None:
    usage = {"model_calls": 2, "input_tokens": 1000, "output_tokens": 200, "cost": 0.0123}
    out = recorded(tmp_path, start(limits=LIMITS), outcome("a#1", usage=usage), end(rounds=3))
    assert "3 rounds · 2 model calls · 1,000 tokens in, 200 out · $0.0123 · 1.0 s" in out
    for line in ("rounds: 3 of 9", "model calls: 2 of 40", "tokens: 1,200 of 200,000",
                 "cost: $0.0123 of $1.5000", "time: 1.0 s of 10 min 0 s"):  # fmt: skip
        assert line in out


def test_what_is_unknown_is_said_to_be(tmp_path: Path) -> None:
    usage = {"model_calls": 3, "unpriced_calls": 3}
    told = outcome("a#1", usage=usage)
    out = recorded(tmp_path, start(limits=LIMITS), told, start(limits=LIMITS), call("b#1"))
    assert "4 model calls · tokens not counted · 3 calls of unknown price" in out
    assert "rounds: not known yet of 9" in out
    assert "tokens: not counted of 200,000" in out
    assert "cost: 3 calls of unknown price of $1.5000" in out
    assert "Of 1 model call the reply was lost: it may have been billed, with at most 500" in out
    assert "$0.0200." in out
    assert "── Interrupted ──" in out
    assert "Go on      flows resume r\n" in out


def test_a_failed_step_and_its_reason(tmp_path: Path) -> None:
    failure: Told = ("failure", "a#1/b#1", {"type": "OSError", "error": "StepError",
                                           "message": "no \x1b[2Jspace\x07"})  # fmt: skip
    write_run(
        tmp_path / "runs" / "r", [start(), failure, end("failed", reason="a#1/b#1: no space")]
    )
    out = inside("show", "r", "--steps", cwd=tmp_path).out
    assert "Reason     a#1/b#1: no space" in out
    assert "failed: no space" in out
    assert not set(out) & set("\x1b\x07")


def test_which_run_is_meant(tmp_path: Path) -> None:
    for name in ("20260101-a", "20260101-b"):
        write_run(tmp_path / "runs" / name, [start(name), end()])
    assert "── 20260101-b ──" in inside("show", cwd=tmp_path).out
    assert "── 20260101-a ──" in inside("show", "20260101-a", cwd=tmp_path).out
    for command in ("show", "resume"):
        several = inside(command, "2026", cwd=tmp_path)
        assert (several.code, several.out) == (2, "")
        assert "2 runs begin with '2026': 20260101-b, 20260101-a" in several.err
        unknown = inside(command, "2027", cwd=tmp_path)
        assert unknown.code == 2
        assert "there is no run '2027'; the last are: 20260101-a, 20260101-b" in unknown.err


def test_a_damaged_run(tmp_path: Path) -> None:
    write_run(tmp_path / "runs" / "r", [start(), end()])
    change_row(tmp_path / "runs" / "r", "end")
    done = inside("show", "r", cwd=tmp_path)
    assert done.code == 4
    assert "Status     damaged" in done.out
    assert "is damaged at row 2" in done.out
    found = inside("show", "r", "--json", cwd=tmp_path)
    assert (found.code, found.json()["status"]) == (4, "damaged")


def test_looking_changes_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "r"
    write_run(folder, [start(), end()])
    make_version_1(folder)
    before = (folder / FILE).read_bytes()
    assert inside("show", "r", cwd=tmp_path).code == 0
    assert inside("runs", cwd=tmp_path).code == 0
    assert (folder / FILE).read_bytes() == before
    assert not list(folder.glob("*v1*"))


def test_a_run_of_a_shared_journal(tmp_path: Path) -> None:
    write_shared(tmp_path / "runs", {name: [start(name), end()] for name in ("one", "two")})
    assert "── one ──" in inside("show", "one", cwd=tmp_path).out
    assert inside("show", "tw", "--json", cwd=tmp_path).json()["run_id"] == "two"


@pytest.mark.parametrize("columns", ["20", "50", "160"])
def test_hostile_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    bad = "\x1b[2J\u202e\x9dx\x07[bold]\n漢字 " * 20
    rows: list[Told] = [
        start(bad),
        call("a\x1b[2J#1/b#1", bad),
        ("question", "ask\x1b#1", {"id": "q", "text": bad, "context": {bad: {bad: bad}},
                                   "answer_schema": {"const": bad}}),
        ("answer", "x#1\x07", {"kind": "text", "text": bad}),
        end("waiting", reason=bad, outputs={bad: bad}),
    ]  # fmt: skip
    write_run(tmp_path / "runs" / "r", rows)
    for steps in ((), ("--steps",)):
        done = inside("show", "r", *steps, cwd=tmp_path)
        assert done.code == 0
        assert not set(done.out) & set("\x1b\u202e\x9d\x07")


def kept_run(folder: Path) -> Artifact:
    """A run with a table in three forms, made by a query over a source."""
    made = Artifacts(folder / "runs" / "r").save(
        "Executor#1/sql#1",
        "result",
        "json",
        b"{}",
        "SELECT 1",
        Origin(query="SELECT 1\nFROM t", inputs={"sales": "ab" * 32}),
        what="table",
        forms={"csv": b"n\n1\n"},
    )
    saved = [made.model_dump()]
    rows = start(), outcome("Executor#1/sql#1", saved=saved), end()
    journal = Journal.open(folder / "runs" / "r", create=True)
    add(journal, rows)
    journal.close()
    return made


def test_artifacts_are_listed_with_their_origin(tmp_path: Path) -> None:
    made = kept_run(tmp_path)
    shown = inside("show", cwd=tmp_path)
    assert f"{made.name}  table · 6 bytes · by Executor#1/sql#1" in shown.out
    assert f"runs/r/artifacts/{made.name}.csv" in shown.out
    assert "SELECT 1" in shown.out
    assert "from sales abababab" in shown.out
    assert "not as written" not in shown.out
    [found] = inside("show", "--json", cwd=tmp_path).json()["artifacts"]
    assert (found["name"], found["what"], found["state"]) == (made.name, "table", "whole")
    assert found["origin"]["inputs"] == {"sales": "ab" * 32}
    assert [each["kind"] for each in found["files"]] == ["json", "csv"]


@pytest.mark.parametrize("how", ["missing", "changed", "link"])
def test_an_artifact_that_is_not_as_written_is_marked(tmp_path: Path, how: str) -> None:
    made = kept_run(tmp_path)
    file = tmp_path / "runs" / "r" / made.forms[0].path
    file.unlink()
    if how == "changed":
        file.write_bytes(b"n\n2\n")
    if how == "link":  # to a file that holds the same
        (tmp_path / "other.csv").write_bytes(b"n\n1\n")
        file.symlink_to(tmp_path / "other.csv")
    shown = inside("show", cwd=tmp_path)
    assert "1 artifact is not as written" in shown.out
    state = "missing" if how == "missing" else "changed"
    assert f"{made.forms[0].path}  {state}" in shown.out
    [found] = inside("show", "--json", cwd=tmp_path).json()["artifacts"]
    assert found["state"] == state
    assert [each["state"] for each in found["files"]] == ["whole", state]
