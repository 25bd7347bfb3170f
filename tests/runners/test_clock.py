"""A clock that jumps, forwards and backwards: order, budgets and going on do not depend on it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from textwrap import dedent

import pytest

from flows.core.journal import load
from tests.cli.command import PROJECT, Ended, environment, python
from tests.shapes import MODULE

JUMPING = Path(__file__).with_name("jumping_clock")
LINE = """
_target_: sequential
input_interface: [n]
output_interface: [n]
subflows_config:
  w: {_target_: T.Write}
  slow: {_target_: T.Sleep}
  b: {_target_: T.Write, amount: 10}
  c: {_target_: T.Add}
topology: [{goal: w, flow: w}, {goal: slow, flow: slow}, {goal: b, flow: b}, {goal: c, flow: c}]
inputs: {n: 1}
limits: {wall_time: 50}
"""


class Machine:
    """A folder with a run file, on a machine whose clock jumps."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "executed.log"
        (folder / "run.yaml").write_text(dedent(LINE).replace("T.", f"{MODULE}."))

    def environment(self, seconds: float) -> dict[str, str]:
        path = f"{JUMPING}:{PROJECT}"
        log = str(self.log)
        return environment(PYTHONPATH=path, FLOWS_TEST_LOG=log, FLOWS_TEST_SECONDS=str(seconds))

    def flows(self, *command: str, seconds: float = 0) -> Ended:
        options = ("--trust", "tests", "--json")
        env = self.environment(seconds)
        return python("-m", "flows", *command, *options, cwd=self.folder, env=env)

    def run_until_killed(self) -> None:
        command = [sys.executable, "-m", "flows", "run", "run.yaml", "--trust", "tests"]
        env = self.environment(60)
        process = subprocess.Popen(command, cwd=self.folder, env=env, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while not self.log.exists() or "slow#1" not in self.log.read_text():
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.communicate()

    def run_folders(self) -> list[Path]:
        return sorted((self.folder / "runs").iterdir())


@pytest.mark.long("whole processes are killed and go on")
def test_a_run_goes_on_in_its_order(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.run_until_killed()
    [folder] = machine.run_folders()

    ended = machine.flows("resume", folder.name)

    assert (ended.code, ended.json()["outputs"]) == (0, {"n": 14}), ended.err
    rows = load(folder)
    assert [row.seq for row in rows] == list(range(1, len(rows) + 1))
    assert [row.address for row in rows if row.kind == "outcome"] == ["w#1", "slow#1", "b#1", "c#1"]
    steps = [later.at - earlier.at for earlier, later in pairwise(rows)]
    assert min(steps) < -86_400
    assert max(steps) > 86_400
    used = [row.data()["used"] for row in rows if row.kind == "outcome"]
    assert used == sorted(used)
    assert 0 <= used[0] <= used[-1] < 50
    assert 0 <= ended.json()["usage"]["seconds"] < 50


@pytest.mark.long("whole runs that are stopped and go on")
def test_only_time_that_passed_is_taken_from_a_budget(tmp_path: Path) -> None:
    machine = Machine(tmp_path)

    quick = machine.flows("run", "run.yaml", "limits.wall_time=30")
    slow = machine.flows("run", "run.yaml", "limits.wall_time=1", seconds=1.2)

    assert (quick.code, quick.json()["status"]) == (0, "finished"), quick.err
    assert (slow.code, slow.json()["status"]) == (0, "unfinished"), slow.err
    assert "limit on wall_time (1)" in slow.json()["reason"]


@pytest.mark.long("runs that are killed and gone on with")
def test_each_run_has_a_name_of_its_own(tmp_path: Path) -> None:
    machine = Machine(tmp_path)

    ended = [machine.flows("run", "run.yaml") for _ in range(3)]

    names = [each.json()["run_id"] for each in ended]
    assert len(set(names)) == 3
    assert {folder.name for folder in machine.run_folders()} == set(names)
    for name in names:
        assert machine.flows("resume", name).json()["outputs"] == {"n": 14}
