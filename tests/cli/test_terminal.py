"""A person at a real terminal."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from tests.cli.command import RUN_PY, environment

ASKED = "q quits"


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[pexpect.spawn[str]]:
    goal = "goal=Which continent had the highest average life expectancy in 2007?"
    child = pexpect.spawn(
        sys.executable,
        [str(RUN_PY), goal],
        cwd=str(tmp_path),
        env=environment(TERM="xterm"),
        encoding="utf-8",
        timeout=100,
        dimensions=(50, 100),
    )
    yield child
    child.close(force=True)


@pytest.mark.long("a whole run at a terminal")
def test_feedback_changes_the_next_command_and_q_ends_it(terminal: pexpect.spawn[str]) -> None:
    terminal.expect("Round 1 of 30")
    terminal.expect("80.7195")
    terminal.expect(ASKED)
    terminal.send("the lowest instead\r")
    terminal.expect("Round 2 of 30")
    terminal.expect("Africa")
    terminal.expect(ASKED)
    terminal.send("q\r")
    terminal.expect("the person ended the run")
    terminal.expect(pexpect.EOF)
    terminal.wait()
    assert terminal.exitstatus == 0


@pytest.mark.long("whole runs of the command")
def test_ctrl_c_stops_and_says_how_to_go_on(terminal: pexpect.spawn[str]) -> None:
    terminal.expect(ASKED)
    terminal.sendintr()
    terminal.expect(r"flows resume (\S+)")
    terminal.expect(pexpect.EOF)
    terminal.wait()
    assert terminal.exitstatus == 130
    assert terminal.signalstatus is None


@pytest.mark.long("the whole demo, at a real terminal")
def test_sigint_from_outside_is_the_same(terminal: pexpect.spawn[str]) -> None:
    terminal.expect(ASKED)
    terminal.kill(signal.SIGINT)
    terminal.expect("flows resume")
    terminal.expect(pexpect.EOF)
    terminal.wait()
    assert terminal.exitstatus == 130
