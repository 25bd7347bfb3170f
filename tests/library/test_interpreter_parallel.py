"""How many calls of functions are made at once: those of one reply, and those of a plan's wave."""

from __future__ import annotations

import json
from typing import Any

import pytest

from flows.models.fake.answer import FakeAnswer, FakeCall
from flows.models.fake.server import FakeModel
from tests.cli.inside import inside
from tests.library.world import World

MACHINES = '''\
import threading
import time

BUSY = []
MOST = 0
TURN = threading.Condition()


def cut(piece: int, together: int) -> int:
    """Cuts a piece, and tells how many pieces were cut at once at most.

    Args:
        piece: the number of the piece
        together: how many pieces have to be on the table before it is cut
    """
    global MOST
    with TURN:
        BUSY.append(piece)
        MOST = max(MOST, len(BUSY))
        TURN.notify_all()
        TURN.wait_for(lambda: MOST >= together, timeout=20)
    time.sleep(0.1)
    with TURN:
        BUSY.remove(piece)
        return MOST
'''
RUN = """\
defaults: [FLOW, override model: openai, override human: never, _self_]
inputs: {question: Cut six pieces.}
load: [machines/cut]
functions:
  sources: {machines: {_target_: functions.python, modules: [machines]}}
"""
PIECES = range(6)
ANSWER = FakeAnswer(json.dumps({"answer": "Cut.", "confidence": 50}))


def reply(flow: str, most: int) -> FakeAnswer:
    """Six calls that do not need each other: of one reply, or a plan of one wave."""
    given = [{"piece": each, "together": most} for each in PIECES]
    if flow == "interpreter":
        calls = tuple(FakeCall("cut", json.dumps(each)) for each in given)
        return FakeAnswer("", finish="tool_calls", tool_calls=calls)
    steps: list[dict[str, Any]] = [
        {"id": f"s{each['piece']}", "function": "cut", "arguments": each} for each in given
    ]
    return FakeAnswer(json.dumps({"strategy": "Cut.", "steps": steps}))


@pytest.mark.parametrize("flow", ["interpreter", "planner"])
@pytest.mark.parametrize("most", [1, 2, 6])
def test_no_more_calls_are_made_at_once_than_the_run_file_says(
    world: World, server: FakeModel, flow: str, most: int
) -> None:
    world.write("machines.py", MACHINES)
    world.write("my.yaml", RUN.replace("FLOW", flow))
    server.script(reply(flow, most), ANSWER)
    ended = inside(
        "run", "my.yaml", f"functions.parallel={most}", "--trust", "machines", "--json",
        cwd=world.folder,
    )  # fmt: skip
    assert ended.code == 0, ended.err
    calls = ended.json()["outputs"]["calls"]
    assert [each["arguments"]["piece"] for each in calls] == list(PIECES)
    told = "\n".join(str(each["content"]) for each in server.requests[1].body["messages"])
    busy = [int(part.split()[0]) for part in told.split("(ok):\n")[1:]]
    assert len(busy) == len(PIECES)
    assert max(busy) == most


STEPS = '''\
import time
from typing import TypedDict


class Said(TypedDict):
    text: str


def speak(word: str, seconds: float) -> Said:
    """Says a word very often."""
    time.sleep(seconds)
    return {"text": word * 1000}
'''
SPEAKER = """\
defaults: [interpreter, override model: openai, override human: detached, _self_]
inputs: {question: Speak twice.}
max_chars: 300
subflows_config: {speaker: {_target_: steps.speak}}
"""


def test_long_results_that_come_in_another_order_are_the_same_when_a_run_goes_on(
    world: World, server: FakeModel
) -> None:
    world.write("steps.py", STEPS)
    world.write("my.yaml", SPEAKER)
    given = [{"word": "slow ", "seconds": 0.3}, {"word": "fast ", "seconds": 0.0}]
    calls = [FakeCall("speaker", json.dumps(each)) for each in given]
    asked = FakeCall("ask_person", json.dumps({"question": "Enough?"}))
    server.script(FakeAnswer("", finish="tool_calls", tool_calls=(*calls, asked)), ANSWER)
    trust = ("--trust", "steps", "--json")
    waits = inside("run", "my.yaml", *trust, cwd=world.folder)
    assert waits.code == 75, waits.err
    done = inside("resume", "last", "--answer", "yes", *trust, cwd=world.folder)
    assert done.code == 0, done.err
    told = [each["content"] for each in server.requests[1].body["messages"][-3:]]
    assert ["slow slow" in each for each in told] == [True, False, False]
    assert ["fast fast" in each for each in told] == [False, True, False]
