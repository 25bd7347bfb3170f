"""What functions of a user's own print, return and take of time, by the real command."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import flows

TOOLS = """\
import os
import time
from pathlib import Path


def share(whole: float) -> float:
    print("printed by Python")
    os.write(1, b"written to the descriptor\\n")
    os.system("echo echoed by a process")
    return float("nan") if whole == 0 else 1 / whole


def power(of: int) -> int:
    return 10 ** of


def digits(of: int) -> str:
    return "1" * of


def sleep(seconds: float) -> float:
    Path("begun").touch()
    time.sleep(seconds)
    return seconds
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tools.py").write_text(TOOLS)
    for name in ("share", "power", "digits", "sleep"):
        (tmp_path / f"{name}.yaml").write_text(f"_target_: ./tools.py:{name}\n")
    return tmp_path


def test_json_is_one_object_whatever_a_function_prints_and_returns(folder: Path) -> None:
    ended = flows("run", "share.yaml", "whole=0", "--json", "--trust", "./tools.py", cwd=folder)
    assert ended.code == 0, ended.err
    assert ended.json()["outputs"] == {"share": None}
    assert "NaN" not in ended.out
    for text in ("printed by Python", "written to the descriptor", "echoed by a process"):
        assert text in ended.err
    shown = flows("show", "last", "--json", cwd=folder)
    assert shown.json()["outputs"] == {"share": None}
    assert "NaN" not in shown.out


LOUD = """\
import os

print("printed by Python")
os.write(1, b"written to the descriptor\\n")


def half(whole: float) -> float:
    return whole / 2
"""
TRUST = ("--trust", "./loud.py")


@pytest.mark.parametrize(
    "words",
    [
        ("check", "half.yaml", "--json", *TRUST),
        ("show-flow", "./loud.py:half", "--json", *TRUST),
        ("explain", "last", "half", "--json"),
        ("test", "last", "--json"),
        ("graph", "half.yaml", *TRUST),
    ],
    ids=lambda words: words[0],
)
def test_what_a_module_prints_when_it_is_imported_is_not_the_output(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "loud.py").write_text(LOUD)
    (tmp_path / "half.yaml").write_text("_target_: ./loud.py:half\n")
    if "last" in words:
        begun = flows("run", "half.yaml", "whole=1", *TRUST, cwd=tmp_path)
        assert begun.code == 0, begun.err
    ended = flows(*words, cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert "--json" not in words or ended.json()
    for text in ("printed by Python", "written to the descriptor"):
        assert text in ended.err
        assert text not in ended.out


def test_an_integer_that_nobody_could_read_again_is_refused(folder: Path) -> None:
    ended = flows("run", "power.yaml", "of=4300", "--json", "--trust", "./tools.py", cwd=folder)
    assert ended.code == 4
    said = "an integer of more than 4,300 digits cannot be recorded; return it as a text"
    assert said in ended.json()["reason"]
    assert flows("show", "last", cwd=folder).code == 0
    text = flows("run", "digits.yaml", "of=5000", "--json", "--trust", "./tools.py", cwd=folder)
    assert text.json()["outputs"] == {"digits": "1" * 5000}


def test_a_function_that_takes_longer_than_the_run_may_is_not_waited_for(folder: Path) -> None:
    ended = flows(
        "run", "sleep.yaml", "seconds=100000", "limits.wall_time=0.3", "--json",
        "--trust", "./tools.py", cwd=folder,
    )  # fmt: skip
    assert (folder / "begun").exists()
    assert ended.json()["status"] == "unfinished"
    assert ended.json()["reason"] == (
        "the run's limit on wall_time (0.3) is reached: its function cannot be ended, and "
        "is not waited for"
    )
    assert ended.code == 0
