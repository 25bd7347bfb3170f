"""What the README says beside its examples, which tests/test_pages.py runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from flows.build.builder import build
from tests.cli.command import PROJECT
from tests.cli.inside import inside
from tests.pages import README, Page

TEXT = Page(README).text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Page(README).write_files(tmp_path)
    return tmp_path


def test_the_targets_that_it_names_are_made() -> None:
    makefile = (PROJECT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"(?:\$ |`)make (\w+)", TEXT)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


@pytest.mark.long("takes a process, a file or a run of its own")
def test_the_code_step_that_it_shows_runs(folder: Path) -> None:
    [step] = [each.text for each in Page(README).blocks if "_target_: code" in each.text]
    (folder / "spread.yaml").write_text(step)
    ended = inside("run", "spread.yaml", "--json", cwd=folder)
    assert ended.code == 0, ended.err
    assert ended.json()["outputs"] == {"spread": 21.0}


@pytest.mark.parametrize("override", re.findall(r"`((?:~|[A-Za-z_.]+=)[^`\s]+)`", TEXT))
def test_an_override_that_it_names_is_understood(folder: Path, override: str) -> None:
    if "NAME=PATH" in override:
        override = "data.sales=" + str(folder / "sales.csv")
    build(Path("autogpt"), [override])
