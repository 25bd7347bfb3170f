"""A server changes its tool in the middle of a run: the person is asked before it is called."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from flows.models.fake.answer import FakeAnswer, FakeCall
from flows.models.fake.server import FakeModel
from tests.cli.inside import inside
from tests.library.world import World

pytest.importorskip("mcp", reason="the extra mcp is not installed")

SERVER = Path(__file__).parents[1] / "servers" / "mcp_rude.py"
COMMAND = [sys.executable, str(SERVER)]
RUN = f"""\
defaults: [interpreter, override model: openai, override human: scripted, _self_]
inputs: {{question: Send a letter.}}
human: {{path: answers.txt}}
load: [mail/fine, mail/change_quietly]
functions:
  allow: [mail/*]
  sources: {{mail: {{_target_: functions.mcp, command: {json.dumps(COMMAND)}}}}}
"""
ANSWER = FakeAnswer(json.dumps({"answer": "Sent.", "confidence": 50}))


def asks_for(name: str) -> FakeAnswer:
    return FakeAnswer("", finish="tool_calls", tool_calls=(FakeCall(name, "{}"),))


@pytest.mark.parametrize(
    ("answer", "said"),
    [("yes", "did fine"), ("no", "mail/fine was not called: nobody has approved it")],
)
def test_a_tool_that_has_changed_is_asked_about_before_it_is_called(
    world: World, server: FakeModel, monkeypatch: pytest.MonkeyPatch, answer: str, said: str
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(world.folder / "state"))
    world.write("my.yaml", RUN)
    world.write("answers.txt", f"{answer}\n")
    calls = ("fine", "change_quietly", "fine")
    server.script(*(asks_for(each) for each in calls), ANSWER)
    ended = inside("run", "my.yaml", "--trust", " ".join(COMMAND), "--json", cwd=world.folder)
    assert ended.code == 0, ended.err
    told = [str(each["content"]) for each in server.requests[-1].body["messages"]]
    assert "did fine" in told[-5]
    assert said in told[-1]
    if answer == "no":
        assert "Eve" not in json.dumps([each.body for each in server.requests])
