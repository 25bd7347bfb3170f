"""`flows init` writes a folder to begin with, and what is found and read there."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from tests.cli.inside import inside

SALES = "region,revenue\nNorth,3\nSouth,5\n"


def run_files(folder: Path) -> dict[str, str]:
    return {each.name: each.read_text() for each in folder.glob("*.yaml")}


@pytest.mark.long("whole runs of the command")
@pytest.mark.timeout(300)
def test_what_it_writes_is_checked_and_run(tmp_path: Path) -> None:
    folder = tmp_path / "my sales"
    folder.mkdir()
    (folder / "über 2024=x.csv").write_text(SALES)
    (folder / "package.json").write_text("{}")
    made = inside("init", "my sales", "--json", cwd=tmp_path).json()
    assert all((tmp_path / each).is_file() for each in made["files"])
    enter, *commands = made["commands"]
    assert enter == "cd 'my sales'"
    assert commands.pop() == "flows run demo.yaml"
    for command in (*commands, 'flows run human=never "Which region has the highest revenue?"'):
        ended = inside(*shlex.split(command)[1:], cwd=folder)
        assert ended.code in (0, 75), ended.err
    assert "South" in ended.out
    for name in run_files(folder):
        assert inside("check", name, cwd=folder).code == 0


def test_without_data_it_takes_the_demo_s_and_makes_the_folder(tmp_path: Path) -> None:
    made = inside("init", "deep/er", cwd=tmp_path)
    assert made.code == 0, made.err
    folder = tmp_path / "deep" / "er"
    for name, text in run_files(folder).items():
        assert text.startswith("# yaml-language-server: $schema=.flows/run.schema.json\n"), name
        assert "gapminder: package://" in text
    assert (folder / ".gitignore").read_text().split() == [".env", ".flows/", "runs/"]
    assert inside("check", cwd=folder).code == 0


@pytest.mark.parametrize("name", ["flows.yaml", "demo.yaml"])
def test_nothing_is_overwritten(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("mine")
    ended = inside("init", cwd=tmp_path)
    assert ended.code == 2
    assert f"there already: {name}; nothing was written" in ended.err
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_a_run_file_is_found_above_and_by_its_variable(tmp_path: Path) -> None:
    (tmp_path / "flows.yaml").write_text("defaults: [autogpt, _self_]\nname: Above\n")
    (tmp_path / "other.yaml").write_text("defaults: [autogpt, _self_]\nname: Other\n")
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    goal = "goal=What?"
    assert "../../flows.yaml: nothing is wrong" in inside("check", goal, cwd=below).out
    environment = {**os.environ, "FLOWS_CONFIG": str(tmp_path / "other.yaml")}
    assert "other.yaml: nothing is wrong" in inside("check", goal, cwd=below, env=environment).out
    ended = inside("check", cwd=below, env={**os.environ, "FLOWS_CONFIG": "gone.yaml"})
    assert (ended.code, ended.out) == (2, "")
    assert "FLOWS_CONFIG names gone.yaml, and there is no such file" in ended.err


def test_an_option_is_taken_from_its_variable(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text(SALES)
    environment = {**os.environ, "FLOWS_ASK_DATA": "sales.csv", "FLOWS_ASK_JSON": "1"}
    ended = inside("ask", "Which region has the highest revenue?", cwd=tmp_path, env=environment)
    assert "South" in ended.json()["answer"]
    few = {**os.environ, "FLOWS_MAP_MAX_CONCURRENCY": "0"}
    ended = inside("map", "x.yaml", cwd=tmp_path, env=few)
    assert ended.code == 2
    assert "'--max-concurrency': Input should be greater than or equal to 1" in ended.err


def test_a_missing_key_is_said_before_anything_is_written(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text(SALES)
    keyless = {name: each for name, each in os.environ.items() if not name.startswith("OPENAI_")}
    goal = ("run", "--data", "sales.csv", "human=never", "model=openai", "goal=What?")
    ended = inside(*goal, cwd=tmp_path, env=keyless)
    assert (ended.code, ended.out) == (2, "")
    assert "model: no key for api.openai.com" in ended.err
    assert "OPENAI_API_KEY" in ended.err
    assert not (tmp_path / "runs").exists()
