"""Asking when standard input is a pipe, a file, or closed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def run(folder: Path, shell: str, *arguments: str) -> tuple[list[dict[str, Any]], str, str]:
    """The answers, standard output and standard error of the asker in a shell's line."""
    out = folder / "answers.jsonl"
    asker = " ".join([sys.executable, "-m", "tests.human.asker", str(out), *arguments])
    done = subprocess.run(
        ["bash", "-c", shell.replace("ASKER", asker)],
        cwd=ROOT,
        capture_output=True,
        timeout=30,
        check=True,
    )
    answers = [json.loads(line) for line in out.read_text().splitlines()]
    return answers, done.stdout.decode(), done.stderr.decode()


def kinds(answers: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(each["kind"], each["text"]) for each in answers if "kind" in each]


def test_one_line_is_one_answer(tmp_path: Path) -> None:
    answers, stdout, stderr = run(tmp_path, r"printf '\n\nq\n' | ASKER", "3")
    assert kinds(answers) == [("text", ""), ("text", ""), ("quit", "")]
    assert stdout == ""
    assert stderr == "Question 1? \nQuestion 2? \nQuestion 3? q\n"
    assert answers[-1] == {"ended": "normally", "prompt_toolkit": False}


@pytest.mark.long("a process at a terminal")
@pytest.mark.parametrize("ending", ["<&-", "</dev/null", "< <(printf '')"])
@pytest.mark.parametrize("on_eof", ["wait", "continue"])
def test_an_input_that_is_closed_or_empty_is_nobody(
    tmp_path: Path, ending: str, on_eof: str
) -> None:
    answers, stdout, _ = run(tmp_path, f"ASKER {ending}", "2", on_eof)
    assert kinds(answers) == [("nobody", ""), ("nobody", "")]
    assert [each["go_on"] for each in answers[:2]] == [on_eof == "continue"] * 2
    assert stdout == ""


@pytest.mark.long("a process at a terminal")
def test_the_end_of_the_input_is_not_an_empty_answer(tmp_path: Path) -> None:
    answers, _, _ = run(tmp_path, r"printf 'yes\nno' | ASKER", "4")
    assert kinds(answers) == [("text", "yes"), ("text", "no"), ("nobody", ""), ("nobody", "")]


@pytest.mark.long("a process at a terminal")
def test_a_long_line_and_strange_bytes(tmp_path: Path) -> None:
    file = tmp_path / "input"
    long = "x" * 10_000
    file.write_bytes(long.encode() + b"\r\nbad \xff byte\n\x1b[31mred\x1b[0m\n\xef\xbd\x91\n")
    answers, _, _ = run(tmp_path, f"ASKER < {file}", "4")
    assert kinds(answers) == [
        ("text", long),
        ("text", "bad \ufffd byte"),
        ("text", "red"),
        ("quit", ""),
    ]


@pytest.mark.long("a process at a terminal")
def test_the_next_process_gets_the_lines_that_were_not_asked_for(tmp_path: Path) -> None:
    answers, _, _ = run(tmp_path, r"printf 'a\nb\nc\n' | (ASKER; ASKER)", "1")
    assert kinds(answers) == [("text", "a"), ("text", "b")]


@pytest.mark.long("a process at a terminal")
def test_closed_standard_error_does_not_matter(tmp_path: Path) -> None:
    answers, stdout, _ = run(tmp_path, "echo yes | ASKER 2>&-", "1")
    assert kinds(answers) == [("text", "yes")]
    assert stdout == ""


@pytest.mark.long("a process at a terminal")
def test_control_c_while_waiting_for_a_pipe_ends_at_once(tmp_path: Path) -> None:
    out = tmp_path / "answers.jsonl"
    with subprocess.Popen(
        [sys.executable, "-m", "tests.human.asker", str(out), "1"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None
        while not os.read(process.stderr.fileno(), 100).endswith(b"? "):
            pass
        started = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=10) == 130
    assert time.monotonic() - started < 5
    assert json.loads(out.read_text()) == {"ended": "KeyboardInterrupt"}


@pytest.mark.long("a process at a terminal")
def test_an_endless_line_does_not_hold_off_control_c(tmp_path: Path) -> None:
    out = tmp_path / "answers.jsonl"
    with (
        Path("/dev/zero").open("rb") as endless,
        subprocess.Popen(
            [sys.executable, "-m", "tests.human.asker", str(out), "1"],
            cwd=ROOT,
            stdin=endless,
            stderr=subprocess.PIPE,
        ) as process,
    ):
        assert process.stderr is not None
        while not os.read(process.stderr.fileno(), 100).endswith(b"? "):
            pass
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=10) == 130
