"""The terminal under a real pseudo-terminal."""

from __future__ import annotations

import json
import os
import signal
import sys
import termios
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pexpect
import pytest

ROOT = Path(__file__).parents[2]
PASTE, PASTE_END = "\x1b[200~", "\x1b[201~"


class Terminal:
    """A process at a pseudo-terminal, and what it noted down."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.out = folder / "answers.jsonl"
        environment = {**os.environ, "TERM": "xterm-256color"}
        environment.pop("PROMPT_TOOLKIT_NO_CPR", None)
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "tests.human.asker", str(self.out), *arguments],
            cwd=str(ROOT),
            env=environment,
            encoding="utf-8",
            timeout=10,
            dimensions=(24, 80),
        )
        self.child.delaybeforesend = None

    def question(self, number: int) -> None:
        """Wait until the question stands there and keys are read raw."""
        self.child.expect_exact(f"Question {number}?")

    def end(self, seconds: float = 10) -> tuple[int, list[dict[str, Any]]]:
        self.child.expect(pexpect.EOF, timeout=seconds)
        self.child.close()
        code = self.child.exitstatus
        lines = self.out.read_text().splitlines() if self.out.exists() else []
        return (-1 if code is None else code), [json.loads(line) for line in lines]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[list[Terminal]]:
    terminals: list[Terminal] = []
    yield terminals
    for terminal in terminals:
        terminal.child.close(force=True)


def start(opened: list[Terminal], folder: Path, *arguments: str) -> Terminal:
    terminal = Terminal(folder, *arguments)
    opened.append(terminal)
    return terminal


def texts(answers: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(each["kind"], each["text"]) for each in answers if "kind" in each]


@pytest.mark.long("a process at a terminal for each key")
def test_enter_text_and_quit(tmp_path: Path, opened: list[Terminal]) -> None:
    terminal = start(opened, tmp_path, "5")
    for number, keys in enumerate(
        ["\r", "use the median\r", " Q \r", "\uff51\r", "quite right\r"], 1
    ):
        terminal.question(number)
        terminal.child.send(keys)
    code, answers = terminal.end()
    assert code == 0
    assert texts(answers) == [
        ("text", ""),
        ("text", "use the median"),
        ("quit", ""),
        ("quit", ""),
        ("text", "quite right"),
    ]
    assert answers[-1]["prompt_toolkit"] is True
    assert "CPR" not in str(terminal.child.before)


@pytest.mark.long("a process at a terminal for each key")
def test_a_paste_of_several_lines_is_one_answer(tmp_path: Path, opened: list[Terminal]) -> None:
    terminal = start(opened, tmp_path, "2")
    terminal.question(1)
    terminal.child.send(f"{PASTE}first line\rsecond line\r\nq\r{PASTE_END}")
    terminal.child.send("\r")
    terminal.question(2)
    terminal.child.send(f"{PASTE}q{PASTE_END}\r")
    code, answers = terminal.end()
    assert code == 0
    assert texts(answers) == [("text", "first line\nsecond line\nq"), ("quit", "")]


@pytest.mark.long("ten thousand keys at a real terminal")
def test_a_line_longer_than_a_terminals_own_is_whole(
    tmp_path: Path, opened: list[Terminal]
) -> None:
    long = "".join(f"{number:05d} " for number in range(1667))[:10_000].strip()
    terminal = start(opened, tmp_path, "1")
    terminal.question(1)
    terminal.child.send(long + "\r")
    code, answers = terminal.end(90)
    assert code == 0
    assert texts(answers) == [("text", long)]


@pytest.mark.long("a process at a terminal for each key")
def test_an_earlier_answer_comes_back_from_the_history(
    tmp_path: Path, opened: list[Terminal]
) -> None:
    terminal = start(opened, tmp_path, "2")
    terminal.question(1)
    terminal.child.send("by region\r")
    terminal.question(2)
    terminal.child.send("\x1b[A please\r")
    _, answers = terminal.end()
    assert texts(answers) == [("text", "by region"), ("text", "by region please")]


@pytest.mark.long("a process at a terminal for each key")
def test_control_c_ends_at_once_and_leaves_the_terminal_as_it_was(
    tmp_path: Path, opened: list[Terminal]
) -> None:
    terminal = start(opened, tmp_path, "2")
    before = termios.tcgetattr(terminal.child.fileno())
    terminal.question(1)
    assert termios.tcgetattr(terminal.child.fileno()) != before
    terminal.child.send("half an ans\x03")
    terminal.child.wait()
    assert termios.tcgetattr(terminal.child.fileno()) == before
    code, answers = terminal.end()
    assert code == 130
    assert answers == [{"ended": "KeyboardInterrupt"}]


@pytest.mark.long("a process at a terminal")
def test_control_c_between_questions_ends_at_once(tmp_path: Path, opened: list[Terminal]) -> None:
    terminal = start(opened, tmp_path, "2", "wait", "60")
    terminal.question(1)
    terminal.child.send("\r")
    terminal.child.expect_exact("working")
    terminal.child.send("\x03")
    code, answers = terminal.end()
    assert code == 130
    assert answers[-1] == {"ended": "KeyboardInterrupt"}


@pytest.mark.long("a process at a terminal for each key")
def test_an_interrupt_from_outside_ends_the_question(
    tmp_path: Path, opened: list[Terminal]
) -> None:
    terminal = start(opened, tmp_path, "2")
    terminal.question(1)
    terminal.child.kill(signal.SIGINT)
    code, answers = terminal.end()
    assert code == 130
    assert answers == [{"ended": "KeyboardInterrupt"}]


@pytest.mark.long("a process at a terminal for each key")
@pytest.mark.parametrize("on_eof", ["wait", "continue"])
def test_control_d_on_an_empty_line_is_nobody_for_good(
    tmp_path: Path, opened: list[Terminal], on_eof: str
) -> None:
    terminal = start(opened, tmp_path, "3", on_eof)
    terminal.question(1)
    terminal.child.send("a\x04\r")  # In a line with text it is no end.
    terminal.question(2)
    terminal.child.send("\x04")
    code, answers = terminal.end()
    assert code == 0
    assert texts(answers) == [("text", "a"), ("nobody", ""), ("nobody", "")]
    assert [each["go_on"] for each in answers[1:3]] == [on_eof == "continue"] * 2


@pytest.mark.long("a process at a terminal for each key")
def test_escape_sequences_in_a_paste_are_taken_out(tmp_path: Path, opened: list[Terminal]) -> None:
    terminal = start(opened, tmp_path, "1")
    terminal.question(1)
    terminal.child.send(f"{PASTE}red \x1b[31mtext\x1b]0;title\x07 here{PASTE_END}\r")
    _, answers = terminal.end()
    assert texts(answers) == [("text", "red text here")]


@pytest.mark.long("a process at a terminal for each key")
def test_a_dumb_terminal_is_enough(tmp_path: Path, opened: list[Terminal]) -> None:
    out = tmp_path / "answers.jsonl"
    child = pexpect.spawn(
        sys.executable,
        ["-m", "tests.human.asker", str(out), "1"],
        cwd=str(ROOT),
        env={**os.environ, "TERM": "dumb"},
        encoding="utf-8",
        timeout=10,
    )
    try:
        child.expect_exact("Question 1?")
        child.send("fine\r")
        child.expect(pexpect.EOF)
    finally:
        child.close(force=True)
    assert json.loads(out.read_text().splitlines()[0])["text"] == "fine"
