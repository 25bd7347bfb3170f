"""The keys that every flow of aiflows has: private keys, and calls that are kept for later runs."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from flows.core.events import Event, Notice, StepFinished, StepStarted
from flows.core.result import RunResult
from flows.errors import ConfigError
from flows.models.fake.answer import FakeAnswer
from flows.models.fake.server import FakeModel
from flows.runners.door import resume, run
from flows.runners.replay import replay
from tests.cli.inside import inside
from tests.library.world import World

pytest.importorskip("aiflows", reason="aiflows is not installed (requirements/aiflows.lock)")

CODE = '''
from aiflows.base_flows import AtomicFlow


class Secretive(AtomicFlow):
    """Says what it was given."""

    __default_flow_config = {"private_keys": ["pin"], "input_interface": ["n", "pin"]}

    def run(self, input_data):
        return {"n": input_data["n"] + input_data["pin"], "pin": input_data["pin"]}
'''
FILE = """
_target_: aiflows.base_flows.SequentialFlow.instantiate_from_default_config
name: Mine
description: Adds.
private_keys: [pin]
input_interface: [n, pin]
output_interface: [n]
subflows_config:
  first: {_target_: secretive.Secretive.instantiate_from_default_config, description: Says it.}
topology:
  - {goal: add, flow: first}
inputs: {n: 1, pin: 771177}
"""
CHAT = """
_target_: flow_modules.aiflows.ChatFlowModule.ChatAtomicFlow.instantiate_from_default_config
name: Asker
description: Asks.
enable_cache: true
human_message_prompt_template: {template: "{{question}}", input_variables: [question]}
backend: {_target_: aiflows.backends.llm_lite.LiteLLMBackend, model_name: gpt-tiny}
"""


def test_private_keys_reach_the_flow_and_are_told_nowhere_as_in_a_message_of_aiflows(
    world: World,
) -> None:
    world.write("secretive.py", CODE)
    file = world.write("my.yaml", FILE)
    events: list[Event] = []
    result = run(file, trust=("secretive",), listeners=(events.append,))
    assert result.outputs == {"n": 771178}, result.reason
    begun = {each.address: each.inputs for each in events if isinstance(each, StepStarted)}
    ended = {each.address: each.outputs for each in events if isinstance(each, StepFinished)}
    message = import_module("aiflows.messages").InputMessage(
        data_dict={"n": 1, "pin": 771177}, src_flow="a", dst_flow="b", private_keys=["pin"]
    )
    assert begun[""] == message.to_dict()["data"] == {"n": 1}
    assert begun["first#1/call#1"] == {"input_data": {"n": 1}}
    assert ended["first#1/call#1"]["returned"] == ended["first#1"] == {"n": 771178}
    assert replay(result.run_id, trust=("secretive",)).outputs == result.outputs
    written = [each for each in result.folder.iterdir() if b"771177" in each.read_bytes()]
    assert written, "the run goes on with it"
    assert {each.stat().st_mode & 0o077 for each in written} == {0}
    told = inside("explain", "last", "first#1.n", "--trust", "secretive", cwd=world.folder)
    assert told.code == 0, told.err
    assert "771177" not in told.out
    assert "771178" in told.out
    shown = inside("run", "my.yaml", "--trust", "secretive", "--json", cwd=world.folder)
    assert shown.code == 0, shown.err
    assert "771177" not in shown.out + shown.err
    for command in (("show", "last"), ("runs",)):
        told = inside(*command, cwd=world.folder)
        assert told.code == 0, told.err
        assert "771177" not in told.out


def ask(world: World, question: str, *overrides: str) -> tuple[RunResult, list[str]]:
    """A run of the chat, and what it was told of calls that were kept."""
    file = world.write("my.yaml", CHAT)
    events: list[Event] = []
    given = (f"+inputs.question={question}", *overrides)
    result = run(file, given, listeners=(events.append,))
    notices = [each.text for each in events if isinstance(each, Notice)]
    return result, [each for each in notices if each.startswith("Not done again")]


def test_a_later_run_does_not_ask_again_and_says_so(
    world: World, server: FakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.script(FakeAnswer("one"), FakeAnswer("two"), FakeAnswer("three"))
    assert ask(world, "Why?")[0].outputs == {"api_output": "one"}
    monkeypatch.setenv("OPENAI_API_KEY", "sk-another-key-of-the-environment")
    again, told = ask(world, "Why?")
    assert again.outputs == {"api_output": "one"}
    assert again.usage.model_calls == 0
    (kept,) = (world.folder / ".flows" / "cache").iterdir()
    assert told == [f"Not done again: enable_cache, and .flows/cache/{kept.name} holds what came "
                    "of the same call."]  # fmt: skip
    assert ask(world, "When?")[0].outputs == {"api_output": "two"}
    monkeypatch.setenv("FLOW_DISABLE_CACHE", "true")
    assert ask(world, "Why?")[0].outputs == {"api_output": "three"}
    monkeypatch.delenv("FLOW_DISABLE_CACHE")
    kept.unlink()  # what a run has taken from there is in its own record
    assert resume(again.run_id).outputs == replay(again.run_id).outputs == {"api_output": "one"}
    assert len(server.requests) == 3


def test_a_kept_call_that_cannot_be_read_is_told_with_its_file(
    world: World, server: FakeModel
) -> None:
    server.script(FakeAnswer("one"))
    ask(world, "Why?")
    (kept,) = (world.folder / ".flows" / "cache").iterdir()
    kept.write_text("{")
    result, _ = ask(world, "Why?")
    assert result.status == "failed"
    assert f"{Path('.flows/cache') / kept.name} cannot be read; delete the file" in result.reason


def test_a_composite_that_is_to_be_kept_is_refused_with_its_line(world: World) -> None:
    file = world.write("my.yaml", FILE.replace("private_keys: [pin]", "enable_cache: true"))
    world.write("secretive.py", CODE)
    with pytest.raises(ConfigError) as caught:
        run(file, trust=("secretive",))
    assert "my.yaml:5:15: enable_cache: a composite is not cached" in str(caught.value)


def test_a_chat_is_not_called_as_one_of_its_speakers(world: World) -> None:
    named = CHAT.replace("name: Asker", "name: Human\nuser_name: Human")
    with pytest.raises(ConfigError, match="is the name of a speaker too"):
        world.check(named)


KEPT = """
from aiflows.base_flows import SequentialFlow


class Kept(SequentialFlow):
    SUPPORTS_CACHING = True
"""


def test_a_composite_of_a_class_that_supports_it_is_not_called_again_by_a_later_run(
    world: World,
) -> None:
    world.write("secretive.py", CODE + KEPT)
    text = FILE.replace("aiflows.base_flows.SequentialFlow", "secretive.Kept")
    file = world.write("my.yaml", text + "enable_cache: true\n")
    first = run(file, trust=("secretive",))
    assert first.outputs == {"n": 771178}, first.reason
    events: list[Event] = []
    again = run(file, trust=("secretive",), listeners=(events.append,))
    assert again.outputs == first.outputs
    begun = [each for each in events if isinstance(each, StepStarted)]
    assert [each.address for each in begun] == ["", "cache#1"]
    assert "771177" not in str(events)
    (kept,) = (world.folder / ".flows" / "cache").iterdir()
    kept.unlink()  # what a run has taken from there is in its own record
    for each in (first, again):
        assert replay(each.run_id, trust=("secretive",)).outputs == first.outputs
        assert resume(each.run_id, trust=("secretive",)).outputs == first.outputs
    assert not list((world.folder / ".flows" / "cache").iterdir())
