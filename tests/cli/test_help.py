"""Help pages, wrong usage, the version, and that help is quick."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.cli.app import COMMANDS
from tests.cli.command import flows, python
from tests.cli.inside import inside

NAMES = [command.__name__.replace("_", "-") for command in COMMANDS]
CODES = ("2  wrong usage or config", "3  the model provider", "4  a flow failed", "130  Ctrl-C")


@pytest.mark.parametrize("name", NAMES)
def test_each_command_has_a_page_with_an_example_and_its_exit_codes(
    name: str, tmp_path: Path
) -> None:
    long, short = inside(name, "--help", cwd=tmp_path), inside(name, "-h", cwd=tmp_path)
    assert long == short
    assert long.code == 0
    assert long.out.startswith(f"Usage: flows {name} [OPTIONS]")
    assert "Examples:" in long.out
    assert f"\n    flows {name}" in long.out
    assert "Exit codes" in long.out


def test_the_main_page_names_all_commands_and_exit_codes(tmp_path: Path) -> None:
    ended = flows("--help", cwd=tmp_path)
    assert (ended.code, ended.err) == (0, "")
    for name in NAMES:
        assert f"\n  {name}" in ended.out
    assert "..." not in ended.out.partition("Commands:")[2]  # no command's line is cut
    for page in (ended.out, inside("run", "-h", cwd=tmp_path).out):
        for line in (*CODES, "75  "):
            assert line in page


def test_version(tmp_path: Path) -> None:
    ended = flows("--version", cwd=tmp_path)
    assert ended.code == 0
    assert ended.out.startswith("flows ")
    assert ended.out.strip().rpartition(" ")[2][0].isdigit()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["chek"], ["no such command 'chek'", "did you mean: check", "help: flows --help"]),
        (["check", "--jsn"], ["no such option: --jsn", "did you mean: --json"]),
        (["resume"], ["missing argument 'RUN_ID'", "help: flows resume --help"]),
        (["resume", "--runs"], ["requires an argument"]),
        (["config", "none.yaml"], ["none.yaml", "there is no such file"]),
        (["graph", "."], ["a folder, not a file"]),
        (["check", "a.yaml", "b.yaml"], ["b.yaml", "cannot be read", "allowed: PATH=VALUE"]),
    ],
)
def test_wrong_usage_is_a_message_and_exit_code_2(
    arguments: list[str], said: list[str], tmp_path: Path
) -> None:
    (tmp_path / "a.yaml").write_text("name: A\n")
    ended = inside(*arguments, cwd=tmp_path)
    assert ended.code == 2
    assert ended.out == ""
    assert ended.err.startswith("error: ")
    for text in said:
        assert text in ended.err


def test_without_arguments_it_shows_its_page(tmp_path: Path) -> None:
    ended = inside(cwd=tmp_path)
    assert ended.code == 2
    assert ended.out.startswith("Usage: flows")


@pytest.mark.long("whole runs of the command")
def test_help_loads_nothing_heavy(tmp_path: Path) -> None:
    listing = (
        "import sys\nfrom flows.cli.app import run_app\nrun_app(['run', '--help'])\n"
        "print('LOADED', *{name.partition('.')[0] for name in sys.modules})"
    )
    ended = python("-c", listing, cwd=tmp_path)
    loaded = set(ended.out.partition("LOADED")[2].split())
    heavy = {"hydra", "openai", "duckdb", "pandas", "plotly", "langchain", "chromadb", "sqlglot"}
    assert not loaded & (heavy | {"rich", "prompt_toolkit", "asyncio", "jinja2"})
