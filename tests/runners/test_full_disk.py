"""A disk that is full: the run ends with an error that says so, nothing is written by halves, and
when there is room again the run goes on."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from textwrap import dedent

import pytest

from flows.core.journal import load
from flows.errors import JournalError
from tests.cli.command import PROJECT, Ended, environment, python
from tests.shapes import MODULE

DISK = 16 * 1024 * 1024
ROUNDS = """
_target_: circular
max_rounds: 60
early_exit_key: null
input_interface: [n]
output_interface: [n, value]
subflows_config: {w: {_target_: T.Write}, e: {_target_: T.Echo}, s: {_target_: T.Send}}
topology:
  - {goal: w, flow: w}
  - {goal: e, flow: e, input_interface: {keys_to_set: {value: LONG}}}
  - {goal: s, flow: s}
inputs: {n: 0}
"""
SAVE = """
_target_: sequential
input_interface: [n]
output_interface: [name]
subflows_config: {w: {_target_: T.Write}, save: {_target_: tests.runners.parts.Large}}
topology: [{goal: w, flow: w}, {goal: save, flow: save}]
inputs: {n: 1}
"""
APPEND = """
_target_: sequential
input_interface: [n, row]
output_interface: [n, written]
subflows_config:
  w: {_target_: T.Write}
  append: {_target_: table.append, database: DATABASE, table: things}
topology: [{goal: w, flow: w}, {goal: add a row, flow: append}]
inputs: {n: 1, row: {text: LONG}}
"""


NOTHING: Counter[str] = Counter()


class SmallDisk:
    """A file system of 16 MB, and a file that takes what is not to be free."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._filler = folder / "filler"

    def leave(self, free: int) -> None:
        """Take all but so many bytes of what is free."""
        found = os.statvfs(self.folder)
        with self._filler.open("ab") as file:
            file.write(b"\0" * max(0, found.f_bavail * found.f_frsize - free))

    def make_room(self) -> None:
        self._filler.unlink()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(folder)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"a small disk cannot be mounted here: {done.stderr.strip()}")
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", str(folder)], check=True)


class Commands:
    """`flows run` and `flows resume` of a run file, with the runs in a folder of their own."""

    def __init__(self, folder: Path, runs: Path, text: str) -> None:
        self.runs = runs
        self.log = folder / "executed.log"
        self.file = folder / "run.yaml"
        self.file.write_text(dedent(text).replace("T.", f"{MODULE}."))

    def run(self) -> Ended:
        return self._flows("run", str(self.file), f"runs={self.runs}")

    def resume(self, *options: str) -> Ended:
        return self._flows("resume", self.run_id(), "--runs", str(self.runs), *options)

    def _flows(self, *command: str) -> Ended:
        options = ("--json", "--trust", "tests")
        env = environment(FLOWS_TEST_LOG=str(self.log))
        return python("-m", "flows", *command, *options, cwd=PROJECT, env=env)

    def run_id(self) -> str:
        [folder] = [each for each in self.runs.iterdir() if each.is_dir()]
        return folder.name

    def recorded(self) -> Counter[str]:
        """The steps with an outcome, or `NOTHING` when the record has no beginning."""
        try:
            rows = load(self.runs / self.run_id())
        except (JournalError, FileNotFoundError, ValueError):
            return NOTHING
        done = Counter(row.address for row in rows if row.kind == "outcome")
        return done if rows else NOTHING

    def executed(self) -> Counter[str]:
        return Counter(self.log.read_text().split() if self.log.exists() else [])


SIZES = [0, 4, 24, 40, 48, 60, 66, 80, 100, 200, 280]  # no room at all, some for the tables, ...


@pytest.mark.long("a file system of its own for each size")
@pytest.mark.parametrize("free", [8, 72, 140, *SIZES])
def test_of_the_record(disk: SmallDisk, tmp_path: Path, free: int) -> None:
    runs = disk.folder / "runs"
    commands = Commands(tmp_path, runs, ROUNDS.replace("LONG", "x" * 5_000))
    disk.leave(free * 1024)

    ended = commands.run()

    assert ended.code in (2, 4), ended
    assert "Traceback" not in ended.err
    said = ended.json()["reason"]
    assert any(each in said for each in ("disk is full", "No space left", "disk I/O error")), said
    assert str(runs) in said
    done, recorded = commands.executed(), commands.recorded()
    assert (done - recorded).total() <= 1

    disk.make_room()
    if recorded is NOTHING:
        assert not done
        return
    again = commands.resume()
    if again.code == 75:  # A letter was sent, and there was no room to say so: a person is asked.
        assert again.json()["questions"][0]["step"] in done - recorded
        sent = json.dumps({"n": len([step for step in done if step.startswith(("w#", "s#"))])})
        again = commands.resume("--answer", sent)
    assert (again.code, again.json()["outputs"]["n"]) == (0, 120), again.err
    assert set(commands.recorded().values()) == {1}
    assert commands.recorded().total() == 180
    twice = Counter({step: 1 for step, times in commands.executed().items() if times > 1})
    assert twice <= done - recorded


def test_of_an_artifact(disk: SmallDisk, tmp_path: Path) -> None:
    """There is room for the record of it, and no piece of the file is left."""
    commands = Commands(tmp_path, disk.folder / "runs", SAVE)
    disk.leave(200 * 1024)

    ended = commands.run()

    assert ended.code == 4
    assert ended.json()["reason"].startswith("save#1: OSError: [Errno 28] No space left on device")
    assert "Traceback" not in ended.err
    assert list((commands.runs / commands.run_id()).rglob("*large*")) == []
    disk.make_room()
    again = commands.resume()
    assert again.code == 0, again.err
    [artifact] = again.json()["artifacts"]
    content = (commands.runs / commands.run_id() / artifact["path"]).read_bytes()
    assert content == b"large\n" * 50_000
    assert commands.executed() == {"w#1": 1, "save#1": 2}


def test_of_a_table(disk: SmallDisk, tmp_path: Path) -> None:
    database = disk.folder / "things.sqlite"
    text = APPEND.replace("DATABASE", str(database)).replace("LONG", "x" * 40_000)
    commands = Commands(tmp_path, tmp_path / "runs", text)
    disk.leave(24 * 1024)

    ended = commands.run()

    assert ended.code == 4
    assert f"{database}: the disk or the database is full" in ended.json()["reason"]
    assert "Traceback" not in ended.err
    assert commands.recorded() == {"w#1": 1}
    disk.make_room()
    again = commands.resume()
    assert (again.code, again.json()["outputs"]) == (0, {"n": 2, "written": 1}), again.err
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT length(text) FROM things").fetchall() == [(40_000,)]
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert commands.executed() == {"w#1": 1}
