"""A run that was killed goes on, and does nothing twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from flows.core.journal import load
from tests.cli.command import RUN_PY, environment
from tests.cli.inside import inside


def started(folder: Path) -> subprocess.Popen[str]:
    """The demo, in a pipe that nobody writes to: it stops at its first question."""
    return subprocess.Popen(
        [sys.executable, str(RUN_PY)],
        cwd=folder,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def wait_for(child: subprocess.Popen[str], text: str) -> None:
    assert child.stdout is not None
    read = ""
    while text not in read:
        line = os.read(child.stdout.fileno(), 4096).decode()
        assert line, f"it ended: {read}"
        read += line


def outcomes(folder: Path) -> list[str]:
    return [row.address for row in load(folder) if row.kind == "outcome"]


@pytest.mark.long("whole processes are killed and go on")
@pytest.mark.parametrize("answers", [0, 2])
def test_a_killed_run_goes_on_after_its_last_recorded_step(tmp_path: Path, answers: int) -> None:
    child = started(tmp_path)
    assert child.stdin is not None
    for number in range(answers):
        wait_for(child, "q quits")
        child.stdin.write("\n")
        child.stdin.flush()
        del number
    wait_for(child, "q quits")
    child.send_signal(signal.SIGKILL)
    child.communicate()
    folder = next((tmp_path / "runs").iterdir())
    before = outcomes(folder)
    assert before
    ended = inside("resume", folder.name, "--json", cwd=tmp_path, stdin="\n" * 9)
    assert ended.code == 0, ended.err
    assert ended.json()["status"] == "finished"
    after = outcomes(folder)
    assert after[: len(before)] == before
    assert len(set(after)) == len(after)  # no step was done twice
    assert ended.json()["usage"]["model_calls"] == 6


def test_an_unknown_run_is_told_with_those_there_are(tmp_path: Path) -> None:
    (tmp_path / "runs" / "20260101-000000-aaaaaa").mkdir(parents=True)
    ended = inside("resume", "nothing", cwd=tmp_path)
    assert ended.code == 2
    assert "20260101-000000-aaaaaa" in ended.err
    assert "Traceback" not in ended.err
