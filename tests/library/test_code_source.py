"""Faults of a code step name the line of the run file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.inside import inside

STEP = """\
_target_: sequential
input_interface: {x: int}
output_interface: [y]
inputs: {x: 0}
subflows_config:
  A:
    _target_: code
    input_interface: {x: int}
    output_interface: {y: float}
    CODE
topology:
  - {goal: Divide, flow: A}
"""
BLOCK = """code: |
      def inverse(n):
          return 1 / n

      y = inverse(x)"""


@pytest.mark.parametrize(
    ("code", "place"),
    [
        (BLOCK.replace("(n)", "(n"), "my.yaml:11:18: "),
        (BLOCK.replace("1 / n", "1 /"), "my.yaml:12:21: "),
        ("code: y = 1 +", "my.yaml:10:"),
        ('code: "y = (1"', "my.yaml:10:16: "),
        ("code: >\n      y =\n      (1", "my.yaml:10:11: "),  # folded: its lines are other lines
    ],
)
def test_a_syntax_error_is_found_by_check(tmp_path: Path, code: str, place: str) -> None:
    (tmp_path / "my.yaml").write_text(STEP.replace("CODE", code))
    ended = inside("check", "my.yaml", cwd=tmp_path)
    assert ended.code == 2
    assert place in ended.err
    assert "SyntaxError" in ended.err


def test_a_traceback_has_the_lines_of_the_run_file(tmp_path: Path) -> None:
    (tmp_path / "my.yaml").write_text(STEP.replace("CODE", BLOCK))
    ended = inside("run", "my.yaml", "--json", cwd=tmp_path)
    assert ended.code == 4
    reason = ended.json()["reason"]
    assert "ZeroDivisionError: division by zero (my.yaml:12)" in reason
    assert 'File "my.yaml", line 14, in <module>' in reason
    assert 'File "my.yaml", line 12, in inverse' in reason
    assert "<code" not in reason


def test_the_lines_of_a_file_of_its_own_are_named(tmp_path: Path) -> None:
    (tmp_path / "my.yaml").write_text(STEP.replace("CODE", "file: divide.py"))
    (tmp_path / "divide.py").write_text("import math\ny = math.inf +\n")
    ended = inside("check", "my.yaml", cwd=tmp_path)
    assert "divide.py:2:" in ended.err
