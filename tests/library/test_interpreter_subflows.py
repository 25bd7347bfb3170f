"""Flows as functions of an interpreter, and which of them the run file allows."""

from __future__ import annotations

import json

import pytest

from flows.models.fake.answer import FakeAnswer, FakeCall
from flows.models.fake.server import FakeModel
from tests.cli.inside import inside
from tests.library.world import World

RUN = """\
defaults: [interpreter, override model: openai, override human: never, _self_]
inputs: {question: "How much is 3 and one?"}
functions: {only: ONLY}
subflows_config:
  adder: {_target_: tests.flows_for_tests.Add, description: Adds one to a number.}
  doubler: {_target_: tests.flows_for_tests.Double, description: Doubles a number.}
"""
ANSWER = FakeAnswer(json.dumps({"answer": "Done.", "confidence": 50}))


def called(name: str) -> FakeAnswer:
    call = FakeCall(name, json.dumps({"n": 3}))
    return FakeAnswer("So.", finish="tool_calls", tool_calls=(call,))


@pytest.mark.parametrize(
    ("only", "offered"),
    [
        ('["flows/adder"]', ["adder"]),
        ('["flows/*"]', ["adder", "doubler"]),
        ('["shop/*"]', []),
        ("null", ["adder", "doubler"]),
    ],
)
def test_only_holds_for_functions_that_are_subflows(
    world: World, server: FakeModel, only: str, offered: list[str]
) -> None:
    world.write("my.yaml", RUN.replace("ONLY", only))
    server.script(called("doubler"), ANSWER)
    done = inside("run", "my.yaml", "--trust", "tests", "--json", cwd=world.folder)
    assert done.code == 0, done.err
    names = [each["function"]["name"] for each in server.requests[0].body["tools"]]
    assert [each for each in names if each in ("adder", "doubler")] == offered
    told = server.requests[1].body["messages"][-1]["content"]
    refused = "'doubler' is not among the functions that can be called"
    assert (refused in told) == ("doubler" not in offered)
    again = inside("replay", "last", "--trust", "tests", "--json", cwd=world.folder)
    assert again.code == 0, again.err
    assert again.json()["outputs"] == done.json()["outputs"]
