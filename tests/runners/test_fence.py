"""Two processes that go on with the same run: one is refused, and nothing is done twice."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from flows.core.file_lock import LOCK
from flows.core.journal import load
from flows.core.rows import Row
from tests.cli.command import PROJECT, environment
from tests.shapes import MODULE

LINE = """
_target_: sequential
input_interface: [n]
output_interface: [n]
subflows_config:
  w: {_target_: T.Write}
  slow: {_target_: T.SLEEP}
  b: {_target_: T.Write, amount: 10}
topology: [{goal: w, flow: w}, {goal: slow, flow: slow}, {goal: b, flow: b}]
inputs: {n: 1}
"""


class Runs:
    """Real `flows` commands on one run. `patience` is how long its slow step takes, in seconds."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "executed.log"
        self.started: list[subprocess.Popen[str]] = []

    def begin(self, *, slow: str, patience: float) -> subprocess.Popen[str]:
        text = dedent(LINE).replace("T.SLEEP", f"T.{slow}").replace("T.", f"{MODULE}.")
        (self.folder / "run.yaml").write_text(text)
        runs = f"runs={self.folder / 'runs'}"
        return self._start(patience, "run", str(self.folder / "run.yaml"), runs)

    def go_on(self, *, patience: float = 0) -> subprocess.Popen[str]:
        runs = str(self.folder / "runs")
        return self._start(patience, "resume", self.run.name, "--runs", runs)

    def _start(self, patience: float, *command: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "flows", *command, "--json", "--trust", "tests"],
            cwd=PROJECT,
            env=environment(FLOWS_TEST_LOG=str(self.log), FLOWS_TEST_SECONDS=str(patience)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.started.append(process)
        return process

    @property
    def run(self) -> Path:
        [folder] = (self.folder / "runs").iterdir()
        return folder

    def executed(self) -> Counter[str]:
        return Counter(self.log.read_text().splitlines() if self.log.exists() else [])

    def wait_for(self, step: str, times: int = 1) -> None:
        deadline = time.monotonic() + 60
        while self.executed()[step] < times:
            assert time.monotonic() < deadline, self.executed()
            time.sleep(0.01)

    def rows(self, kind: str) -> list[Row]:
        return [row for row in load(self.run) if row.kind == kind]


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    found = Runs(tmp_path)
    yield found
    for process in found.started:
        process.kill()
        process.communicate()


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Its exit code, the run's status, and the reason or the error that it told."""
    out, err = process.communicate(timeout=90)
    result = json.loads(out) if out.strip() else {"status": "", "reason": ""}
    return process.returncode, result["status"], result["reason"] or err


@pytest.mark.long("several processes go on with one run")
def test_of_several_that_go_on_at_once_one_does(runs: Runs) -> None:
    first = runs.begin(slow="Sleep", patience=60)
    runs.wait_for("slow#1")
    first.send_signal(signal.SIGKILL)
    first.communicate()

    several = [runs.go_on(patience=1) for _ in range(4)]
    results = [ended(process) for process in several]

    done = [each for each in results if each[0] == 0]
    refused = [each for each in results if each[0] == 4]
    assert len(done) + len(refused) == 4
    assert done
    assert {status for _, status, _ in done} == {"finished"}
    assert all(f"another process is running {runs.run.name}" in why for _, _, why in refused)
    assert runs.executed() == {"w#1": 1, "slow#1": 2, "b#1": 1}
    assert len(runs.rows("outcome")) == 3


@pytest.mark.long("several processes go on with one run")
def test_a_run_is_not_taken_from_a_process_that_has_it(runs: Runs) -> None:
    runs.begin(slow="Sleep", patience=60)
    runs.wait_for("slow#1")

    code, _, why = ended(runs.go_on())

    assert code == 4
    assert f"another process is running {runs.run.name}" in why
    assert runs.executed() == {"w#1": 1, "slow#1": 1}
    assert len(runs.rows("start")) == 1


@pytest.mark.long("several processes go on with one run")
@pytest.mark.parametrize("how", ["deleted", "replaced"])
def test_without_its_lock_the_first_is_refused_at_its_next_row(runs: Runs, how: str) -> None:
    """As on a file system that has no locks: the second takes the run over, while the first is
    suspended within a step."""
    first = runs.begin(slow="Sleep", patience=3)
    runs.wait_for("slow#1")
    first.send_signal(signal.SIGSTOP)
    lock = runs.run / LOCK
    content = lock.read_bytes()
    lock.unlink()
    if how == "replaced":
        lock.write_bytes(content)

    assert ended(runs.go_on())[:2] == (0, "finished")
    first.send_signal(signal.SIGCONT)
    code, status, why = ended(first)

    assert (code, status) == (4, "failed")
    assert why == f"another process has taken over the run in {runs.run}"
    assert runs.executed() == {"w#1": 1, "slow#1": 2, "b#1": 1}
    assert [row.address for row in runs.rows("outcome")] == ["w#1", "slow#1", "b#1"]
    assert [row.data()["epoch"] for row in runs.rows("start")] == [1, 2]
    assert [row.data()["outputs"] for row in runs.rows("end")] == [{"n": 13}]


@pytest.mark.long("several processes go on with one run")
def test_what_must_not_be_done_twice_is_not_by_the_second_either(runs: Runs) -> None:
    first = runs.begin(slow="SleepOnce", patience=3)
    runs.wait_for("slow#1")
    first.send_signal(signal.SIGSTOP)
    (runs.run / LOCK).unlink()

    code, status, why = ended(runs.go_on())
    assert (code, status) == (75, "waiting")
    assert "slow#1 began and what came of it is unknown" in why
    first.send_signal(signal.SIGCONT)
    assert ended(first)[:2] == (4, "failed")

    assert runs.executed() == {"w#1": 1, "slow#1": 1}
    assert [row.address for row in runs.rows("outcome")] == ["w#1"]
