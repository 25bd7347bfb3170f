"""The benchmark of the pipeline: the model phase alone on one small task, by its own command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.test_benchmarks import run


@pytest.mark.long("a whole competition and its yardstick")
def test_a_task_is_scored_beside_the_yardstick(tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    given = ("--direct", "--tasks", "progression", "--seeds", "1", "--seconds", "8")
    done = run("pipeline.py", *given, "--json", str(target))
    assert done.returncode == 0, done.stderr
    (outcome,) = json.loads(target.read_text())
    assert outcome["fault"] == ""
    assert outcome["score"] < outcome["yardstick"]
    assert "better by more than a standard error: 1 of 1" in done.stdout
