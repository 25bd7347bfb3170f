"""Ctrl-C and SIGTERM end a run cleanly, twice at once; each time it can be gone on with."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from textwrap import dedent

import pexpect
import pytest

from flows.core.file_lock import is_held
from flows.core.journal import load
from tests.cli.command import PROJECT, environment, python

LINE = """
_target_: sequential
input_interface: [n]
output_interface: [n]
memory: {_target_: tests.runners.parts.SlowMemory}
subflows_config:
  recall: {_target_: memory}
  w: {_target_: tests.flows_for_tests.Write}
  slow: {_target_: SLOW}
  b: {_target_: tests.flows_for_tests.Write, amount: 10}
topology:
  - goal: recall
    flow: recall
    input_interface: {keys_to_set: {operation: read, content: nothing}}
  - {goal: w, flow: w}
  - {goal: slow, flow: slow}
  - {goal: b, flow: b}
inputs: {n: 1}
"""
SLEEP = "tests.flows_for_tests.Sleep"
BUSY = "tests.runners.parts.Busy"


class Stopped:
    """A run of the command `flows` in a folder, to be stopped while its slow step is under way."""

    def __init__(self, folder: Path, *, slow: str = SLEEP, closing: float = 0) -> None:
        self.folder = folder
        self.executed = folder / "executed.log"
        self.closing = folder / "closing.log"
        self.closing_seconds = closing
        (folder / "run.yaml").write_text(dedent(LINE).replace("SLOW", slow))
        self.runs = folder / "runs"
        run = str(folder / "run.yaml")
        self.command = ["-m", "flows", "run", run, f"runs={self.runs}", "--trust", "tests"]

    def environment(self, *, slow: float, closing: float) -> dict[str, str]:
        return environment(
            FLOWS_TEST_LOG=str(self.executed),
            FLOWS_TEST_SECONDS=str(slow),
            STOPPING_LOG=str(self.closing),
            STOPPING_SECONDS=str(closing),
        )

    def start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, *self.command],
            cwd=PROJECT,
            env=self.environment(slow=60, closing=self.closing_seconds),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def start_on_a_terminal(self) -> pexpect.spawn:
        return pexpect.spawn(
            sys.executable,
            self.command,
            cwd=str(PROJECT),
            env=self.environment(slow=60, closing=self.closing_seconds),
            encoding="utf-8",
            timeout=100,
        )

    def wait(self, file: Path, line: str) -> None:
        deadline = time.monotonic() + 60
        while not file.exists() or line not in file.read_text().splitlines():
            assert time.monotonic() < deadline
            time.sleep(0.02)

    def check(self, told: str, *, closed: bool) -> None:
        """It said how to go on, nobody holds the run, and going on comes to its end."""
        [folder] = self.runs.iterdir()
        assert f"flows resume {folder.name}" in re.sub(r"\s+", " ", told)
        assert "Traceback" not in told
        assert self.closing.read_text().splitlines() == ["closing", "closed"][: 1 + closed]
        assert not is_held(folder)
        assert [row.address for row in load(folder) if row.kind == "outcome"] == ["recall#1", "w#1"]
        self.closing.unlink()
        command = ["-m", "flows", "resume", folder.name, "--runs", str(self.runs), "--json"]
        env = self.environment(slow=0, closing=0)
        ended = python(*command, "--trust", "tests", cwd=PROJECT, env=env)
        assert (ended.code, ended.json()["outputs"]) == (0, {"n": 13}), ended.err
        assert self.executed.read_text().split() == ["w#1", "slow#1", "slow#1", "b#1"]


@pytest.mark.long("a run that is stopped by signals")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_once(tmp_path: Path, number: signal.Signals, code: int) -> None:
    run = Stopped(tmp_path, closing=0.5)
    process = run.start()
    run.wait(run.executed, "slow#1")

    process.send_signal(number)
    _, err = process.communicate(timeout=100)

    assert process.returncode == code
    run.check(err, closed=True)


@pytest.mark.long("whole processes are killed and go on")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_twice_while_it_is_closing(tmp_path: Path, number: signal.Signals, code: int) -> None:
    run = Stopped(tmp_path, closing=600)
    process = run.start()
    run.wait(run.executed, "slow#1")

    process.send_signal(number)
    run.wait(run.closing, "closing")
    process.send_signal(number)
    _, err = process.communicate(timeout=100)

    assert process.returncode == code
    run.check(err, closed=False)


@pytest.mark.long("whole processes are killed and go on")
def test_twice_while_a_thread_is_at_work(tmp_path: Path) -> None:
    run = Stopped(tmp_path, slow=BUSY)
    process = run.start()
    run.wait(run.executed, "slow#1")

    process.send_signal(signal.SIGINT)
    run.wait(run.closing, "closed")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=100)

    assert process.returncode == 130
    run.check(err, closed=True)


@pytest.mark.long("a run that is stopped by signals")
@pytest.mark.parametrize("terminate", [False, True])
def test_once_on_a_terminal(tmp_path: Path, terminate: bool) -> None:
    run = Stopped(tmp_path, closing=0.5)
    child = run.start_on_a_terminal()
    run.wait(run.executed, "slow#1")

    if terminate:
        child.kill(signal.SIGTERM)
    else:
        child.sendintr()
    told = child.read()
    child.close()

    assert child.exitstatus == (143 if terminate else 130)
    run.check(told, closed=True)


@pytest.mark.long("whole processes are killed and go on")
def test_twice_on_a_terminal(tmp_path: Path) -> None:
    run = Stopped(tmp_path, closing=600)
    child = run.start_on_a_terminal()
    run.wait(run.executed, "slow#1")

    child.sendintr()
    run.wait(run.closing, "closing")
    child.sendintr()
    told = child.read()
    child.close()

    assert child.exitstatus == 130
    run.check(told, closed=False)


@pytest.mark.long("a run that is stopped by signals")
def test_terminated_where_ctrl_c_is_ignored(tmp_path: Path) -> None:
    """As in the background of a script, where the shell lets Ctrl-C be ignored."""
    run = Stopped(tmp_path)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process = run.start()
    finally:
        signal.signal(signal.SIGINT, before)
    run.wait(run.executed, "slow#1")

    os.kill(process.pid, signal.SIGTERM)
    _, err = process.communicate(timeout=100)

    assert process.returncode == 143
    run.check(err, closed=True)
