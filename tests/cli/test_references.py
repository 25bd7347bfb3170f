"""An answer that refers to cells shows their values, wherever it is shown."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.inside import inside, write

AUTO = """\
defaults: [autogpt, override human: never, _self_]
data: {sales: sales.csv}
inputs: {goal: "Which region has the highest average amount?"}
"""
ANSWER = "south has the highest average amount: 20."


@pytest.mark.long("whole runs of the command")
def test_no_reference_is_left_in_what_a_person_sees(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text("region,amount\nnorth,10.5\nsouth,20\neast,5\n")
    ran = inside("run", write(tmp_path, AUTO), cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert ran.out.count(ANSWER) == 2  # as the argument of the command, and as the answer
    shown = inside("show", cwd=tmp_path).out
    assert ANSWER in shown
    for told in (ran.out, ran.err, shown, inside("runs", cwd=tmp_path).out):
        assert "{{" not in told
    assert "{{" not in inside("show", "--json", cwd=tmp_path).json()["outputs"]["answer"]
    assert inside("export", "last", "handover", cwd=tmp_path).code == 0
    page = (tmp_path / "handover" / "index.html").read_text(encoding="utf-8")
    assert "south has the highest average amount" in page
    assert "{{" not in page
    with closing(sqlite3.connect(tmp_path / ".flows" / "memory" / "chroma.sqlite3")) as memory:
        kept = memory.execute("SELECT string_value FROM embedding_metadata").fetchall()
    assert kept
    assert not [text for (text,) in kept if text and "{{" in text]
