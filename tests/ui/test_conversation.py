"""The screen and the question on one real terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pexpect
import pytest

from tests.ui.test_console import ROOT, environment, screen_lines


@pytest.fixture
def pause() -> float:
    return 0.0


@pytest.fixture
def child(pause: float) -> Iterator[pexpect.spawn]:
    spawned = pexpect.spawn(
        sys.executable,
        ["-m", "tests.ui.conversation", str(pause)],
        cwd=str(ROOT),
        env=environment(),
        dimensions=(60, 80),
        encoding="utf-8",
        timeout=15,
    )
    yield spawned
    spawned.close(force=True)


@pytest.mark.long("a process at a terminal")
def test_questions_and_answers_stand_in_lines_of_their_own(child: pexpect.spawn) -> None:
    seen = ""
    for keys in ("\x1b[200~first\rsecond\x1b[201~\r", "\r"):
        child.expect_exact("Your feedback:")
        seen += f"{child.before}{child.after}"
        child.send(keys)
    child.expect(pexpect.EOF)
    lines = screen_lines(seen + str(child.before), 80)
    asked = [line for line in lines if line.startswith("Your feedback:")]
    assert asked[0] == "Your feedback: first"
    assert "You        first" in lines
    assert "           second" in lines
    assert lines[-1] == "You        go on"
    assert not [line for line in lines if "Ask the person" in line or "thinking" in line]


@pytest.mark.long("a process at a terminal")
@pytest.mark.parametrize("pause", [60.0])
def test_control_c_takes_the_status_away(child: pexpect.spawn) -> None:
    child.expect_exact("thinking")
    seen = f"{child.before}{child.after}"
    child.send("\x03")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    assert not [line for line in screen_lines(seen + child.before, 80) if "thinking" in line]
