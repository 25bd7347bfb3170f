"""What is wrong with the functions of an interpreter: where it stands, and what it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.inside import inside


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def f(x:\n", "error: functions: mine.py:1:6: '(' was never closed"),
        (
            'def g(x):\n    """Does."""\n    return x\n',
            "error: mine.py:1:1: the argument x has no type",
        ),
        ('"""Nothing."""\n', "error: mine.py: there is no public function in it"),
        ("", "error: mine.py: there is no public function in it"),
    ],
)
def test_a_module_that_gives_no_function_is_a_fault(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "mine.py").write_text(text)
    asked = ("interpret", "what", "--functions", "mine.py", "--trust", "./mine.py")
    ended = inside(*asked, cwd=tmp_path)
    assert (ended.code, ended.err.splitlines()[0]) == (2, said)
