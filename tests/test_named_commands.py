"""The commands that the README and docs/ name in sentences, tables and blocks of text are run too.

Those in a block of the console are typed by tests/test_pages.py. Of the others each is typed here,
or a test is named that runs the command with such arguments.
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
from tests.cli.command import PROJECT
from tests.pages import README, Page, Shell
from tests.test_pages import PAGES, actions_of, of, spoken_commands

HELP: Final = "commands.md"  # made of the commands' own help, whose examples have a test
PLACEHOLDER: Final = re.compile(r"(?:^|[:=])\[?[A-Z]{3,}(?:_[A-Z]+)*\]?(?:\.\.\.)?$|\.\.\.|\|")
GGUF: Final = "qwen2.5-7b-instruct-q4_k_m.gguf"  # nobody has it there, which is told
GOAL: Final = 'goal="Which region has the highest total revenue?"'

# One after another, in a folder with the files of the README and of docs/data.md.
TYPED: Final = (
    f"flows run demo.yaml model=llama model.path={GGUF}  # exit code 2",
    "flows run demo.yaml model=tiered 'model.then={_target_: model.llama, path: small.gguf}' "
    "model.threshold=0.7  # exit code 2",
    "flows check autogpt",
    "flows config ask",
    f"flows run human=never {GOAL} data.sales=sales.csv",
    "flows show last",
    "flows replay last Executor.sql.max_rows=50  # exit code 4",
    'flows analyse "Why did revenue fall in 2024?" --data sales.csv',
    "flows choices --glossary glossary_terms.csv",
)
AUTOGPT: Final = ("tests/library/aiflows/test_examples.py", '"check", "run", "convert"')
# A command, and the test that runs it: its file, and words of that.
NAMED: Final = {
    'flows analyse "Why did revenue fall in 2024?"': ("tests/test_named_commands.py", "--data"),
    f'flows ask "Which region sold most?" --data sales.csv --model llama:{GGUF}': (
        "tests/models/test_llama.py", '"--model", "llama:'
    ),
    'flows ask "Which region sold most?" --data sales.csv --model tiered:openai:gpt-5-mini': (
        "tests/models/test_tiered.py", '"--model", "tiered:openai:'
    ),
    "flows eval cases.jsonl --model offline --model llama:small.gguf --model openai:gpt-5-mini "
    "--model tiered:openai:gpt-5-mini": ("tests/cli/test_eval.py", '"tiered:openai:some-model"'),
    "flows check AutoGPT.yaml --compat": AUTOGPT,
    "flows convert AutoGPT.yaml -o mine.yaml": AUTOGPT,
    "flows choices --forget 1": ("tests/cli/test_choices.py", '"--forget"'),
    "flows compete titanic --out result": ("tests/cli/test_compete.py", '"compete"'),
    "flows eval cases.jsonl --golden golden.json": ("tests/cli/test_eval.py", '"--golden"'),
    "flows fork last --at ask#1/call#1/model#2": (
        "tests/library/aiflows/test_class_models.py", 'fork(result.run_id, f"{STEP}#2"'
    ),
    "flows functions approve agent.yaml": ("tests/cli/test_functions_approve.py", '"approve"'),
    'flows interpret "What is the total of order KT-2011?" --functions workshop --trust workshop': (
        "tests/cli/test_interpret.py", '"--functions"'
    ),
    'flows run AutoGPT.yaml human=never inputs.goal="When was the Eiffel Tower built?"': AUTOGPT,
    'flows run my.yaml model=openai human=never goal="Look at the table."': (
        "tests/cli/test_fake_model_command.py", '"run", "my.yaml"'
    ),
    "flows run sandbox.mode=off": ("tests/cli/test_sandbox.py", "sandbox.mode=off"),
    "flows serve ask --data sales.csv --port 0": ("tests/web/serving.py", '"serve"'),
    "flows show-flow flow_modules.me.MyModule.MyFlow --trust flow_modules": (
        "tests/library/aiflows/test_modules.py", '"show-flow"'
    ),
    "flows slack index": ("tests/web/slack/test_digest.py", '"index"'),
    "flows slack csv_chat --data sales.csv": ("tests/web/slack/running.py", '"slack"'),
    "flows tools promote last:cabin_parts": ("tests/cli/test_tools.py", '"promote"'),
    "flows web --data sales.csv": ("tests/web/page/browsing.py", '"web"'),
    "flows web demo.yaml --data sales.csv": ("tests/web/page/browsing.py", '"web"'),
}  # fmt: skip


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
    named = {line: page for page, line in whole_commands()}
    assert {line: page for line, page in named.items() if line not in {*typed, *NAMED}} == {}
    assert set(NAMED) <= set(named), "it is named no more: take it out of the table"


@pytest.mark.parametrize(("file", "words"), sorted(set(NAMED.values())))
def test_the_test_that_is_named_for_a_command_is_there(file: str, words: str) -> None:
    assert words in (PROJECT / file).read_text(encoding="utf-8")


@pytest.mark.timeout(600)
@pytest.mark.long("types eight commands, of which two are runs")
def test_the_commands_that_are_named_work(tmp_path: Path) -> None:
    Page(README).write_files(tmp_path)
    Page(PROJECT / "docs" / "data.md").write_files(tmp_path)
    shutil.copy(PROJECT / "demo.yaml", tmp_path)
    shell = Shell(tmp_path)
    for line in TYPED:
        shell.type(line)
