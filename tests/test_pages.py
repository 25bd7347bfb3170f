"""Every example of the README and of docs/ works as it stands there, in an empty folder."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pytest
import yaml
from typer.core import TyperGroup
from typer.main import get_command

from flows.build.builder import build
from flows.cli.app import COMMANDS, make_app, name_of
from flows.models.fake.answer import FakeAnswer
from flows.models.fake.server import FakeModel
from tests.cli.command import PROJECT
from tests.pages import README, Block, Page, Shell

PAGES = [Page(README), *(Page(path) for path in sorted((PROJECT / "docs").glob("*.md")))]
# What is typed once, to have the program at all.
INSTALLING = ("git clone", "make demo", ". .venv/bin/activate")
FINISH = {"command": "finish", "command_args": {"answer": "Done."}}
TASKS = {
    "understood": "What drives the revenue.",
    "tasks": [
        {
            "task_id": 0,
            "name": "DataProcessorSQLAgent",
            "description": "Extract all columns of sales.",
            "data_dependency": None,
        }
    ],
}
LONG = pytest.mark.long("each command of the page is an analysis, or answers a file of questions")
SLOW = ("README.md", "analyse.md", "eval.md", "pipeline.md", "python.md", "replay.md")
# Their shell or Python is one piece, that has a test of its own.
ELSEWHERE = {
    "cluster.md": "tests/runners/test_cluster_page.py",
    "fake-model.md": "tests/cli/test_fake_model_command.py",
    "local-model.md": "tests/models/test_llama_process.py",
    "mcp.md": "tests/web/mcp/test_stdio.py",
    "notebook.md": "tests/test_notebook.py",
    "openai.md": "tests/web/openai/test_page.py",
    "serve.md": "tests/web/api/test_page.py",
    "slack.md": "tests/web/slack/test_settings.py",
    "web.md": "tests/web/page/test_chat.py",
}


# What a newcomer is told first, of the project's own folder; an answer is part of what each says.
DEMO = "Which continent had the highest average life expectancy in 2007?"
FIRST = (
    (f'python run.py human=never goal="{DEMO}"', "Oceania"),
    (f'flows run demo.yaml human=never goal="{DEMO}" Executor.sql=duckdb', "Oceania"),
    (f'flows run demo.yaml human=never goal="{DEMO}" Executor.sql=duckdb model=openai', "Done."),
    ("flows check demo.yaml Executor.sql=duckdb model=openai", "nothing is wrong"),
    ("flows config demo.yaml Executor.sql=duckdb", "engine: duckdb"),
)
WITH_LANCEDB = "flows check demo.yaml Executor.sql=duckdb memory=lancedb model=openai"


def of(page: Page) -> str:
    return page.path.name


def reply(request: object) -> FakeAnswer:
    """What a language model may say: tasks to whoever asks for them, else an end."""
    return FakeAnswer(text=json.dumps(TASKS if "task_id" in str(request) else FINISH))


def of_commands() -> Iterator[object]:
    """The pages that have commands."""
    for page in PAGES:
        if any(True for _ in page.commands()):
            yield pytest.param(page, marks=LONG if of(page) in SLOW else (), id=of(page))


@pytest.mark.long("the commands of each page of the documentation")
@pytest.mark.timeout(600)
@pytest.mark.parametrize("page", list(of_commands()))
def test_the_commands_of_a_page_work_one_after_another(page: Page, tmp_path: Path) -> None:
    page.write_files(tmp_path)
    with FakeModel(otherwise=reply) as server:
        shell = Shell(tmp_path, OPENAI_BASE_URL=server.base_url)
        for line in page.commands():
            if not line.startswith(INSTALLING):
                shell.type(line)


@pytest.mark.long("the demo, three times")
def test_the_first_commands_work(tmp_path: Path) -> None:
    (tmp_path / "demo.yaml").write_text((PROJECT / "demo.yaml").read_text())
    (tmp_path / "run.py").write_text((PROJECT / "run.py").read_text())
    with FakeModel(otherwise=reply) as server:
        shell = Shell(tmp_path, OPENAI_BASE_URL=server.base_url, PYTHONPATH=str(PROJECT))
        for line, said in FIRST:
            ended = shell.type(line)
            assert said in ended.out + ended.err, (line, ended)
        lancedb = find_spec("lancedb") is not None
        shell.type(WITH_LANCEDB if lancedb else f"{WITH_LANCEDB}  # exit code 2")


def examples() -> list[str]:
    """The commands that the pages of help show, without what a shell does with their output."""
    text = Page(PROJECT / "docs" / "commands.md").text
    lines = re.findall(r"^ {4}(?:OPENAI_BASE_URL=\S+ )?flows (\w.*)$", text, flags=re.MULTILINE)
    return [re.split(r" [|<>] ", each)[0] for each in dict.fromkeys(lines)]


@pytest.mark.long("takes a process, a file or a run of its own")
def test_the_examples_of_help_are_taken() -> None:
    """Their options are there, and so are their arguments. What they do, others test."""
    group = get_command(make_app(COMMANDS, rich=False))
    assert isinstance(group, TyperGroup)
    lines = examples()
    assert len(lines) > len(COMMANDS)
    for line in lines:
        name, *words = shlex.split(line)
        assert name in group.commands, line
        with group.commands[name].make_context(name, words):
            pass


SPANS = (*PAGES, Page(PROJECT / "benchmarks" / "README.md"))


def spoken_commands(page: Page) -> list[str]:
    """The commands that a page names in its sentences, its tables and its text blocks."""
    spans = re.findall(r"(?<!`)`((?:python run\.py|flows) [^`]+)`", page.text)
    fenced = "\n".join(re.findall(r"^```.*?\n(.*?)^```$", page.text, re.DOTALL | re.MULTILINE))
    whole = re.sub(r"\\\n\s*", "", fenced)
    blocks = re.findall(r"^ {0,6}\$? ?(flows .*)$", whole, flags=re.MULTILINE)
    lines = [re.split(r" [|<>#] ", " ".join(each.split()))[0] for each in (*spans, *blocks)]
    return [each for each in dict.fromkeys(lines) if each.startswith("flows ")]


def actions_of(name: str, command: Any) -> tuple[str, ...]:
    """What the first argument of a command may be, where that is one of a few words."""
    first = next((each for each in command.params if each.param_type_name == "argument"), None)
    if first is None or first.metavar != "ACTION":
        kind = first.type_descriptor.annotation if first is not None else None
        return get_args(kind) if get_origin(kind) is Literal else ()
    [function] = [each for each in COMMANDS if name_of(each) == name]
    return tuple(sys.modules[function.__module__].ACTIONS)


def unknown_in(line: str, group: TyperGroup) -> str:
    """What a command line names that there is not: a command, an action or an option of it."""
    command: Any = group
    _, *words = line.split()
    while words and hasattr(command, "commands") and not words[0].startswith("-"):
        if words[0] not in command.commands:
            return words[0]
        command = command.commands[words.pop(0)]
    name = line.split()[1]
    actions = actions_of(name, command) if name in group.commands else ()
    said = [each for each in words[:1] if re.fullmatch(r"[a-z_|-]+", each) and each[0] != "-"]
    other = [part for each in said for part in each.split("|") if actions and part not in actions]
    if other:
        return other[0]
    known = {each for param in command.params for each in (*param.opts, *param.secondary_opts)}
    asked = [each.strip("[],.:") for each in words if re.match(r"\[?--?[a-z]", each)]
    named = [part for each in asked for part in each.partition("=")[0].split("|")]
    return next((each for each in named if each not in {*known, "--help"}), "")


@pytest.mark.parametrize(
    ("line", "unknown"),
    [
        ("flows functions index FILE", ""),
        ("flows functions indx FILE", "indx"),
        ("flows entities reload", "reload"),
        ("flows new flow|command|project NAME", ""),
        ("flows new flow|agent NAME", "agent"),
        ("flows tools list --serch x", "--serch"),
        ("flows functoins list", "functoins"),
        ("flows functions", ""),
    ],
)
def test_what_is_wrong_in_a_command_that_a_page_speaks_of_is_found(line: str, unknown: str) -> None:
    group = get_command(make_app(COMMANDS, rich=False))
    assert isinstance(group, TyperGroup)
    assert unknown_in(line, group) == unknown


@pytest.mark.parametrize("page", SPANS, ids=of)
def test_the_commands_that_a_page_speaks_of_are_there(page: Page) -> None:
    """With their options. Those that stand in a block of the console are run."""
    group = get_command(make_app(COMMANDS, rich=False))
    assert isinstance(group, TyperGroup)
    wrong = {line: unknown_in(line, group) for line in spoken_commands(page)}
    assert {line: name for line, name in wrong.items() if name} == {}


def is_run(page: Page, block: Block) -> bool:
    """Whether a command of the page runs or checks the file, refreshes a store by it, or reads it
    as a semantic model."""
    given = tuple(f"{word} {block.file} " for word in ("run", "check", "refresh", "--declared"))
    lines = [f"{each} " for each in page.commands()] if block.file else []
    asked = [line for line in lines if line.startswith("flows interpret ")]
    return any(each in line for each in given for line in lines) or any(
        f" {block.file} " in line for line in asked
    )


@pytest.mark.parametrize("page", PAGES, ids=of)
def test_no_example_is_left_out(page: Page) -> None:
    """A block is a console, a file, a piece of YAML that is built, or has a test of its own."""
    for block in page.blocks:
        known = block.file or block.language in ("console", "yaml", "text", "jinja")
        assert known or of(page) in ELSEWHERE, (block.language, block.text)


@pytest.mark.parametrize(
    ("page", "text"),
    [
        pytest.param(page, block.text, id=f"{of(page)}-{number}")
        for page in PAGES
        for number, block in enumerate(page.blocks)
        # a list holds cases, which the page's commands ask
        if block.language == "yaml" and not is_run(page, block) and not block.text.startswith("- ")
    ],
)
def test_the_yaml_of_a_page_is_understood(page: Page, text: str, tmp_path: Path) -> None:
    """A whole run file is built. Of a piece of one, the keys and values are."""
    if of(page) in ELSEWHERE:
        return
    page.write_files(tmp_path)
    for line in page.commands():
        if line.startswith(("awk ", "mkdir ")):
            Shell(tmp_path).type(line)
    (tmp_path / "piece.yaml").write_text(whole(text, tmp_path))
    plan, _ = build(tmp_path / "piece.yaml")
    assert not plan.warnings


def whole(text: str, folder: Path) -> str:
    """A run file with that in it; of the data only what can be there."""
    text = text.replace("  - ...\n", "")
    values = yaml.safe_load(text)
    for name, where in dict(values.get("data", {})).items():
        if "://" in where:
            text = re.sub(rf"^ +{name}: .*\n", "", text, flags=re.MULTILINE)
        elif not (folder / where).exists():
            text = re.sub(rf"^( +{name}): {re.escape(where)}", r"\1: sales.csv", text, flags=re.M)
            (folder / "sales.csv").touch()
    if not {"defaults", "_target_"} & set(values):
        text = f"defaults: [autogpt, _self_]\n{text}"
    elif values.get("_target_") == "autogpt":
        text = (
            f"defaults: [{{model: offline}}, {{memory: chroma}}, {{human: never}}, _self_]\n{text}"
        )
    return text


@pytest.mark.parametrize("page", PAGES, ids=of)
def test_the_files_that_a_page_links_to_are_there(page: Page) -> None:
    for link in re.findall(r"\]\(([\w/.-]+\.\w+)(?:#[\w-]+)?\)", page.text):
        assert (page.path.parent / link).is_file(), link
