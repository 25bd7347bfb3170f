"""Asking the person: what they say, that they quit, that nobody is there."""

from __future__ import annotations

import pytest

from flows.errors import ConfigError
from tests.library.world import World

ASK = """\
defaults: [{human: scripted}, _self_]
_target_: circular
name: Loop
max_rounds: 3
input_interface: []
output_interface: [human_feedback, nobody]
human: {path: answers.txt}
subflows_config:
  Person: {_target_: human.feedback}
topology: [{goal: Ask, flow: Person}]
"""


def test_text_is_feedback(world: World) -> None:
    world.write("answers.txt", "one\n\n  three  \n")
    result = world.run(ASK)
    assert [each["human_feedback"] for each in world.outputs("Person")] == ["one", "", "three"]
    assert result.status == "unfinished"  # it ran out of rounds, for want of a reason to end


@pytest.mark.parametrize("answer", ["q", "Q", "  q  ", "\uff51"])
def test_q_ends_the_run(world: World, answer: str) -> None:
    world.write("answers.txt", f"more\n{answer}\n")
    result = world.run(ASK)
    assert (result.status, result.exit_code) == ("unfinished", 0)
    assert result.reason == "the person ended the run"
    assert result.rounds == 2


@pytest.mark.parametrize("answer", ["quit it", "qq", "please q"])
def test_other_words_do_not(world: World, answer: str) -> None:
    world.write("answers.txt", f"{answer}\n" * 3)
    assert world.run(ASK).outputs["human_feedback"] == answer


def test_with_nobody_there_the_run_waits_and_goes_on_later(world: World) -> None:
    world.write("answers.txt", "one\n")
    first = world.run(ASK)
    assert (first.status, first.exit_code) == ("waiting", 75)
    assert first.reason == "waiting for an answer to: Your feedback (Enter goes on, q quits):"
    world.write("answers.txt", "two\nthree\n")
    again = world.resume(first.run_id)
    assert again.status == "unfinished"
    assert [each["human_feedback"] for each in world.outputs("Person")] == ["one", "two", "three"]


def test_with_nobody_there_it_may_go_on_and_asks_no_more(world: World) -> None:
    world.write("answers.txt", "one\n")
    result = world.run(ASK, "+human.after_end=continue")
    assert [each["nobody"] for each in world.outputs("Person")] == [False, True, True]
    assert world.notices() == ["Nobody is there to answer: the run goes on unattended."]
    assert result.outputs == {"human_feedback": "", "nobody": True}


def test_that_nobody_is_there_is_remembered_by_a_resumed_run(world: World) -> None:
    world.write("answers.txt", "")
    text = ASK.replace(
        "topology: [{goal: Ask, flow: Person}]",
        "  Fail: {_target_: tests.flows_for_tests.Fail, unless: fixed}\n"
        "topology:\n"
        "  - {goal: Ask, flow: Person}\n"
        "  - {goal: F, flow: Fail, input_interface: {keys_to_set: {n: 1}}}\n",
    )
    first = world.run(text, "+human.after_end=continue")
    assert first.status == "failed"
    world.write("fixed", "")
    world.write("answers.txt", "I am back\n" * 3)
    again = world.resume(first.run_id)
    assert again.status == "unfinished"
    assert again.outputs["human_feedback"] == ""


def test_a_way_of_its_own_by_a_preset(world: World) -> None:
    world.write("answers.txt", "one\n")
    result = world.run(ASK, "Person={_target_: human.never}")
    assert result.status == "unfinished"
    assert [each["human_feedback"] for each in world.outputs("Person")] == ["", "", ""]


def test_its_own_words(world: World) -> None:
    world.write("answers.txt", "")
    result = world.run(ASK, "+Person.request='How is it? '")
    assert result.reason == "waiting for an answer to: How is it?"


@pytest.mark.long("whole runs, whose code runs in the sandbox")
def test_in_the_loop(world: World) -> None:
    world.write("answers.txt", "only in the north\n\nq\n")
    overrides = ("human=scripted", "human.path=answers.txt")
    result = world.auto(*overrides, goal="What is the total amount?")
    assert "14.5" in result.outputs["answer"]
    never = world.auto("human=terminal", "HumanFeedback={_target_: human.never}")
    assert never.status == "finished"


def test_without_a_way_to_reach_anybody(world: World) -> None:
    with pytest.raises(ConfigError, match="Person needs a human"):
        world.check(
            ASK.replace("defaults: [{human: scripted}, _self_]", "").replace(
                "human: {path: answers.txt}\n", ""
            )
        )


def test_answers_that_are_not_there(world: World) -> None:
    with pytest.raises(ConfigError, match=r"answers\.txt"):
        world.run(ASK)
