"""What is easily typed in the wrong place is told with what to type instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.inside import inside

Q = "Which region has the highest revenue?"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("ask", Q, "sales.csv"), f'flows ask "{Q}" --data sales.csv'),
        (("analyse", Q, "sales.csv"), f'flows analyse "{Q}" --data sales.csv'),
        (("ask", Q, "none.parquet"), "--data none.parquet"),
        (("ask", Q, "postgresql://me@host/shop"), "--data postgresql://me@host/shop"),
        (("ask", "sales.csv", Q), f'flows ask "{Q}" --data sales.csv'),
        (("ask", "sales.csv"), 'flows ask "..." --data sales.csv'),
        (("ask", "Which", "region", "sells?", "--data", "sales.csv"), '"Which region sells?"'),
        (
            ("ask", "Which", "region", "sells?", "sales.csv"),
            '"Which region sells?" --data sales.csv',
        ),
        (("analyse", "What", "drives", "it?", "--data", "sales.csv"), '"What drives it?"'),
        (("ask", "", "--data", "sales.csv"), "there is no question"),
        (("run", "sales.csv"), 'flows run --data sales.csv goal="..."'),
        (("run", "sales.csv", f"goal={Q}"), f'flows run --data sales.csv goal="{Q}"'),
        (("run", f"goal={Q}", "sales.csv"), "write: --data sales.csv"),
        (("run", "my.yaml", "sales.csv"), "write: --data sales.csv"),
        (("run", "goal=Which", "region", "sells?"), 'flows run goal="Which region sells?"'),
        (("run", Q), f'flows run goal="{Q}"'),
        (("run", "folder", f"goal={Q}"), "flows run --data folder"),
    ],
)
def test_it_says_what_to_write(tmp_path: Path, arguments: tuple[str, ...], told: str) -> None:
    (tmp_path / "sales.csv").write_text("region,revenue\nNorth,1\n")
    (tmp_path / "my.yaml").write_text("defaults: [autogpt, _self_]\n")
    (tmp_path / "folder").mkdir()
    ended = inside(*arguments, cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert told in ended.err
    assert not (tmp_path / "runs").exists()


def test_a_question_without_a_blank_may_be_long(tmp_path: Path) -> None:
    """It is longer than any file's name may be, and is a question all the same."""
    (tmp_path / "sales.csv").write_text("region,revenue\nNorth,1\n")
    ended = inside("ask", "why" * 2_000, "--data", "sales.csv", cwd=tmp_path)
    assert ended.code == 1
    assert "not understood" in ended.out
