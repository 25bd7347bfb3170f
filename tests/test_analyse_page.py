"""Every command and run file that docs/analyse.md shows works as it stands there."""

from __future__ import annotations

import re
import shlex
from itertools import pairwise
from pathlib import Path

import pytest

from flows.build.builder import build
from flows.runners.analysing import KEYS, REPORTS
from tests.cli.command import PROJECT, flows
from tests.cli.shop import shop

PAGE = (PROJECT / "docs" / "analyse.md").read_text(encoding="utf-8")


def shown(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def commands() -> list[str]:
    return [line[2:] for block in shown("console") for line in block.splitlines()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shop(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", commands())
def test_a_command_works(folder: Path, command: str) -> None:
    words = shlex.split(command)[1:]
    ended = flows(*words, cwd=folder)
    assert ended.code == 0, ended.err
    for before, name in pairwise(words):
        if before == "--out":
            assert (folder / name).stat().st_size


def test_a_run_waits_for_the_answers_of_the_page(folder: Path) -> None:
    [block] = shown("sh")
    first, second, third = block.splitlines()
    codes = []
    for line in (first.removesuffix(" < /dev/null"), second, third):
        ended = flows(*shlex.split(line)[1:], cwd=folder)
        codes.append(ended.code)
        assert ended.code in (0, 75), ended.err
    assert codes == [75, 75, 0]


def test_the_run_file_of_the_page_is_one(folder: Path) -> None:
    [text] = shown("yaml")
    (folder / "mine.yaml").write_text(text)
    plan, _ = build(folder / "mine.yaml")
    plan.check_inputs()


def test_the_keys_and_endings_of_the_page_are_those_that_there_are() -> None:
    table = PAGE[PAGE.index("| key |") : PAGE.index("| exit code |")]
    firsts = [line.split("|")[1] for line in table.splitlines()[2:] if line.startswith("|")]
    assert [name for first in firsts for name in re.findall(r"`(\w+)`", first)] == list(KEYS)
    assert all(f"`.{each}`" in PAGE for each in REPORTS)
