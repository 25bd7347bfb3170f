"""What a class that was written for aiflows asks a model: each call is a step of the run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pydantic_core import from_json, to_json

from flows.core.events import Event, ModelCalled, StepFinished, StepStarted
from flows.core.journal import load
from flows.errors import ReplayDiffers
from flows.models.fake.answer import FakeAnswer
from flows.models.fake.server import FakeModel
from flows.runners.door import resume, run
from flows.runners.fork import fork
from flows.runners.replay import replay
from tests.cli.inside import inside
from tests.library.world import World

pytest.importorskip("aiflows", reason="aiflows is not installed (requirements/aiflows.lock)")

TALKS = """
import os
import signal
from pathlib import Path

import hydra

from aiflows.backends.api_info import ApiInfo
from aiflows.base_flows import AtomicFlow, CompositeFlow


class Talker(AtomicFlow):
    def __init__(self, flow_config):
        super().__init__(flow_config=flow_config)
        self.backend = hydra.utils.instantiate(flow_config["backend"], _convert_="partial")

    def run(self, input_data):
        said = []
        for text in input_data["texts"]:
            if text == "stop" and not Path("stopped").exists():
                Path("stopped").touch()
                os.kill(os.getpid(), signal.SIGKILL)
            try:
                said.append(self.backend(messages=[{"role": "user", "content": text}]))
            except Exception as error:
                if self.flow_config.get("strict"):
                    raise
                said.append([{"content": type(error).__name__}])
        return {"said": [each[0]["content"] for each in said]}


class Both(CompositeFlow):
    def __init__(self, flow_config, subflows):
        super().__init__(flow_config=flow_config, subflows=subflows)
        self.backend = hydra.utils.instantiate(flow_config["backend"], _convert_="partial")

    def run(self, input_data):
        mine = self.backend(messages=[{"role": "user", "content": "mine"}])
        below = self.subflows["talker"].run({"texts": ["below"]})
        return {"said": [mine[0]["content"], *below["said"]]}
"""
BACKEND = """{_target_: aiflows.backends.llm_lite.LiteLLMBackend, api_infos: '???',
            model_name: {openai: gpt-tiny}, wait_time_per_key: 0}"""
TALK = f"""
_target_: talks.Talker.instantiate_from_default_config
name: Talker
description: Talks.
backend: {BACKEND}
inputs: {{texts: [one, two, three]}}
"""
STEP = "call#1/model"
IN_SEQUENCE = f"""
_target_: aiflows.base_flows.SequentialFlow.instantiate_from_default_config
name: Twice
description: Talks two times.
input_interface: [texts]
output_interface: [said]
subflows_config:
  first: &talker
    _target_: ./talks.py:Talker
    description: Talks.
    input_interface: [texts]
    output_interface: [said]
    backend: {BACKEND}
  second: *talker
topology: [{{goal: talk, flow: first}}, {{goal: talk, flow: second}}]
inputs: {{texts: [one, two, three]}}
"""


def write(world: World, text: str = TALK) -> Path:
    world.write("talks.py", TALKS)
    return world.write("my.yaml", text)


def addresses(folder: Path, *kinds: str) -> list[str]:
    return [each.address for each in load(folder) if each.kind in kinds]


def test_each_call_of_a_model_is_a_step_that_is_counted_limited_and_not_made_again(
    world: World, server: FakeModel
) -> None:
    file = write(world)
    server.script(FakeAnswer("1"), FakeAnswer("2"), FakeAnswer("3"))
    events: list[Event] = []
    result = run(file, trust=("talks",), listeners=(events.append,))
    assert result.outputs == {"said": ["1", "2", "3"]}, result.reason
    assert result.usage.model_calls == 3
    assert server.requests[-1].body["model"] == "gpt-tiny"
    steps = ["call#1/model#1", "call#1/model#2", "call#1/model#3"]
    assert addresses(result.folder, "outcome") == [*steps, "call#1"]
    assert addresses(result.folder, "call") == steps
    assert [each.address for each in events if isinstance(each, ModelCalled)] == steps
    begun = [each for each in events if isinstance(each, StepStarted)]
    assert [each.address for each in begun] == ["", "call#1", *steps]
    again = resume(result.run_id, trust=("talks",))
    assert (again.outputs, again.usage.model_calls) == (result.outputs, 3)
    assert replay(result.run_id, trust=("talks",)).outputs == result.outputs
    assert len(server.requests) == 3


def test_what_a_class_asked_is_told_by_replay_explain_and_show(
    world: World, server: FakeModel
) -> None:
    file = write(world)
    server.script(FakeAnswer("first reply"), FakeAnswer("second reply"), FakeAnswer("third reply"))
    live: list[Event] = []
    result = run(file, trust=("talks",), listeners=(live.append,))
    again: list[Event] = []
    replay(result.run_id, trust=("talks",), listeners=(again.append,))
    assert told(again) == told(live)
    asked = inside("explain", "last", f"{STEP}#2.messages", "--trust", "talks", cwd=world.folder)
    assert asked.code == 0, asked.err
    assert '"content": "two"' in asked.out
    found = inside("explain", "last", "said.1", "--trust", "talks", "--json", cwd=world.folder)
    assert found.code == 0, found.err
    (link,) = found.json()["links"]
    assert (link["step"], link["kind"]) == (f"{STEP}#2", "model")
    shown = inside("show", "last", "--steps", cwd=world.folder)
    assert shown.out.count("model#") == 3


def told(events: list[Event]) -> list[tuple[str, object]]:
    """What the steps were given and gave, as it was told."""
    return [
        (each.address, dumped(each.inputs if isinstance(each, StepStarted) else each.outputs))
        for each in events
        if isinstance(each, StepStarted | StepFinished)
    ]


def dumped(values: object) -> object:
    return from_json(to_json(values))


def test_a_fork_between_two_calls_of_a_model_takes_over_what_was_asked_before(
    world: World, server: FakeModel
) -> None:
    file = write(world)
    server.script(FakeAnswer("1"), FakeAnswer("2"), FakeAnswer("3"), FakeAnswer("two, anew"))
    result = run(file, trust=("talks",))
    forked = fork(result.run_id, f"{STEP}#2", trust=("talks",))
    assert forked.outputs == {"said": ["1", "two, anew", "3"]}, forked.reason
    assert forked.usage.model_calls == 1
    assert addresses(forked.folder, "outcome") == [f"{STEP}#{each}" for each in "123"] + ["call#1"]
    assert replay(forked.run_id, trust=("talks",)).outputs == forked.outputs
    server.script(FakeAnswer("4"), FakeAnswer("5"), FakeAnswer("6"))
    other = fork(result.run_id, "call#1", ("+temperature=1",), trust=("talks",))
    assert other.outputs == {"said": ["4", "5", "6"]}, other.reason
    copied = fork(other.run_id, f"{STEP}#3", trust=("talks",))
    assert copied.usage.model_calls == 1


def test_a_class_that_was_changed_is_done_anew_and_asks_only_what_it_had_not_asked(
    world: World, server: FakeModel
) -> None:
    file = write(world, IN_SEQUENCE)
    server.script(*(FakeAnswer(each) for each in "123456789"))
    result = run(file, trust=("./talks.py",))
    assert result.outputs == {"said": ["4", "5", "6"]}, result.reason
    changed = TALKS.replace('return {"said": [each[0]', 'return {"said": ["So:" + each[0]')
    world.write("talks.py", changed)
    with pytest.raises(ReplayDiffers, match=r"the code of Talker \(talks.py\) was changed"):
        replay(result.run_id, trust=("./talks.py",))
    forked = fork(result.run_id, "first#1", trust=("./talks.py",))
    assert forked.outputs == {"said": ["So:4", "So:5", "So:6"]}, forked.reason
    assert len(server.requests) == 9


def test_a_limit_ends_the_class_whatever_it_catches(world: World, server: FakeModel) -> None:
    file = write(world)
    server.script(FakeAnswer("1"), FakeAnswer("2"))
    limited = run(file, ("limits.model_calls=2",), trust=("talks",))
    assert limited.status == "unfinished"
    assert len(server.requests) == 2
    assert replay(limited.run_id, trust=("talks",)).status == "unfinished"


def test_an_error_that_the_class_went_on_after_is_kept_and_one_that_ended_it_is_tried_again(
    world: World, server: FakeModel
) -> None:
    file = write(world, TALK + "strict: true\n")
    server.script(FakeAnswer("1"), FakeAnswer(status=400))
    failed = run(file, trust=("talks",))
    assert failed.status == "failed"
    assert "ModelRefused" in failed.reason
    server.script(FakeAnswer("2"), FakeAnswer("3"))
    done = resume(failed.run_id, trust=("talks",))
    assert done.outputs == {"said": ["1", "2", "3"]}, done.reason
    assert replay(failed.run_id, trust=("talks",)).outputs == done.outputs
    file = write(world)
    server.script(FakeAnswer("1"), FakeAnswer(status=400), FakeAnswer("3"))
    kept = run(file, trust=("talks",))
    assert kept.outputs == {"said": ["1", "ModelRefused", "3"]}, kept.reason


def test_the_backend_of_a_composite_asks_in_steps_of_its_own(
    world: World, server: FakeModel
) -> None:
    file = write(world, f"""
_target_: talks.Both.instantiate_from_default_config
name: Both
description: Talks itself, and lets another one talk.
backend: {BACKEND}
subflows_config:
  talker: {{_target_: talks.Talker.instantiate_from_default_config, name: T, description: Talks.,
           backend: {BACKEND}}}
inputs: {{}}
""")  # fmt: skip
    server.script(FakeAnswer("1"), FakeAnswer("2"))
    result = run(file, trust=("talks",))
    assert result.outputs == {"said": ["1", "2"]}, result.reason
    steps = ["model#1", "talker#1/call#1/model#1", "talker#1/call#1"]
    assert addresses(result.folder, "outcome") == steps
    assert replay(result.run_id, trust=("talks",)).outputs == result.outputs


def test_keys_of_a_class_are_used_in_turn_and_written_nowhere(
    world: World, server: FakeModel
) -> None:
    infos = ", ".join(
        f"{{backend_used: openai, api_key: {key}, api_base: {server.base_url}}}"
        for key in ("sk-first-of-two-keys", "sk-second-of-two-keys")
    )
    file = write(world, TALK.replace("'???'", f"[{infos}]"))
    server.script(FakeAnswer("1"), FakeAnswer("it is sk-second-of-two-keys"), FakeAnswer("3"))
    events: list[Event] = []
    trust = ("talks", server.base_url.removesuffix("/v1"))
    result = run(file, trust=trust, listeners=(events.append,))
    assert result.outputs == {"said": ["1", "it is ***", "3"]}, result.reason
    used = [each.headers["authorization"].rpartition("-of-")[0] for each in server.requests]
    assert used == ["Bearer sk-first", "Bearer sk-second", "Bearer sk-first"]
    kept = b"".join(each.read_bytes() for each in Path(result.folder).rglob("*") if each.is_file())
    told = f"{kept.decode(errors='replace')}{events}{result}"
    assert "of-two-keys" not in told
    assert replay(result.run_id, trust=trust).outputs == result.outputs


@pytest.mark.long("a process that is killed between two calls of a model, and what goes on with it")
def test_a_class_that_was_killed_between_two_calls_does_not_make_the_first_one_again(
    world: World, server: FakeModel
) -> None:
    write(world, TALK.replace("one, two, three", "one, stop, three"))
    server.script(FakeAnswer("1"))
    command = [sys.executable, "-m", "flows", "run", "my.yaml", "--trust", "talks"]
    ended = subprocess.run(command, cwd=world.folder, capture_output=True, text=True, check=False)
    assert ended.returncode == -9, ended.stderr
    (folder,) = (world.folder / "runs").iterdir()
    assert addresses(folder, "outcome") == ["call#1/model#1"]
    server.script(FakeAnswer("2"), FakeAnswer("3"))
    done = resume(folder.name, trust=("talks",))
    assert done.outputs == {"said": ["1", "2", "3"]}, done.reason
    assert [each.body["messages"][0]["content"] for each in server.requests] == [
        "one", "stop", "three",
    ]  # fmt: skip
    assert done.usage.model_calls == 3
    assert done.usage.possibly_billed == 0
