"""`flows new` writes a folder that works as it is, and never over anything."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.inside import inside

LONG = pytest.mark.long("its test runs a whole agent, in a process of its own")


def test_it_says_what_its_test_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = "python -m pip install pytest"
    assert line not in inside("new", "flow", "shout", cwd=tmp_path).out
    monkeypatch.setitem(sys.modules, "pytest", None)  # as where it is not installed
    assert line in inside("new", "flow", "louder", cwd=tmp_path).out


@pytest.mark.long("whole runs of the command")
@pytest.mark.parametrize(
    "kind", ["flow", pytest.param("command", marks=LONG), pytest.param("project", marks=LONG)]
)
def test_what_it_writes_is_checked_run_and_tested(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    made = inside("new", kind, "my_own", "--json", cwd=tmp_path).json()
    enter, *commands, test = made["commands"]
    assert enter == "cd my_own"
    assert all((tmp_path / each).is_file() for each in made["files"])
    folder = tmp_path / "my_own"
    for command in commands:
        ended = inside(*shlex.split(command)[1:], cwd=folder)
        assert ended.code == 0, ended.err
    done = subprocess.run(
        [sys.executable, *shlex.split(test)[1:], "-q", "-p", "no:cacheprovider"],
        cwd=folder, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout


@pytest.mark.parametrize("kind", ["a folder", "a file", "a link to nothing"])
def test_nothing_is_overwritten(kind: str, tmp_path: Path) -> None:
    there = tmp_path / "shout"
    if kind == "a folder":
        there.mkdir()
    elif kind == "a file":
        there.write_text("mine")
    else:
        there.symlink_to(tmp_path / "nothing")
    ended = inside("new", "flow", "shout", cwd=tmp_path)
    assert ended.code == 2
    assert "shout is there already; nothing was written" in ended.err
    assert not (there.is_dir() and list(there.iterdir()))
    assert kind != "a file" or there.read_text() == "mine"


@pytest.mark.parametrize(
    ("name", "said"),
    [("my-flow", "did you mean: my_flow"), ("class", "'class'"), ("../out", ""), ("1st", "")],
)
def test_a_name_that_is_none_is_refused(name: str, said: str, tmp_path: Path) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    ended = inside("new", "flow", name, cwd=folder)
    assert ended.code == 2
    assert "cannot be the name of a Python module" in ended.err
    assert said in ended.err
    assert [*tmp_path.iterdir()] == [folder]
    assert not list(folder.iterdir())


@pytest.mark.parametrize(
    ("kind", "name", "said"),
    [
        ("flow", "json", "there is a module json already"),
        ("project", "flows", "there is a module flows already"),
        ("command", "pytest", "there is a module pytest already"),
        ("command", "finish", "the agent has a command finish of its own"),
    ],
)
def test_a_name_that_would_hide_another_is_refused(
    kind: str, name: str, said: str, tmp_path: Path
) -> None:
    ended = inside("new", kind, name, cwd=tmp_path)
    assert (ended.code, said in ended.err) == (2, True)
    assert not list(tmp_path.iterdir())
