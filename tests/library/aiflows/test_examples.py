"""The eight files that aiflows publishes, each run against a model that stands in for OpenAI's."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from flows.build.builder import build
from flows.build.trust import Trust
from flows.errors import ConfigError
from flows.models.fake.server import FakeModel
from tests.cli.command import environment
from tests.cli.inside import inside
from tests.cli.test_fake_model_command import playing
from tests.library.aiflows.published import EXAMPLES, FOLDER, MODULE, Example, put, start
from tests.library.world import World, asked
from tests.pages import README, Page

pytest.importorskip("aiflows", reason="aiflows is not installed (requirements/aiflows.lock)")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: each.name)
def test_the_example_runs_as_it_is_written(
    world: World, server: FakeModel, example: Example
) -> None:
    put(world)
    result = start(world, example, server)
    assert result.outputs.items() >= example.outputs.items(), result.reason
    assert result.status == "finished"
    assert len(server.requests) == len(example.answers)
    if example.name == "demonstrations":
        assert [role for role, _ in asked(server)] == ["system", *["user", "assistant"] * 2, "user"]
    if example.name == "vision_qa":
        sent = server.requests[-1].body["messages"][-1]["content"]
        assert [part["type"] for part in sent] == ["text", "image_url"]
    if len(example.answers) == 2:  # the loops: the second request holds what the search said
        assert "did not answer" in asked(server)[-1][1]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: each.name)
def test_the_example_over_a_file_of_samples(
    world: World, server: FakeModel, example: Example
) -> None:
    put(world)
    rows = [json.dumps({**example.inputs, "id": number}) for number in range(2)]
    (world.folder / "samples.jsonl").write_text("\n".join(rows))
    server.script(*example.answers * 2)
    done = inside(
        "map", f"{example.name}.yaml", "--inputs", "samples.jsonl", "--out", "predictions.jsonl",
        "--max-concurrency", "1", "--trust", f"./{MODULE}.py", *example.overrides,
        cwd=world.folder,
    )  # fmt: skip
    assert done.code == 0, done.err
    lines = (world.folder / "predictions.jsonl").read_text().splitlines()
    made = [json.loads(line)["outputs"].items() >= example.outputs.items() for line in lines]
    assert made == [True, True], lines


def test_each_example_is_checked_as_it_is_written_and_runs_nothing(world: World) -> None:
    put(world)
    before = set(sys.modules)
    for example in EXAMPLES:
        done = inside("check", f"{example.name}.yaml", cwd=world.folder)
        assert done.code == 0, done.err
        asks = "allow it with --trust ./reverse_digits.py" in done.out
        assert asks == example.name.startswith("reverse"), done.out
    assert not any(each.endswith(MODULE) for each in set(sys.modules) - before)


SCRIPT = """
turns:
  - {match: {contains: inn}, reply: Here., repeat: always}
  - {match: {contains: What is it}, reply: A cat., repeat: always}
  - match: {contains: did not answer}
    repeat: always
    reply: {command: finish, command_args: {answer: "1892"}}
  - match: {contains: tower}
    repeat: always
    reply: {command: wiki_search, command_args: {search_term: tower}}
"""


@pytest.mark.long("the eight files by the command line, against a model in a process of its own")
def test_each_example_runs_against_the_fake_model_by_the_command(world: World) -> None:
    put(world)
    world.write("script.yaml", SCRIPT)
    with playing(world.folder) as (_, base_url):
        env = environment(OPENAI_API_KEY="sk-fake-key-of-the-shell", OPENAI_BASE_URL=base_url)
        for example in EXAMPLES:
            given = [f"+inputs.{key}={json.dumps(each)}" for key, each in example.inputs.items()]
            done = inside(
                "run", f"{example.name}.yaml", *example.overrides, *given, "--json",
                "--trust", f"./{MODULE}.py", cwd=world.folder, env=env,
            )  # fmt: skip
            assert done.code == 0, (example.name, done.err)
            wanted = dict(example.outputs)
            if example.name == "demonstrations":
                wanted["answer"] = "Here."
            assert json.loads(done.out)["outputs"].items() >= wanted.items()


@pytest.mark.parametrize(
    ("modules", "chosen"),
    [
        (("reverse.py:DigitsFlow", "other.py:OtherFlow"), "reverse.DigitsFlow"),
        (
            ("flows_of_mine.py:ReverseFlow", "flows_of_mine.py:OtherFlow"),
            "flows_of_mine.ReverseFlow",
        ),
        (("mine.py:OnlyFlow",), "mine.OnlyFlow"),
        (("mine.py:OneFlow", "mine.py:TwoFlow"), None),
        ((), None),
    ],
)
def test_the_class_of_a_file_that_leaves_it_to_its_launcher(
    world: World, modules: tuple[str, ...], chosen: str | None
) -> None:
    texts: dict[str, str] = {}
    for each in modules:
        file, _, name = each.partition(":")
        body = f"class {name}(AtomicFlow):\n    def run(self, input_data):\n        return {{}}\n"
        texts[file] = texts.get(file, "from aiflows.base_flows import AtomicFlow\n") + body
    for file, text in texts.items():
        world.write(file, text)
    path = world.write("Reverse.yaml", (FOLDER / "reverse_atomic.yaml").read_text())
    if chosen is None:
        with pytest.raises(ConfigError, match="_target_=MODULE"):
            build(path)
        return
    _, composed = build(path, trust=Trust((f"./{chosen.partition('.')[0]}.py",)))
    assert composed.values["_target_"] == chosen


def readme_commands() -> list[str]:
    """What the README types on a file of aiflows, without the name of the program."""
    return [
        line.removeprefix("$ flows ")
        for block in Page(README).blocks
        for line in block.text.splitlines()
        if "AutoGPT.yaml" in line and line.startswith("$ flows ")
    ]


@pytest.mark.long("three rounds of an agent, whose searches do not get through")
def test_the_commands_of_the_readme_run_without_a_key(tmp_path: Path) -> None:
    shutil.copy(FOLDER / "autogpt.yaml", tmp_path / "AutoGPT.yaml")
    lines = readme_commands()
    assert [line.split()[0] for line in lines] == ["check", "run", "convert"]
    # nobody listens there, so that each search fails at once
    nowhere = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    env = {"PATH": "/usr/bin", "HOME": str(tmp_path), **nowhere}
    for line in lines:
        ended = inside(*shlex.split(line), cwd=tmp_path, env=env)
        assert ended.code == 0, ended.err
        if line.startswith("run"):
            assert "Finished" in ended.out + ended.err
            assert "Not answered" in ended.out
    assert (tmp_path / "mine.yaml").is_file()
