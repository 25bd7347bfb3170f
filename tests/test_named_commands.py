"""The commands that the README and docs/ name in sentences, tables and blocks of text are run too.

Those in a block of the console are typed by tests/test_pages.py. Of the others each is typed here,
or the file of a test is named that passes its verb, options and keys of overrides to a command.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from flows.cli.app import COMMANDS, make_app
from flows.models.fake.server import FakeModel
from tests.cli.command import PROJECT
from tests.library.aiflows.test_examples import readme_commands
from tests.pages import README, Page, Shell
from tests.passed_words import passes
from tests.test_pages import PAGES, actions_of, of, reply, spoken_commands

HELP: Final = "commands.md"  # made of the commands' own help: tests/test_help_examples.py
PLACEHOLDER: Final = re.compile(r"(?:^|[:=])\[?[A-Z]{3,}(?:_[A-Z]+)*\]?(?:\.\.\.)?$|\.\.\.|\|")
GGUF: Final = "qwen2.5-7b-instruct-q4_k_m.gguf"  # nobody has it there, which is told
GOAL: Final = 'goal="Which region has the highest total revenue?"'
SOLD: Final = 'flows ask "Which region sold most?" --data sales.csv'

# One after another, in a folder with the files of the README and of docs/data.md, docs/eval.md.
TYPED: Final = (
    f"flows run demo.yaml model=llama model.path={GGUF}  # exit code 2",
    "flows run demo.yaml model=tiered 'model.then={_target_: model.llama, path: small.gguf}' "
    "model.threshold=0.7  # exit code 2",
    f"{SOLD} --model llama:{GGUF}  # exit code 2",
    f"{SOLD} --model tiered:openai:gpt-5-mini",
    "flows check autogpt",
    "flows config ask",
    'flows run my.yaml model=openai human=never goal="Look at the table."',
    f"flows run human=never {GOAL} data.sales=sales.csv",
    "flows show last",
    "flows replay last Executor.sql.max_rows=50  # exit code 4",
    "flows run sandbox.mode=off",
    'flows analyse "Why did revenue fall in 2024?" --data sales.csv',
    "flows choices --glossary glossary_terms.csv",
)
# A command, and the file of the test that runs it.
NAMED: Final = {
    'flows analyse "Why did revenue fall in 2024?"': "tests/cli/test_analyse.py",
    "flows eval cases.jsonl --model offline --model llama:small.gguf --model openai:gpt-5-mini "
    "--model tiered:openai:gpt-5-mini": "tests/cli/test_eval.py",
    "flows choices --forget 1": "tests/cli/test_choices.py",
    "flows compete titanic --out result": "tests/cli/test_compete.py",
    "flows eval cases.jsonl --golden golden.json": "tests/cli/test_eval.py",
    "flows fork last --at ask#1/call#1/model#2": "tests/cli/test_replay_command.py",
    "flows functions approve agent.yaml": "tests/cli/test_functions_approve.py",
    'flows interpret "What is the total of order KT-2011?" --functions workshop --trust workshop': (
        "tests/cli/test_interpret.py"
    ),
    "flows map my.yaml --inputs rows.parquet --out answers.jsonl runner=local runner.processes=4": (
        "tests/runners/test_cluster_page.py"
    ),
    "flows serve ask --data sales.csv --port 0": "tests/web/openai/conftest.py",
    "flows show-flow flow_modules.me.MyModule.MyFlow --trust flow_modules": (
        "tests/library/aiflows/test_modules.py"
    ),
    "flows slack index": "tests/web/slack/test_digest.py",
    "flows slack csv_chat --data sales.csv": "tests/web/slack/test_application.py",
    "flows tools promote last:cabin_parts": "tests/cli/test_tools.py",
    "flows web --data sales.csv": "tests/web/page/test_visits.py",
    "flows web demo.yaml --data sales.csv": "tests/web/page/test_look.py",
}


def whole_commands() -> Iterator[tuple[str, str]]:
    """The page and the line of each command that is named with all its arguments, and in no
    console. One that stands for others (`FILE`, `...`) is an example of none."""
    group = get_command(make_app(COMMANDS, rich=False))
    assert isinstance(group, TyperGroup)
    for page in PAGES:
        typed = "\n".join(page.commands())
        for line in spoken_commands(page) if of(page) != HELP else ():
            name, *words = shlex.split(line)[1:]
            actions = actions_of(name, group.commands[name])
            given = [each for each in words if each[0] != "-" and each not in actions]
            if given and line not in typed and not any(map(PLACEHOLDER.search, words)):
                yield of(page), line


def test_each_command_that_is_named_is_typed_or_has_a_test() -> None:
    """A new one is put into a console, or into one of the tables here."""
    typed = {each.split("  #")[0] for each in TYPED}
    typed |= {f"flows {each}" for each in readme_commands()}
    named = {line: page for page, line in whole_commands()}
    assert {line: page for line, page in named.items() if line not in {*typed, *NAMED}} == {}
    assert set(NAMED) <= set(named), "it is named no more: take it out of the table"


@pytest.mark.parametrize(("line", "file"), NAMED.items())
def test_the_test_that_is_named_for_a_command_passes_its_words(line: str, file: str) -> None:
    group = get_command(make_app(COMMANDS, rich=False))
    assert isinstance(group, TyperGroup)
    verb = line.split()[1]
    assert passes(file, line, actions_of(verb, group.commands[verb]))


@pytest.mark.parametrize(
    ("line", "is_passed"),
    [
        ("flows tools promote x --library y", True),
        ("flows tools promote x --libary y", False),
        ("flows tools demote x --library y", False),
        ("flows compete x --library y", False),
        ("flows tools promote x human=never", False),
    ],
)
def test_words_that_no_test_passes_are_found(line: str, is_passed: bool) -> None:
    assert passes("tests/cli/test_tools.py", line, ("promote", "demote")) is is_passed


@pytest.mark.timeout(600)
@pytest.mark.long("types thirteen commands, of which six are runs")
def test_the_commands_that_are_named_work(tmp_path: Path) -> None:
    for page in (README, PROJECT / "docs" / "data.md", PROJECT / "docs" / "eval.md"):
        Page(page).write_files(tmp_path)
    shutil.copy(PROJECT / "demo.yaml", tmp_path)
    (tmp_path / "my.yaml").write_text("defaults: [autogpt, _self_]\n")
    with FakeModel(otherwise=reply) as server:
        shell = Shell(tmp_path, OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY="sk-test")
        for line in TYPED:
            shell.type(line)
