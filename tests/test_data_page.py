"""Every command that docs/data.md shows works as it stands there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml

from flows.build.builder import build
from tests.cli.command import PROJECT, flows

TEXT = (PROJECT / "docs" / "data.md").read_text(encoding="utf-8")
SALES = "region,product,revenue,order_date\nNorth,Tea,10,2024-01-02\nSouth,Tea,25,2024-03-04\n"


def shown(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the files that the examples speak of."""
    columns, words = shown("csv")
    (tmp_path / "demo.yaml").write_text((PROJECT / "demo.yaml").read_text(encoding="utf-8"))
    (tmp_path / "sales.csv").write_text(SALES)
    (tmp_path / "shops.csv").write_text("shop,region\n1,North\n2,South\n")
    (tmp_path / "columns.csv").write_text(columns)
    (tmp_path / "glossary_terms.csv").write_text(words)
    return tmp_path


@pytest.mark.parametrize(
    "command", [line[2:] for block in shown("console") for line in block.splitlines()]
)
def test_a_command_works(folder: Path, command: str) -> None:
    ended = flows(*shlex.split(command)[1:], cwd=folder)
    assert ended.code == 0, ended.err
    assert "Traceback" not in ended.err


def test_the_question_is_read_as_the_page_says(folder: Path) -> None:
    asked, read_as = re.findall(r"`(What are the sales of [^`]+\?)`", TEXT)
    key = next(block for block in shown("yaml") if block.startswith("glossary:"))
    text = f"_target_: glossary\nname: Read\n{key}{yaml.safe_dump({'inputs': {'question': asked}})}"
    (folder / "read.yaml").write_text(text)
    plan, _ = build(folder / "read.yaml")
    assert plan.inputs == {"question": asked}
    ended = flows("run", "read.yaml", "--json", cwd=folder)
    assert ended.json()["outputs"]["question"] == read_as


def test_the_files_that_it_links_to_exist() -> None:
    for path in re.findall(r"\]\(([\w/.-]+)\)", TEXT):
        assert (PROJECT / "docs" / path).is_file(), path
