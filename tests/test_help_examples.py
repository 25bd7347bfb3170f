"""The examples that the commands' own help shows are typed, in a folder with what they name."""

from __future__ import annotations

import json
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import duckdb
import pytest
from typer.core import TyperGroup
from typer.main import get_command

from flows.cli.app import COMMANDS, make_app
from flows.models.fake.server import FakeModel
from tests.cli.command import PROJECT, environment
from tests.cli.contest import SHORT, contest
from tests.cli.inside import inside
from tests.library.aiflows.published import FOLDER as AIFLOWS
from tests.pages import README, Page, Shell
from tests.passed_words import passes
from tests.test_pages import actions_of, examples, reply

RUNS: Final = ("20260102-150405-a1b2c3", "20260102-160708-d4e5f6")  # as the help writes them
PAGES: Final = (
    README,
    *(PROJECT / "docs" / f"{name}.md" for name in ("own-flow", "eval", "stores", "tools")),
)
FARM: Final = """
CREATE TABLE orders (id INTEGER PRIMARY KEY, month TEXT, sales REAL, late INTEGER);
CREATE TABLE fields (id INTEGER PRIMARY KEY, soil TEXT, rain REAL, yield REAL);
WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 40)
INSERT INTO orders SELECT n, '2024-0' || (n % 9 + 1) || '-01', n + 0.5, n % 2 FROM n;
WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 40)
INSERT INTO fields SELECT n, substr('ABC', n % 3 + 1, 1), n % 7, n % 7 * 3 FROM n;
"""
SHOP: Final = '''\
"""Orders of a shop."""


def get_order(order: str) -> dict[str, object]:
    """The customer and the total of one order, by its number.

    Args:
        order: the number of an order, such as KT-2011
    """
    return {"order": order, "customer": "Marlow", "total": 482.5}
'''
FILES: Final = {
    "my.yaml": "defaults: [autogpt, _self_]\ndata: {sales: sales.csv}\n"
    'human: {_target_: human.never}\ninputs: {goal: "Which region has the highest revenue?"}\n',
    "shop.yaml": "defaults: [interpreter, _self_]\nfunctions:\n  sources:\n"
    "    shop: {_target_: functions.python, modules: [./my_shop.py]}\n",
    "my_shop.py": SHOP,
    "our_functions.py": SHOP,
    "questions.jsonl": '{"question": "What is the total revenue?", "data": ["sales.csv"]}\n',
    "rows.csv": "question\nWhat is the total revenue?\n",
    "customers.csv": "id,name\n1,Marlow\n2,Okafor\n",
    "huge.csv": "n\n" + "".join(f"{n}\n" for n in range(50_000)),
    "columns.csv": "column,meaning\nregion,where it was sold\n",
    "styles.jsonl": '{"type": "style", "key": "KT-2011", "values": {"price": 89.5}}\n',
    "script.yaml": "turns:\n  - {reply: Hello}\n",
    **dict.fromkeys(("sales.yaml", "stock.yaml"), "defaults: [ask, _self_]\n"),
    "notes/yield.md": "# Yield\n\nRain in spring makes the yield of a field.\n",
}
ASKING: Final = 'analyse "What drives the yield?" --data farm.db --feedback'
DEMO: Final = "run demo.yaml human=never"
WAITS: Final = "run demo.yaml human=detached  # exit code 75"


def of_command(verb: str) -> list[str]:
    return [each for each in examples() if each.split()[0] == verb]


@dataclass(frozen=True)
class Setting:
    """What is typed `before` the examples of a command, and the exit `codes` that are not 0.
    `elsewhere` are those that are not typed, with the file of the test that passes their words;
    `files` are of this command alone."""

    before: tuple[str, ...] = ()
    codes: Mapping[str, int] = field(default_factory=dict)
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)


ASKS: Final = {"my.yaml": "defaults: [ask, _self_]\ndata: {sales: sales.csv}\n"}
THEIRS: Final = {"agent.yaml": (AIFLOWS / "autogpt.yaml").read_text(encoding="utf-8")}
TOOL: Final = next(each.text for each in Page(PAGES[-1]).blocks if each.language == "python")
TOOLS: Final = {
    f"{name}.py": TOOL.replace("fold_rare_values", name) for name in ("my_tool", "cabin_parts")
}
WEATHER: Final = {"name": "get_weather", "description": "The weather in a city today."}
CALLED: Final = {
    "tools.jsonl": json.dumps({**WEATHER, "parameters": {"type": "object", "properties": {}}}),
    "petstore.json": json.dumps(
        {
            "openapi": "3.0.0",
            "info": {"title": "Pets", "version": "1"},
            "paths": {"/pets": {"get": {"operationId": "listPets", "summary": "All pets."}}},
        }
    ),
}
# What serves until it is stopped, and is started: the others of these are stopped by their tests.
SERVERS: Final = (
    "serve sales.yaml stock.yaml --port 0 human=never",
    "mcp csv_chat --data sales.csv --http --port 0",
    *of_command("fake-model"),
)
LOOK, DOOR = "tests/web/page/test_look.py", "tests/web/openai/conftest.py"
SETTINGS: Final = {
    "init": Setting(elsewhere={of_command("init")[0]: "tests/cli/test_init.py"}),
    "web": Setting(elsewhere=dict.fromkeys(of_command("web"), LOOK)),
    "serve": Setting(
        elsewhere={
            of_command("serve")[0]: DOOR,
            of_command("serve")[2]: DOOR,
            of_command("serve")[3]: "tests/web/server/test_tls.py",
        }
    ),
    "mcp": Setting(
        elsewhere={
            of_command("mcp")[0]: "tests/web/mcp/test_stdio.py",
            of_command("mcp")[1]: "tests/web/mcp/test_offers.py",
            of_command("mcp")[2]: "tests/web/mcp/test_http.py",
        }
    ),
    "run": Setting(elsewhere={"run launch.py": "tests/library/aiflows/test_programs.py"}),
    "map": Setting(codes={of_command("map")[1]: 4}, files=ASKS),  # its model says what is no answer
    "resume": Setting((WAITS,), dict.fromkeys(of_command("resume"), 75)),
    "show": Setting((DEMO,)),
    "replay": Setting((DEMO,), {"replay last Executor.sql.max_rows=50": 4}),
    "fork": Setting((DEMO,)),
    "test": Setting((DEMO,)),
    "diff": Setting((DEMO, DEMO)),
    "explain": Setting((DEMO,)),
    "export": Setting((DEMO,)),
    "check": Setting(files=THEIRS),
    "convert": Setting(files=THEIRS),
    "graph": Setting(elsewhere={"graph --run last": "tests/library/test_interpreter_plans.py"}),
    "choices": Setting(
        elsewhere=dict.fromkeys(of_command("choices")[1:3], "tests/cli/test_choices.py")
    ),
    "tools": Setting(
        ("tools promote cabin_parts.py",),
        elsewhere={"tools promote last:cabin_parts": "tests/cli/test_tools.py"},
        files=TOOLS,
    ),
    "functions": Setting(
        elsewhere=dict.fromkeys(
            of_command("functions")[-2:], "tests/cli/test_functions_approve.py"
        ),
        files=CALLED,
    ),
    "entities": Setting(
        codes={of_command("entities")[-1]: 4},  # nobody listens there
        elsewhere={of_command("entities")[3]: "tests/cli/test_entities_refresh.py"},
    ),
    "show-flow": Setting(
        elsewhere={of_command("show-flow")[-1]: "tests/library/aiflows/test_modules.py"}
    ),
    "compete": Setting(
        elsewhere={
            of_command("compete")[0]: "tests/cli/test_compete.py",
            of_command("compete")[1]: "tests/cli/test_compete.py",
            of_command("compete")[-1]: "tests/cli/test_compete_faults.py",
        },
        codes={of_command("compete")[-2]: 1},
    ),
    # Their model says what is no answer.
    "interpret": Setting(codes={of_command("interpret")[-1]: 1}),
    "ask": Setting(codes={of_command("ask")[3]: 4}),
    "analyse": Setting(
        codes={of_command("analyse")[-1]: 1, ASKING: 75},
        files={
            "sales.csv": "region,hours,sales\n"
            + "".join(f"{'ABC'[n % 3]},{n % 9},{n % 9 * 10 + n % 5}\n" for n in range(60))
        },
    ),
    "slack": Setting(
        codes={
            each: 2
            for each in of_command("slack")
            if each not in ("slack check", "slack digest --day 2026-01-31")
        },
    ),
}


def prepare(folder: Path, setting: Setting) -> None:
    """Write the files that the examples name."""
    for page in PAGES:
        Page(page).write_files(folder)
    for name, text in {**FILES, **setting.files}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    shutil.copy(PROJECT / "demo.yaml", folder)
    (folder / "agents").mkdir()
    shutil.copy(folder / "my.yaml", folder / "agents")
    shutil.copy(folder / "sales.csv", folder / "agents")
    shutil.make_archive(str(folder / "titanic"), "zip", contest(folder / "titanic"))
    for name in ("farm.db", "shops.db"):
        with closing(sqlite3.connect(folder / name)) as made:
            made.executescript(FARM)
    shops = "SELECT 'A' AS shop, 3 AS people UNION ALL SELECT 'B', 5"
    duckdb.sql(f"COPY ({shops}) TO '{folder / 'shops.parquet'}' (FORMAT parquet)")


def verbs() -> list[str]:
    return list(dict.fromkeys(each.split()[0] for each in examples()))


@pytest.mark.parametrize("verb", verbs())
def test_an_example_that_is_not_typed_here_has_its_words_in_a_test(verb: str) -> None:
    group = get_command(make_app(COMMANDS, rich=False))
    assert isinstance(group, TyperGroup)
    setting = SETTINGS.get(verb, Setting())
    assert {*setting.elsewhere, *setting.codes} <= set(of_command(verb))
    actions = actions_of(verb, group.commands[verb])
    for line, file in setting.elsewhere.items():
        assert passes(file, f"flows {line}", actions), line


@pytest.mark.timeout(1200)
@pytest.mark.long("each example of a command's help is a run of that command")
@pytest.mark.parametrize("verb", verbs())
def test_the_examples_of_a_command_work_one_after_another(verb: str, tmp_path: Path) -> None:
    setting = SETTINGS.get(verb, Setting())
    prepare(tmp_path, setting)
    with FakeModel(otherwise=reply) as server:
        shell = Shell(tmp_path, OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY="sk-test")
        for line in setting.before:
            shell.type(f"flows {line}")
        known = inside("runs", "--json", cwd=tmp_path).json()["runs"]
        names = dict(zip(RUNS, (each["run_id"] for each in known), strict=False))
        for line in of_command(verb):
            if line not in (*setting.elsewhere, *SERVERS):
                typed = line.replace(":6379/", ":9/")  # where nobody listens
                typed = typed.replace(" shop.yaml", " shop.yaml --trust ./my_shop.py")
                if verb == "compete":
                    typed = shlex.join(["compete", *shlex.split(typed)[1:], *SHORT])
                for written, name in names.items():
                    typed = typed.replace(written, name)
                shell.type(f"flows {typed}  # exit code {setting.codes.get(line, 0)}")


@pytest.mark.long("starts a server, and waits until it says where it is")
@pytest.mark.parametrize("line", SERVERS)
def test_an_example_of_a_server_serves_until_it_is_stopped(line: str, tmp_path: Path) -> None:
    assert line in examples()
    prepare(tmp_path, Setting())
    process = subprocess.Popen(
        [sys.executable, "-m", "flows", *shlex.split(line.replace(" 8123 ", " 0 "))],
        cwd=tmp_path, env=environment(FLOWS_TOKEN="x" * 20), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    with process:
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            first = process.stdout.readline()
            assert first.startswith("http://127.0.0.1:"), first or process.stderr.read()
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=60) == 130
            assert process.stderr.read().endswith("stopped\n")
        finally:
            process.kill()
