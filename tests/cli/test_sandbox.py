"""A run that executes code: what holds it is shown, and `strict` and `off` are what they say."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from rich.console import Console

from flows.core.events import Notice
from flows.sandbox import bubblewrap
from flows.ui.screen import Screen
from tests.cli.command import PROJECT, Ended, environment
from tests.cli.inside import inside

FLOW = """\
_target_: sequential
input_interface: [code]
output_interface: [text]
inputs: {code: "print(6 * 7)"}
sandbox: {seconds: 20}
subflows_config: {Code: {_target_: tests.sandbox.flow_for_tests.RunCode}}
topology: [{goal: run it, flow: Code}]
"""


def one_line(text: str) -> str:
    return " ".join(text.split())


def has_bubblewrap() -> bool:
    try:
        return bool(bubblewrap.state())
    except OSError:
        return False


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "run.yaml").write_text(FLOW)
    return tmp_path


def command(folder: Path, *arguments: str, **more: str) -> Ended:
    env = environment(PYTHONPATH=str(PROJECT), **more)
    return inside(*arguments, "--trust", "tests", cwd=folder, env=env)


@pytest.mark.long("the probe of the machine, with every wall")
def test_what_the_probe_found_is_shown_and_in_the_result(folder: Path) -> None:
    ended = command(folder, "run", "run.yaml", "--json")
    assert ended.code == 0, ended.err
    found = ended.json()
    assert found["outputs"]["text"].strip() == "42"
    assert re.search(r"sandbox: .*limits, .*; (\d+) of \1 attacks held off", one_line(ended.err))
    assert found["sandbox"]["mode"] == "standard"
    assert found["sandbox"]["attacks"] >= 10
    assert found["sandbox"]["through"] == []
    assert bool(found["sandbox"]["missing"]) is not has_bubblewrap()


@pytest.mark.long("whole runs of the command")
def test_off_is_an_alarm_on_each_run_and_a_fork_has_to_type_it_again(folder: Path) -> None:
    ended = command(folder, "run", "run.yaml", "sandbox.mode=off")
    assert ended.code == 0, ended.err
    assert re.search(r"^Alarm +sandbox: off, as it was typed", ended.out, re.MULTILINE)

    again = command(folder, "fork", "last", "--at", "Code#1", "--json")
    assert again.code == 2
    assert "sandbox.mode: off has to be typed on the command line" in again.err
    assert "the journal of" in again.err
    typed = command(folder, "fork", "last", "--at", "Code#1", "--json", "sandbox.mode=off")
    assert typed.code == 0, typed.err
    assert typed.json()["sandbox"]["mode"] == "off"


@pytest.mark.long("whole runs of the command")
def test_a_run_that_was_begun_with_it_off_goes_on_so_and_is_replayed(folder: Path) -> None:
    code = "inputs.code=assert __import__('os').path.exists('go'), 'not yet'"
    first = command(folder, "run", "run.yaml", code, "sandbox.mode=off", "--json")
    assert first.code == 0, first.err
    again = command(folder, "resume", "last", "--json")
    assert "has to be typed" not in again.err
    assert again.code == 0, again.err
    replayed = command(folder, "replay", "last", "--json")
    assert replayed.code == 0, replayed.err


def test_an_alarm_is_red() -> None:
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, color_system="standard", width=100)
    Screen(console)(Notice("run", 1, "", 0, "sandbox: off", alarm=True))
    assert "\x1b[1;31mAlarm" in written.getvalue()
    assert "\x1b[31msandbox: off" in written.getvalue()


def test_a_file_cannot_turn_it_off(folder: Path) -> None:
    (folder / "run.yaml").write_text(FLOW.replace("{seconds: 20}", "{mode: off}"))
    ended = command(folder, "run", "run.yaml")
    assert ended.code == 2
    assert "run.yaml:5:17: sandbox.mode: off has to be typed on the command line" in ended.err


def test_strict_ends_with_78_before_the_run_begins(folder: Path, tmp_path: Path) -> None:
    ended = command(folder, "run", "run.yaml", "sandbox.mode=strict", "--json")
    if has_bubblewrap():
        assert ended.code == 0, ended.err
        assert ended.json()["sandbox"]["missing"] == []
    else:
        assert ended.code == 78
        assert "bubblewrap" in ended.err
        assert ended.json()["status"] == "failed"
        assert not (folder / "runs").exists()


def test_the_exit_code_of_a_missing_wall_is_in_the_help(tmp_path: Path) -> None:
    for arguments in (("--help",), ("run", "--help")):
        assert re.search(r"^ +78 ", inside(*arguments, cwd=tmp_path).out, re.MULTILINE)
