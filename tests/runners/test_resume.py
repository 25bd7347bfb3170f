"""Killed, failed, waiting and cancelled runs go on in another process, and repeat nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from flows.core.journal import load
from flows.errors import JournalError
from flows.runners.door import resume, run
from tests.flows_for_tests import __name__ as module
from tests.shapes import TRUST

LINE = """
_target_: sequential
input_interface: [n]
output_interface: [n, total]
subflows_config:
  a: {_target_: T.Add}
  k: {_target_: T.Accumulate}
  w: {_target_: T.Write}
  slow: {_target_: T.Sleep, seconds: 60}
  b: {_target_: T.Add}
topology:
  - {goal: a, flow: a}
  - {goal: k, flow: k}
  - {goal: w, flow: w}
  - {goal: k, flow: k}
  - {goal: slow, flow: slow}
  - {goal: b, flow: b}
  - {goal: k, flow: k}
inputs: {n: 1}
"""
PARALLEL = """
_target_: parallel
input_interface: [n]
output_interface: [x, y, z]
subflows_config:
  a: {_target_: T.Write}
  slow: {_target_: T.Sleep, seconds: 60}
  b: {_target_: T.Write}
topology:
  - {goal: a, flow: a, output_interface: {keys_to_rename: {n: x}}}
  - {goal: s, flow: slow, output_interface: {keys_to_rename: {n: y}}}
  - goal: b
    flow: b
    after: [a]
    input_interface: {keys_to_copy: {x: n}}
    output_interface: {keys_to_rename: {n: z}}
inputs: {n: 1}
"""
LOOP = """
_target_: circular
early_exit_key: null
max_rounds: 3
input_interface: [n]
output_interface: [n, calls]
subflows_config:
  w: {_target_: T.Write}
  k: {_target_: T.Accumulate}
  inner:
    _target_: sequential
    input_interface: [n]
    output_interface: [n]
    subflows_config: {slow: {_target_: T.Sleep, seconds: 0.3}}
    topology: [{goal: slow, flow: slow}]
topology: [{goal: w, flow: w}, {goal: k, flow: k}, {goal: inner, flow: inner}]
inputs: {n: 0}
"""


@pytest.fixture(autouse=True)
def _log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLOWS_TEST_LOG", str(tmp_path / "executed.log"))


class Place:
    """A folder with a run file, and processes that run it."""

    def __init__(self, folder: Path, text: str) -> None:
        self.folder = folder
        self.log = Path(os.environ["FLOWS_TEST_LOG"])
        (folder / "run.yaml").write_text(dedent(text).replace("T.", f"{module}."))

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "tests.runners.process", str(self.folder), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def finish(self, run_id: str | None = None) -> dict[str, Any]:
        """Run, or go on, in this process; what it came to, as `--json` shows it."""
        runs = self.folder / "runs"
        if run_id is None:
            done = run(self.folder / "run.yaml", (f"runs={runs}",), trust=TRUST)
        else:
            done = resume(run_id, runs=runs, trust=TRUST)
        result: dict[str, Any] = json.loads(json.dumps(done.as_json()))
        return result

    def executed(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []

    def stop_in(self, address: str, number: signal.Signals) -> tuple[str, int]:
        """Start, send the signal when the step has begun; the run's id and the exit code."""
        process = self.start()
        deadline = time.monotonic() + 90
        while address not in self.executed():
            assert process.poll() is None, process.communicate()[1]
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(number)
        process.communicate(timeout=90)
        [folder] = (self.folder / "runs").iterdir()
        return folder.name, process.returncode


@pytest.mark.long("whole processes are killed and go on")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_stopped_in_the_middle(
    tmp_path: Path, number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(tmp_path, LINE)
    run_id, code = place.stop_in("slow#1", number)
    assert code == {signal.SIGINT: 130}.get(number, -number)
    assert place.executed() == ["a#1", "k#1", "w#1", "k#2", "slow#1"]

    monkeypatch.setenv("FLOWS_TEST_SECONDS", "0")
    result = place.finish(run_id)

    assert result["status"] == "finished"
    assert result["outputs"] == {"n": 5, "total": 2 + 3 + 5}
    assert Counter(place.executed()) == Counter(
        ["a#1", "k#1", "w#1", "k#2", "slow#1", "slow#1", "b#1", "k#3"]
    )
    assert result["run_id"] == run_id


@pytest.mark.long("whole runs that are stopped and go on")
@pytest.mark.parametrize("round_number", [1, 3])
def test_killed_in_a_round(tmp_path: Path, round_number: int) -> None:
    place = Place(tmp_path, LOOP)
    run_id, code = place.stop_in(f"inner#{round_number}/slow#1", signal.SIGKILL)
    assert code == -signal.SIGKILL
    before = Counter(place.executed())

    result = place.finish(run_id)

    assert (result["status"], result["outputs"]) == ("finished", {"n": 6, "calls": [1, 3, 5]})
    twice = {at for at, count in Counter(place.executed()).items() if count > 1}
    assert twice == {f"inner#{round_number}/slow#1"}
    assert max(before.values()) == 1
    assert result["usage"]["rounds"] == 3


@pytest.mark.long("whole runs that are stopped and go on")
def test_killed_while_several_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place(tmp_path, PARALLEL)
    process = place.start()
    while "b#1" not in place.executed() or "slow#1" not in place.executed():
        assert process.poll() is None
        time.sleep(0.01)
    [folder] = (tmp_path / "runs").iterdir()
    while not [row for row in load(folder) if (row.kind, row.address) == ("outcome", "b#1")]:
        time.sleep(0.01)
    process.kill()
    process.communicate()

    monkeypatch.setenv("FLOWS_TEST_SECONDS", "0")
    result = place.finish(folder.name)

    assert result["outputs"] == {"x": 2, "y": 2, "z": 3}
    assert Counter(place.executed()) == {"a#1": 1, "b#1": 1, "slow#1": 2}


@pytest.mark.long("whole processes are killed and go on")
def test_killed_again_and_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place(tmp_path, LINE)
    run_id, _ = place.stop_in("slow#1", signal.SIGKILL)
    for times in (2, 3):
        process = place.start(run_id)
        while place.executed().count("slow#1") < times:
            assert process.poll() is None, process.communicate()[1]
            time.sleep(0.01)
        process.kill()
        process.communicate()

    monkeypatch.setenv("FLOWS_TEST_SECONDS", "0")
    assert place.finish(run_id)["outputs"] == {"n": 5, "total": 10}
    counts = Counter(place.executed())
    assert counts.pop("slow#1") == 4
    assert set(counts.values()) == {1}


@pytest.mark.long("whole runs that are stopped and go on")
def test_a_run_that_is_running_cannot_be_resumed(tmp_path: Path) -> None:
    place = Place(tmp_path, LINE)
    process = place.start()
    try:
        while "slow#1" not in place.executed():
            time.sleep(0.01)
        [folder] = (tmp_path / "runs").iterdir()
        with pytest.raises(JournalError, match=f"another process is running {folder.name}"):
            place.finish(folder.name)
    finally:
        process.kill()
        process.communicate()


FAILING = """
_target_: sequential
input_interface: [n]
output_interface: [n]
subflows_config:
  w: {_target_: T.Write}
  f: {_target_: T.Fail, error: ToolError, unless: THERE}
  b: {_target_: T.Add}
topology: [{goal: w, flow: w}, {goal: f, flow: f}, {goal: b, flow: b}]
inputs: {n: 1}
"""


def test_a_failed_run_tries_the_failed_step_again(tmp_path: Path) -> None:
    there = tmp_path / "there"
    text = FAILING.replace("THERE", str(there))
    place = Place(tmp_path, text)
    first = place.finish()
    assert (first["status"], first["reason"]) == ("failed", "f#1: ToolError: the network is away")

    again = place.finish(first["run_id"])
    assert again["status"] == "failed"
    there.touch()
    last = place.finish(first["run_id"])

    assert (last["status"], last["outputs"]) == ("finished", {"n": 4})
    assert Counter(place.executed()) == {"w#1": 1, "f#1": 3, "b#1": 1}


def test_a_failed_top_flow_is_tried_again(tmp_path: Path) -> None:
    there = tmp_path / "there"
    place = Place(tmp_path, f"{{_target_: T.Fail, unless: {there}, inputs: {{n: 1}}}}")
    run_id = place.finish()["run_id"]
    there.touch()
    assert place.finish(run_id)["outputs"] == {"n": 2}
    assert place.finish(run_id)["outputs"] == {"n": 2}
    assert len(place.executed()) == 2


def test_steps_that_failed_together_are_tried_again_together(tmp_path: Path) -> None:
    there = tmp_path / "there"
    text = f"""
    _target_: parallel
    input_interface: [n]
    output_interface: [x, y]
    subflows_config: {{a: &f {{_target_: T.Fail, unless: {there}}}, b: *f}}
    topology:
      - {{goal: a, flow: a, output_interface: {{keys_to_rename: {{n: x}}}}}}
      - {{goal: b, flow: b, output_interface: {{keys_to_rename: {{n: y}}}}}}
    inputs: {{n: 1}}
    """
    place = Place(tmp_path, text)
    first = place.finish()
    assert first["status"] == "failed"
    there.touch()
    assert place.finish(first["run_id"])["outputs"] == {"x": 2, "y": 2}


def test_a_waiting_run_goes_on_with_the_answer(tmp_path: Path) -> None:
    answer = tmp_path / "answer"
    text = FAILING.replace("T.Fail, error: ToolError, unless: THERE", f"T.Ask, answer: {answer}")
    place = Place(tmp_path, text)
    first = place.finish()
    assert (first["status"], first["outputs"]) == ("waiting", {})
    assert "how many?" in first["reason"]
    assert place.finish(first["run_id"])["status"] == "waiting"

    answer.write_text("40")
    last = place.finish(first["run_id"])

    assert (last["status"], last["outputs"]) == ("finished", {"n": 43})
    assert Counter(place.executed()) == {"w#1": 1, "f#1": 3, "b#1": 1}


@pytest.mark.long("whole runs that are stopped and go on")
def test_what_must_not_be_done_twice_is_not(tmp_path: Path) -> None:
    place = Place(tmp_path, LINE.replace("T.Sleep", "T.SleepOnce"))
    run_id, _ = place.stop_in("slow#1", signal.SIGKILL)

    result = place.finish(run_id)

    assert result["status"] == "waiting"
    assert "slow#1 began and what came of it is unknown" in result["reason"]
    assert place.executed().count("slow#1") == 1


def test_a_finished_run_is_replayed(tmp_path: Path) -> None:
    place = Place(tmp_path, LOOP.replace("0.3", "0"))
    first = place.finish()
    executed = place.executed()
    again = place.finish(first["run_id"])
    assert place.executed() == executed
    for result in (first, again):
        result["usage"].pop("seconds")
    assert again == first
