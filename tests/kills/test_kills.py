"""The kill test, short and long; and that it sees what is wrong with a journal that is naive."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import PROJECT


def kills(folder: Path, *options: str) -> tuple[int, dict[str, Any]]:
    """The exit code and the report of `python -m tests.kills`."""
    report = folder / "report.json"
    command = [sys.executable, "-m", "tests.kills", *options, "--json", str(report)]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert report.exists(), done.stderr
    found: dict[str, Any] = json.loads(report.read_text())
    return done.returncode, found


def check(code: int, report: dict[str, Any], least: int) -> None:
    assert report["details"] == []
    assert set(report["faults"].values()) == {0}
    assert report["kills"]["all"] >= least
    assert code == 0


@pytest.mark.long("whole processes are killed and go on")
def test_nothing_is_lost_or_done_twice(tmp_path: Path) -> None:
    check(*kills(tmp_path, "--kills", "12", "--seed", "3"), 12)


@pytest.mark.long("whole processes are killed and go on")
def test_a_journal_that_loses_steps_is_seen(tmp_path: Path) -> None:
    """Else the test above would be blind."""
    code, report = kills(tmp_path, "--kills", "12", "--naive", "--seed", "3")

    assert code == 1
    assert report["faults"]["lost_steps"] > 0


@pytest.mark.soak("a thousand kills")
@pytest.mark.timeout(7200)
def test_a_thousand_kills(tmp_path: Path) -> None:
    code, report = kills(tmp_path, "--kills", "1000", "--seed", "1")

    check(code, report, 1000)
    assert report["repeated_model_calls"]["a_kill"] < 0.1


@pytest.mark.soak("a hundred kills of a naive journal, of which chance decides what each shows")
@pytest.mark.timeout(1200)
def test_kills_with_a_naive_journal_are_seen(tmp_path: Path) -> None:
    code, report = kills(tmp_path, "--kills", "100", "--naive")

    assert code == 1
    for fault in ("lost_steps", "duplicated_rows", "duplicated_memories", "duplicated_questions"):
        assert report["faults"][fault] > 0, fault
    assert report["repeated_model_calls"]["a_kill"] > 0.1
