"""How errors look: in colour for a person, plain for a pipe, never with what a file smuggled in."""

from __future__ import annotations

import sys
from pathlib import Path

import pexpect
import pytest

from flows.cli.faults import show_fault
from flows.errors import CheckError, ConfigError, FlowsError, JournalError, Place
from tests.cli.command import environment

ODD = ConfigError(
    "is odd\nin two ways",
    place=Place("a.yaml", 3, 7),
    path="subflows_config.Executor.subflows_config.sql.max_rows",
    allowed=[f"name{number}" for number in range(100)],
    meant="even",
)


def shown(error: FlowsError, capsys: pytest.CaptureFixture[str]) -> list[str]:
    show_fault(error)
    return capsys.readouterr().err.splitlines()


def test_place_path_problem_guess_and_what_is_allowed(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(ODD, capsys)
    assert lines[:3] == [
        "error: a.yaml:3:7: Executor.sql.max_rows: is odd",
        "  in two ways",
        "  did you mean: even",
    ]
    assert lines[3].startswith("  allowed: name0, name1, ")
    assert lines[4].startswith("           name")
    assert lines[-1].endswith("name59 and 40 more")
    assert max(map(len, lines)) <= 100


def test_several_are_counted_and_kept_apart(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(CheckError([ODD, ConfigError("is even", path="b")]), capsys)
    assert lines[-4:] == ["", "error: b: is even", "", "2 faults"]
    assert shown(JournalError("there is no run"), capsys) == ["error: there is no run"]


def test_nothing_commands_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    evil = "\x1b]0;title\x07\x1b[2J\u202eevil\r"
    show_fault(ConfigError(evil, place=Place(evil, 1, 1), path=evil, allowed=[evil], meant=evil))
    assert not {"\x1b", "\x07", "\u202e", "\r"} & set(capsys.readouterr().err)


@pytest.mark.long("whole runs of the command")
@pytest.mark.parametrize("no_color", ["", "1"])
def test_colour_is_for_terminals_that_want_it(no_color: str, tmp_path: Path) -> None:
    env = environment(TERM="xterm-256color")
    env.pop("NO_COLOR")
    if no_color:
        env["NO_COLOR"] = no_color
    child = pexpect.spawn(
        sys.executable,
        ["-m", "flows", "chek"],
        cwd=str(tmp_path),
        env=env,
        encoding="utf-8",
        timeout=90,
    )
    printed = child.read()
    child.close()
    assert child.exitstatus == 2
    assert "no such command 'chek'" in printed
    assert ("\x1b[1;31merror" in printed) is (not no_color)
    assert ("\x1b[32m  did you mean: check" in printed) is (not no_color)
