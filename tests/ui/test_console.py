"""The console under a real terminal, a pipe, a closed one and one whose reader leaves."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pexpect
import pyte
import pytest

ROOT = Path(__file__).parents[2]


def environment(**more: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    return {**kept, "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8", **more}


def at_terminal(width: int, *arguments: str, **more: str) -> str:
    """All that the story wrote to a pseudo-terminal."""
    child = pexpect.spawn(
        sys.executable,
        ["-m", "tests.ui.story", *arguments],
        cwd=str(ROOT),
        env=environment(**more),
        dimensions=(200, width),
        encoding="utf-8",
        timeout=30,
    )
    try:
        return str(child.read())
    finally:
        child.close(force=True)


def screen_lines(raw: str, width: int) -> list[str]:
    screen = pyte.Screen(width, 200)
    pyte.Stream(screen).feed(raw)
    return [line.rstrip() for line in screen.display if line.strip()]


def piped(shell: str, **more: str) -> subprocess.CompletedProcess[str]:
    command = shell.replace("STORY", f"{sys.executable} -m tests.ui.story")
    return subprocess.run(
        ["bash", "-c", command],
        cwd=ROOT,
        env=environment(**more),
        capture_output=True,
        encoding="utf-8",
        timeout=30,
        check=False,
    )


@pytest.mark.long("a process for each kind of stream")
@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_terminal_shows_lines_that_fit_and_no_traces_of_the_status(width: int) -> None:
    raw = at_terminal(width)
    lines = screen_lines(raw, width)
    assert lines[0].startswith("── AutoGPT ──────")
    assert len(lines[0]) == width
    assert "thinking… 12 characters" in raw
    assert not [line for line in lines if "thinking" in line or "Choose" in line]
    assert "First words, then" in lines
    assert "more." in lines
    assert any("region 9" in line for line in lines)
    assert "\x1b[?25l" not in raw  # The cursor is never hidden, so nothing has to bring it back.


@pytest.mark.long("a process for each kind of stream")
def test_no_color_is_honoured() -> None:
    colored = re.compile(r"\x1b\[[0-9;]*(3[0-7]|38;|9[0-7])[0-9;]*m")
    assert colored.search(at_terminal(80))
    assert not colored.search(at_terminal(80, NO_COLOR="1"))


@pytest.mark.long("whole runs are shown")
def test_a_dumb_terminal_gets_no_cursor_tricks() -> None:
    assert "\x1b" not in at_terminal(80, TERM="dumb")


@pytest.mark.long("a process for each kind of stream")
@pytest.mark.parametrize("more", [{}, {"FORCE_COLOR": "1"}, {"TTY_COMPATIBLE": "1"}])
def test_a_pipe_gets_plain_lines(more: dict[str, str]) -> None:
    done = piped("STORY", **more)
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert "\r" not in done.stdout
    assert "── Round 1 of 30 ──\n" in done.stdout
    assert "Text       First words, then\n           more.\n" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100


@pytest.mark.long("a process for each kind of stream")
def test_standard_output_stays_empty_when_the_screen_is_on_standard_error() -> None:
    done = piped("STORY stderr")
    assert done.stdout == ""
    assert "Round 1 of 30" in done.stderr


@pytest.mark.long("a process for each kind of stream")
def test_columns_sets_the_width_of_a_pipe() -> None:
    assert max(map(len, piped("STORY", COLUMNS="60").stdout.splitlines())) <= 60


@pytest.mark.long("a process for each kind of stream")
def test_an_encoding_without_the_signs_is_no_error() -> None:
    done = piped("STORY", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Round 1 of 30" in done.stdout


@pytest.mark.long("a process for each kind of stream")
def test_closed_streams_are_no_error() -> None:
    assert piped("STORY >&-").returncode == 0
    assert piped("STORY stderr 2>&-").returncode == 0


@pytest.mark.long("a process for each kind of stream")
def test_the_run_goes_on_when_its_reader_leaves() -> None:
    done = piped("(STORY; echo code $? >&2) | head -n 2")
    assert done.stderr == "code 0\n"
