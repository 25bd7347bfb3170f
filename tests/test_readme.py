"""Every command that the README shows works as it stands there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml

from flows.build.builder import build
from flows.models.fake.answer import Answer
from flows.models.fake.server import FakeModel
from tests.cli.command import PROJECT, environment, flows

README = (PROJECT / "README.md").read_text(encoding="utf-8")
PYTHON_PAGE = (PROJECT / "docs" / "python.md").read_text(encoding="utf-8")
HOMES = "city,sqm,price\n" + "".join(
    f"{'Rome' if n % 2 else 'Oslo'},{40 + 5 * n},{120 + 17 * n + n % 5}\n" for n in range(20)
)
SALES = "region,product,revenue,order_date\nNorth,Tea,10,2024-01-02\nSouth,Tea,25,2024-03-04\n"


def shown(language: str, page: str = README) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


def commands(program: str, page: str = README) -> list[str]:
    lines = [line for block in shown("console", page) for line in block.splitlines()]
    return [line[2:].split("  #")[0] for line in lines if line.startswith(f"$ {program}")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder like a clone's, with the file that the examples speak of."""
    (tmp_path / "demo.yaml").write_text((PROJECT / "demo.yaml").read_text(encoding="utf-8"))
    (tmp_path / "sales.csv").write_text(SALES)
    return tmp_path


@pytest.mark.parametrize("command", commands("flows"))
def test_a_flows_command_works(folder: Path, command: str) -> None:
    finish = '{"command": "finish", "command_args": {"answer": "Done."}}'
    with FakeModel(otherwise=lambda _: Answer(text=finish)) as server:
        env = environment(OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY="unused")
        ended = flows(*shlex.split(command)[1:], cwd=folder, env=env)
    assert ended.code == 0, ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("command", commands("flows", PYTHON_PAGE))
def test_a_command_of_the_page_on_python_works(folder: Path, command: str) -> None:
    (folder / "homes.csv").write_text(HOMES)
    [step] = shown("yaml", PYTHON_PAGE)
    (folder / "outliers.yaml").write_text(step)
    ended = flows(*shlex.split(command)[1:], cwd=folder)
    assert ended.code == 0, ended.err
    assert "Not answered" not in ended.out


def test_the_targets_that_it_names_are_made() -> None:
    makefile = (PROJECT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"(?:\$ |`)make (\w+)", README)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_files_that_it_links_to_exist() -> None:
    for path in re.findall(r"\]\(([\w/.-]+)\)", README):
        assert (PROJECT / path).is_file(), path


def test_the_run_file_that_it_shows_builds(folder: Path) -> None:
    whole = [block for block in shown("yaml") if block.startswith("defaults:")]
    assert whole
    for block in whole:
        (folder / "mine.yaml").write_text(block)
        plan, _ = build(folder / "mine.yaml")
        assert plan.inputs == yaml.safe_load(block)["inputs"]


@pytest.mark.parametrize("override", re.findall(r"`((?:~|[A-Za-z_.]+=)[^`\s]+)`", README))
def test_an_override_that_it_names_is_understood(folder: Path, override: str) -> None:
    if "NAME=PATH" in override:
        override = "data.sales=" + str(folder / "sales.csv")
    build(folder / "demo.yaml", [override])
