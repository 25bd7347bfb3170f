"""A run that is driven to its worst case makes as many model calls as `flows check --cost` says."""

from __future__ import annotations

import json
from itertools import count

import pytest

from flows.build.builder import build
from flows.models.fake.answer import ClientRequest, FakeAnswer, FakeCall
from flows.models.fake.server import FakeModel
from flows.runners.door import run
from tests.library.test_interpreter import answer
from tests.library.test_interpreter_summary import REPORTS
from tests.library.world import SALES, World

CALLING = """\
defaults: [{}, override model: openai, override human: never, _self_]
context_tokens: 1800
load: [workshop/read_report]
inputs: {{question: "When was the linen approved?"}}
functions:
  sources:
    workshop: {{_target_: functions.python, modules: [reports], effect: pure}}
"""
READING = """\
defaults: [documents, override model: openai, _self_]
folder: packs
most_parts: 2
"""
TEAM = """\
defaults: [analyst, override model: openai, override human: never, _self_]
data: {sales: sales.csv}
inputs: {question: "What drives the amount?"}
"""
TALKING = """\
defaults: [csv_chat, override model: openai, override human: scripted, _self_]
data: {sales: sales.csv}
"""
PHASES = """\
defaults: [pipeline, override model: openai, override human: never, _self_]
data: {sales: sales.csv}
"""


def told(world: World, text: str, *overrides: str) -> float:
    """The most model calls that a check tells."""
    plan, _ = build(world.write("my.yaml", text), overrides, trust=("reports",))
    return plan.worst_case.total.calls


def made(world: World, server: FakeModel, text: str, *overrides: str) -> int:
    """The model calls that a run makes."""
    run(world.write("my.yaml", text), overrides, trust=("reports",))
    return len(server.requests)


def say_nonsense(server: FakeModel) -> None:
    """Each reply is of no use, and none is like another."""
    numbers = count(1)
    server.otherwise = lambda _: FakeAnswer(f"Nonsense number {next(numbers)}.")


@pytest.mark.long("18 turns with a model")
@pytest.mark.parametrize("name", ["interpreter", "planner"])
def test_a_model_that_never_answers(name: str, world: World, server: FakeModel) -> None:
    """It calls a function in each turn, its results are summarized as often as they may be, and its
    answers hold what no result does: 12 turns, 2 corrections, 4 summaries."""
    world.write("reports.py", REPORTS)
    numbers = count(1)

    def reply(request: ClientRequest) -> FakeAnswer:
        number = next(numbers)
        if '{"summaries": [' in request.said():
            return FakeAnswer("No.")
        if request.body.get("tool_choice") == "none":
            return answer(f"It was approved {number}991 times.", (1, "", f"{number}991"))
        call = FakeCall("read_report", json.dumps({"name": f"r{number}"}))
        return FakeAnswer("Look it up.", finish="tool_calls", tool_calls=(call,))

    server.otherwise = reply
    text = CALLING.format(name)
    assert (made(world, server, text), told(world, text)) == (18, 18)


@pytest.mark.long("a run with a model")
def test_documents_of_which_nothing_can_be_read(world: World, server: FakeModel) -> None:
    """Each of two parts is asked for three times."""
    for name in ("one", "two"):
        world.write(f"packs/{name}.md", "# Pack\n\nStyle no: KT-3030\n")
    say_nonsense(server)
    assert (made(world, server, READING), told(world, READING)) == (6, 6)


@pytest.mark.long("a team, a pipeline and a conversation with a model")
def test_a_model_of_no_use_asks_less_than_the_worst_case(world: World, server: FakeModel) -> None:
    """The bounds of these take a model that fails in each role until its last try and is right with
    that one. Of no use at all it is asked no further: a task whose first action fails asks none of
    its others, a phase without a plan no developer, a turn that is not understood no planner. What
    the roles are asked at most is tested for each of them in test_correction.py."""
    world.write("sales.csv", SALES)
    world.write("answers.txt", "What drives the amount?\nWhich region is best?\nq\n")
    talked = ("human.path=answers.txt", "+limits.rounds=2")
    # The manager's three actions, an action of each of two tasks, and the summary: 3 tries each.
    # The reader of the first phase, in each of 3 tries of the phase. The clarifier, in each turn.
    for text, overrides, calls, most in (
        (TEAM, ("Goal.Team.most_tasks=2",), 18, 1251),
        (PHASES, (), 9, 360),
        (TALKING, talked, 6, 690),
    ):
        say_nonsense(server)
        assert (made(world, server, text, *overrides), told(world, text, *overrides)) == (
            calls,
            most,
        )
        server.clear()
