"""`flows replay`, `flows fork` and `flows test`, as a person at a shell uses them."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from flows.core.journal import load
from flows.core.store import FILE
from tests.cli.command import PROJECT, Ended, environment, flows, python
from tests.cli.inside import inside


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Ended]:
    """A folder in which the demo was run once, offline and with nobody there."""
    folder = tmp_path_factory.mktemp("demo")
    shutil.copy(PROJECT / "demo.yaml", folder)
    ended = inside("run", "human=never", "--json", cwd=folder)
    assert ended.code == 0, ended.err
    return folder, ended


@pytest.fixture
def runs(demo: tuple[Path, Ended], tmp_path: Path) -> Path:
    """A folder with nothing but the recorded runs."""
    shutil.copytree(demo[0] / "runs", tmp_path / "runs")
    return tmp_path


TREES = """
defaults: [autogpt, override human: never, _self_]
memory: {folder: memory}
data: {trees: trees.csv}
inputs: {goal: "How many rows does trees have?"}
"""


@pytest.mark.long("the whole demo, and its replay")
def test_the_demo_is_the_same_with_nothing_but_its_record(
    demo: tuple[Path, Ended], runs: Path
) -> None:
    first = demo[1].json()
    ended = flows("replay", "last", "--json", cwd=runs)
    assert (ended.code, ended.err) == (0, "")
    again = ended.json()
    assert again.pop("same") is True
    for each in (first, again):
        each["usage"].pop("seconds")
        each.pop("folder")
    assert first.pop("sandbox")  # a replay runs no code, so that it has none
    assert again == first
    assert not (runs / "memory").exists()

    ended = inside("replay", "last", cwd=runs)
    assert ended.code == 0
    assert ended.out == f"{first['run_id']} is the same: finished, with no live call\n"
    shown = inside("replay", "last", "--verbose", cwd=runs)
    assert "Oceania" in shown.out


@pytest.mark.long("whole runs of the command")
def test_a_difference_is_named(runs: Path) -> None:
    ended = inside("replay", "last", "Executor.sql.max_rows=7", cwd=runs)
    assert (ended.code, ended.out) == (4, "")
    assert ended.err == (
        "error: Executor#2/sql#1/compile#1 differs (config): Executor.sql.max_rows: 200 is now 7\n"
    )
    ended = inside("replay", "last", "Executor.sql.max_rows=7", "--json", cwd=runs)
    assert ended.code == 4
    assert ended.json() == {
        "same": False,
        "step": "Executor#2/sql#1/compile#1",
        "why": "config",
        "problem": "Executor.sql.max_rows: 200 is now 7",
    }


@pytest.mark.long("whole runs of the command")
def test_what_cannot_be_replayed(runs: Path) -> None:
    ended = inside("replay", "nowhere", cwd=runs)
    assert ended.code == 2
    assert "there is no run 'nowhere'" in ended.err
    ended = inside("replay", "last", "Executr.sql.max_rows=7", cwd=runs)
    assert ended.code == 2
    assert "Executr" in ended.err
    [journal] = (runs / "runs").glob(f"*/{FILE}")
    journal.write_bytes(journal.read_bytes()[:-5000])
    ended = inside("replay", "last", "--json", cwd=runs)
    assert ended.code == 4
    assert "damaged" in ended.json()["reason"]


@pytest.mark.long("whole runs of the command")
def test_a_fork_of_the_demo_asks_only_what_it_must(runs: Path, demo: tuple[Path, Ended]) -> None:
    first = demo[1].json()
    ended = inside("fork", "last", "--at", "Executor#3", "--json", cwd=runs)
    assert ended.code == 0, ended.err
    forked = ended.json()
    assert forked["status"] == "finished"
    assert forked["outputs"]["answer"] == first["outputs"]["answer"]
    # The request of the step is known, and what follows it is as it was: no model is asked again.
    assert forked["usage"]["model_calls"] == 0 < first["usage"]["model_calls"]
    rows = load(runs / forked["folder"])
    anew = [row.address for row in rows if row.kind == "outcome" and "copied" not in row.data()]
    assert anew[:2] == ["Executor#3/sql#1/compile#1", "Executor#3/sql#1/query#1"]

    assert inside("replay", forked["run_id"], cwd=runs).code == 0


def test_a_fork_at_no_step(runs: Path) -> None:
    ended = inside("fork", "last", "--at", "Exector#3", cwd=runs)
    assert ended.code == 2
    assert "did you mean Executor#3?" in ended.err
    assert len(list((runs / "runs").iterdir())) == 1
    ended = inside("fork", "last", cwd=runs)
    assert ended.code == 2
    assert "--at" in ended.err


@pytest.mark.long("whole runs of the command")
def test_a_fork_with_another_setting(tmp_path: Path) -> None:
    (tmp_path / "trees.csv").write_text("kind,height\noak,20\nelm,30\n")
    (tmp_path / "my.yaml").write_text(TREES)
    first = inside("run", "my.yaml", "--json", cwd=tmp_path).json()
    assert "2" in first["outputs"]["answer"]
    ended = inside(
        "fork", "last", "--at", "Controller#1", "goal=What is the largest height?", "--json",
        cwd=tmp_path,
    )  # fmt: skip
    assert ended.code == 0, ended.err
    assert "30" in ended.json()["outputs"]["answer"]


def run_case(folder: Path, env: dict[str, str] | None = None) -> Ended:
    """Run what `flows test` wrote, in a copy of the folder."""
    copy = folder.parent / f"{folder.name}-clean"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder / "tests", copy / "tests")
    if (folder / "prompts").exists():
        shutil.copytree(folder / "prompts", copy / "prompts")
    options = ("-q", "-p", "no:cacheprovider", "-W", "error")
    return python("-m", "pytest", *options, "tests", cwd=copy, env=env)


@pytest.mark.long("pytest runs a written case")
def test_a_test_case_passes_in_a_clean_folder(runs: Path) -> None:
    ended = inside("test", "last", "--json", cwd=runs)
    assert ended.code == 0, ended.err
    case, recording = (runs / ended.json()[key] for key in ("test", "recording"))
    assert [each.name for each in recording.iterdir()] == [FILE]
    with sqlite3.connect(recording / FILE) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    connection.close()
    assert sorted(each.name for each in (runs / "tests").iterdir()) == ["runs", case.name]

    ran = run_case(runs, environment(OPENAI_API_KEY=""))
    assert ran.code == 0, ran.out
    assert "1 passed" in ran.out

    text = case.read_text()
    again = inside("test", "last", cwd=runs)
    assert again.code == 2
    assert "is there already" in again.err
    assert case.read_text() == text


@pytest.mark.long("pytest runs a written case")
def test_a_test_case_fails_after_a_change_of_a_prompt(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    (folder / "prompts").mkdir(parents=True)
    prompt = folder / "prompts" / "mine.j2"
    prompt.write_text("{#- variables: what -#}\nSay\n{{ what }}.\n")
    (folder / "my.yaml").write_text(
        "_target_: sequential\nmodel: {_target_: model.offline}\ninput_interface: [what]\n"
        "subflows_config: {chat: {_target_: chat, human_prompt: mine}}\n"
        "topology: [{goal: talk, flow: chat}]\ninputs: {what: hello}\n"
    )
    assert inside("run", "my.yaml", cwd=folder).code == 0
    written = inside("test", "last", cwd=folder)
    assert written.code == 0, written.err
    ran = run_case(folder)
    assert ran.code == 0, ran.out

    prompt.write_text("{#- variables: what -#}\nShout\n{{ what }}.\n")
    ran = run_case(folder)
    assert ran.code == 1
    assert "chat#1 differs (prompt): mine.j2, line 2: 'Say' is now 'Shout'" in ran.out


def test_no_test_case_of_a_run_that_is_another_one_now(tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    prompt = tmp_path / "prompts" / "mine.j2"
    prompt.write_text("{#- variables: what -#}\n{{ what }}")
    (tmp_path / "my.yaml").write_text(
        "_target_: chat\nmodel: {_target_: model.offline}\nhuman_prompt: mine\n"
        "inputs: {what: hello}\n"
    )
    assert inside("run", "my.yaml", cwd=tmp_path).code == 0
    prompt.write_text("{#- variables: what -#}\n{{ what }}!")
    ended = inside("test", "last", cwd=tmp_path)
    assert ended.code == 4
    assert "differs (prompt)" in ended.err
    assert not (tmp_path / "tests").exists()
