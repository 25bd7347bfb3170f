"""`docs/testing.md` is what the marks and the last times say."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import PROJECT
from tests.conftest import LONG
from tests.marks import marked
from tests.times import add_up


def test_the_page_on_testing_is_up_to_date() -> None:
    made = runpy.run_path(str(PROJECT / "docs" / "generate.py"))["testing_page"]()
    written = (PROJECT / "docs" / "testing.md").read_text(encoding="utf-8")
    assert made == written, "run: python docs/generate.py"


def test_each_long_test_says_why() -> None:
    for each in (*marked("long"), *marked("soak")):
        assert each.reason.strip(), each


def test_one_test_in_five_is_long_at_the_most(pytestconfig: pytest.Config) -> None:
    if LONG not in pytestconfig.stash:
        pytest.skip("only part of the tests is run")
    assert pytestconfig.stash[LONG] <= 1 / 5


def test_times_are_noted_where_they_are_wanted(tmp_path: Path) -> None:
    """Also those of a test that leaves its process in another folder."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "test_it.py").write_text("import os\ndef test_it():\n    os.chdir('elsewhere')\n")
    command = ("-m", "pytest", "-q", "-p", "tests.times", "--times", "times.jsonl", "test_it.py")
    env = {**os.environ, "PYTHONPATH": str(PROJECT)}
    subprocess.run([sys.executable, *command], cwd=tmp_path, env=env, check=True)
    assert list(add_up(tmp_path / "times.jsonl")) == ["test_it.py"]
