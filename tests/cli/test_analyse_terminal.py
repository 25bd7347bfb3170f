"""`flows analyse` at a real terminal: the tree of tasks, and Ctrl-C as a pause."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from flows.human.terminal_text import plain
from tests.cli.command import environment
from tests.cli.inside import inside
from tests.cli.shop import ASKED, shop

# NO_COLOR leaves bold and dim letters.
STYLE = r"(?:\x1b\[\d*m)*"
FIRST = f"▶ {STYLE}0 PythonDataAgent"


def started(folder: Path, *arguments: str) -> pexpect.spawn[str]:
    return pexpect.spawn(
        sys.executable,
        ["-m", "flows", "analyse", ASKED, "--data", "shop.csv", *arguments],
        cwd=str(folder),
        env=environment(TERM="xterm"),
        encoding="utf-8",
        timeout=100,
        dimensions=(40, 100),
    )


def ended(terminal: pexpect.spawn[str]) -> tuple[int | None, str]:
    terminal.expect(pexpect.EOF)
    terminal.wait()
    return terminal.exitstatus, plain(terminal.before)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[pexpect.spawn[str]]:
    shop(tmp_path)
    child = started(tmp_path, "--out", "report.html")
    yield child
    child.close(force=True)


def paused(terminal: pexpect.spawn[str]) -> None:
    terminal.expect(FIRST)
    terminal.sendintr()
    terminal.expect("pausing before the next step")
    terminal.expect("What now")


@pytest.mark.long("a team of agents at a real terminal")
def test_the_tasks_are_a_tree_that_is_drawn_while_they_are_done(
    terminal: pexpect.spawn[str], tmp_path: Path
) -> None:
    terminal.expect(FIRST)
    terminal.expect(f"○ {STYLE}1 ")
    terminal.expect(f"✓ {STYLE}0 PythonDataAgent")
    terminal.expect("model calls")
    code, said = ended(terminal)
    assert code == 0
    assert "── Answer ─" in said
    assert (tmp_path / "report.html").is_file()


@pytest.mark.long("a team of agents at a real terminal")
def test_after_a_pause_it_goes_on(terminal: pexpect.spawn[str]) -> None:
    paused(terminal)
    terminal.send("perhaps\r")
    terminal.expect("none of them")
    terminal.expect("What now")
    terminal.send(":help\r")
    terminal.expect("Commands to the session")
    terminal.expect("What now")
    terminal.send(":set limits.model_calls=150\r")
    terminal.expect("150. It holds from the next step on")
    terminal.expect("What now")
    terminal.send("\r")
    terminal.expect(f"✓ {STYLE}0 PythonDataAgent")
    code, said = ended(terminal)
    assert code == 0
    assert "Not all tasks were done" not in said


@pytest.mark.long("a team of agents at a real terminal")
def test_stopped_it_reports_what_there_is(terminal: pexpect.spawn[str], tmp_path: Path) -> None:
    paused(terminal)
    terminal.send("stop\r")
    terminal.expect("SummarizerAgent")
    code, said = ended(terminal)
    assert code in (0, 1)
    assert "Not all tasks were done: the person ended it early." in said
    assert "skipped: the person ended it early" in said
    assert (tmp_path / "report.html").is_file()
    assert inside("replay", "last", cwd=tmp_path).code == 0


@pytest.mark.long("a team of agents at a real terminal")
@pytest.mark.timeout(300)
@pytest.mark.parametrize("how", ["save", "ctrl-c", "kill"])
def test_gone_on_with_later_it_writes_the_report_where_it_was_wanted(
    terminal: pexpect.spawn[str], tmp_path: Path, how: str
) -> None:
    paused(terminal)
    if how == "kill":
        terminal.kill(signal.SIGKILL)
        terminal.wait()
    else:
        terminal.send("save\r") if how == "save" else terminal.sendintr()
        terminal.expect("go on with: flows resume")
        assert ended(terminal)[0] == 130
    assert "interrupted" in inside("runs", cwd=tmp_path).out
    assert not (tmp_path / "report.html").exists()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    resumed = inside("resume", "last", "--runs", str(tmp_path / "runs"), cwd=elsewhere)
    assert resumed.code == 0, resumed.err
    [line] = [each for each in resumed.out.splitlines() if each.startswith("Report ")]
    assert line.endswith("report.html")
    assert "</html>" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "── Answer ──" in resumed.out


@pytest.mark.long("a team of agents at a real terminal")
def test_a_second_ctrl_c_saves_without_an_answer(terminal: pexpect.spawn[str]) -> None:
    terminal.expect(FIRST)
    terminal.kill(signal.SIGINT)
    terminal.expect("pausing before the next step; Ctrl-C again saves and ends")
    terminal.kill(signal.SIGINT)
    terminal.expect("go on with: flows resume")
    assert ended(terminal)[0] == 130


@pytest.mark.long("a team of agents at a real terminal")
def test_told_to_terminate_it_ends_at_once(terminal: pexpect.spawn[str]) -> None:
    terminal.expect(FIRST)
    terminal.kill(signal.SIGTERM)
    terminal.expect("go on with: flows resume")
    assert ended(terminal)[0] == 143


@pytest.mark.long("a team of agents at a real terminal")
def test_a_person_changes_the_tasks_before_they_are_done(tmp_path: Path) -> None:
    shop(tmp_path)
    terminal = started(tmp_path, "--feedback")
    terminal.expect("to do after 0")
    terminal.expect("Enter goes on, q ends")
    terminal.send("drop 2; add insights: Tell what stands out after 1\r")
    terminal.expect("The person dropped task 2")
    terminal.expect(f"· {STYLE}2 ")
    terminal.expect("Enter goes on, q ends")
    terminal.send("q\r")
    code, said = ended(terminal)
    assert code in (0, 1)
    assert "Not all tasks were done: the person ended it." in said
