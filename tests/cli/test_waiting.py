"""A question ends the process; an answer from another process, days later, goes on."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.cli.command import Ended, flows
from tests.cli.inside import inside
from tests.cli.talk import BESIDE, ONCE, TALK, TRUST, TWO, Talk, ended

TEXT = {"type": "string"}


def told(done: Ended, *texts: str) -> None:
    """It was refused as wrong usage, in these words."""
    assert done.code == 2, done
    assert "Traceback" not in done.err
    for text in texts:
        assert text in done.err


@pytest.mark.long("whole runs of the command")
def test_questions_are_answered_one_process_after_another(tmp_path: Path) -> None:
    talk = Talk(tmp_path, TALK, by=flows)
    first = talk.run("--json")
    assert first.code == 75
    assert first.json()["status"] == "waiting"
    [question] = first.json()["questions"]
    assert (question["step"], question["text"]) == ("ask#1", "What comes first? ")
    assert question["context"] == {"goal": "Count the trees"}
    assert question["answer_schema"] == TEXT
    go_on = f"flows resume {first.json()['run_id']} --step 'ask#1' --answer"
    assert f'{go_on} "..."' in first.err
    assert f"flows show {first.json()['run_id']}" in first.err

    shown = talk.show()
    assert (shown["status"], shown["questions"], shown["answers"]) == ("waiting", [question], [])

    second = talk.answer("the oaks")
    assert second.code == 75
    assert "And then?" in second.out
    assert "Question   And then?" in second.out

    third = talk.answer("the elms", "--json")
    assert third.code == 0
    assert third.json()["outputs"] == {"first": "the oaks", "second": "the elms"}
    assert "questions" not in third.json()
    shown = talk.show()
    assert (shown["status"], shown["questions"], shown["epochs"]) == ("finished", [], 3)
    assert [each["text"] for each in shown["answers"]] == ["the oaks", "the elms"]


def test_the_first_answer_counts_and_a_second_is_told_so(tmp_path: Path) -> None:
    talk = Talk(tmp_path, TALK)
    talk.run()
    assert talk.answer("the oaks").code == 75
    told(
        talk.answer("the elms", "--step", "ask#1"),
        "the question of ask#1 was answered before, at ",
        "with 'the oaks'; that counts",
    )
    told(inside("resume", "last", "--step", "ask#1", cwd=tmp_path), "no answer to its question")
    told(talk.refused("x", "--step", "nothing#1"), "'nothing#1' waits for no answer", "again#1")
    assert talk.answer("the elms").code == 0
    told(talk.refused("more"), "this run is finished: it waits for no answer", "'the elms'")
    assert [each["text"] for each in talk.show()["answers"]] == ["the oaks", "the elms"]


@pytest.mark.long("several processes go on with one run")
def test_two_processes_that_answer_at_once(tmp_path: Path) -> None:
    talk = Talk(tmp_path, TALK)
    talk.run()
    answer = ("resume", "last", "--step", "ask#1", "--answer")
    both = [talk.start(*answer, text) for text in ("the oaks", "the elms")]
    done = [ended(process) for process in both]
    assert sorted(each.code for each in done) == [2, 75], done
    lost, won = sorted(done, key=lambda each: each.code)
    [first] = talk.show()["answers"]
    assert f"You        {first['text']}" in won.out
    told(lost, f"with '{first['text']}'; that counts")
    assert talk.kinds().count(("answer", "ask#1")) == 1
    assert ("answer", "again#1") not in talk.kinds()


def test_q_ends_the_run_and_an_empty_answer_goes_on(tmp_path: Path) -> None:
    loop = TALK.replace("sequential", "circular").replace("  again:", "  # again:")
    loop = loop.replace("  - {goal: Ask again", "  # - {goal: Ask again").replace(", second]", "]")
    talk = Talk(tmp_path, loop)
    talk.run("early_exit_key=EARLY_EXIT", "max_rounds=5")
    second = talk.answer("", "--json")
    assert (second.code, second.json()["usage"]["rounds"]) == (75, 2)
    done = talk.answer(" Q ", "--json")
    assert (done.code, done.json()["status"]) == (0, "unfinished")
    assert done.json()["reason"] == "the person ended the run"
    assert [each["kind"] for each in talk.show()["answers"]] == ["text", "quit"]
    told(talk.refused("on"), "this run is unfinished: it waits for no answer", "'q'; that counts")


def test_control_characters_are_taken_out_of_an_answer(tmp_path: Path) -> None:
    talk = Talk(tmp_path, TALK)
    talk.run()
    done = talk.answer("the \x1b[31moaks\x1b]0;title\x07\u202e\nand\tmore")
    assert done.code == 75
    assert not set(done.out + done.err) & set("\x1b\x07\u202e")
    assert talk.show()["answers"][0]["text"] == "the oaks\nand\tmore"


def test_without_an_answer_it_waits_on_and_asks_no_second_time(tmp_path: Path) -> None:
    talk = Talk(tmp_path, TALK)
    talk.run()
    before = talk.show()["questions"]
    assert talk.resume().code == 75
    assert talk.kinds().count(("question", "ask#1")) == 1
    assert talk.show()["questions"] == before


@pytest.mark.long("whole runs of the command")
def test_in_a_loop_each_round_waits_for_its_answer(tmp_path: Path) -> None:
    (tmp_path / "trees.csv").write_text("kind,height\noak,20\nelm,30\n")
    text = "defaults: [autogpt, override human: detached, _self_]\ndata: {trees: trees.csv}\n"
    talk = Talk(tmp_path, text)
    asked = []
    done = talk.run("goal=What does the data hold? Which kind is the tallest?", "--json")
    while done.code == 75:
        [question] = done.json()["questions"]
        asked.append(question["step"])
        assert question["context"]["observation"]["text"]
        assert question["context"]["command"]
        done = talk.answer("", "--json")
    assert (done.code, done.json()["status"]) == (0, "finished")
    assert asked == [f"HumanFeedback#{number}" for number in range(1, len(asked) + 1)]
    assert len(asked) > 1
    assert "elm" in done.json()["outputs"]["answer"]
    at = [address for kind, address in talk.kinds() if kind == "outcome"]
    assert len(at) == len(set(at))  # no step was done twice


def test_who_is_asked_is_as_recorded(tmp_path: Path) -> None:
    talk = Talk(tmp_path, TALK)
    first = talk.run("human={_target_: human.terminal}", "--json")
    assert first.code == 75  # nobody is at its standard input
    assert [each["step"] for each in first.json()["questions"]] == ["ask#1"]
    answered = talk.answer("the oaks", "--json")
    assert (answered.code, answered.json()["questions"][0]["step"]) == (75, "again#1")
    done = inside("resume", "last", "--json", cwd=tmp_path, stdin="the elms\n")
    assert done.json()["outputs"] == {"first": "the oaks", "second": "the elms"}
    assert "And then? the elms" in done.err


def test_several_questions_at_once(tmp_path: Path) -> None:
    talk = Talk(tmp_path, TWO)
    first = talk.run("--json")
    assert first.code == 75
    assert {each["step"] for each in first.json()["questions"]} == {"left#1", "right#1"}
    for step in ("left#1", "right#1"):
        assert f"""--step '{step}' --answer "...\"""" in first.err
    told(talk.refused("east"), "several steps wait", "--step: ", "left#1", "right#1")
    assert talk.show()["answers"] == []

    second = talk.answer("west", "--step", "right#1", "--json")
    assert (second.code, [each["step"] for each in second.json()["questions"]]) == (75, ["left#1"])
    third = talk.answer("east", "--json")
    assert [each["step"] for each in third.json()["questions"]] == ["after#1"]
    assert talk.answer("home", "--json").json()["outputs"] == {
        "a": "east",
        "b": "west",
        "c": "home",
    }


@pytest.mark.long("whole runs of the command")
def test_killed_between_the_question_and_the_end(tmp_path: Path) -> None:
    talk = Talk(tmp_path, BESIDE, *TRUST)
    process = talk.started("question", "ask#1")
    running = talk.show()
    assert (running["status"], running["questions"][0]["step"]) == ("running", "ask#1")
    refused = talk.answer("the oaks")
    assert refused.code == 4
    assert "another process is running" in refused.err
    assert "the answer was not recorded" in refused.err
    talk.kill(process)

    assert talk.show()["status"] == "interrupted"
    assert [each["step"] for each in talk.show()["questions"]] == ["ask#1"]
    done = talk.answer("the oaks", "--json", FLOWS_TEST_SECONDS="0")
    assert (done.code, done.json()["outputs"]) == (0, {"a": "the oaks", "n": 2})
    assert talk.kinds().count(("question", "ask#1")) == 1


def lost(folder: Path, text: str = ONCE, stdin: str = "") -> Talk:
    """A run whose process was killed in a step that must not be done twice, and that was gone on
    with: it waits for a person to say what became of it."""
    talk = Talk(folder, text, *TRUST)
    process = talk.started("intent", "send#1")
    while not talk.executed():
        assert process.poll() is None
        time.sleep(0.02)
    talk.kill(process)
    assert talk.show()["status"] == "interrupted"
    waits = inside("resume", "last", *TRUST, "--json", cwd=folder, env=talk.env, stdin=stdin)
    assert waits.code == 75, waits
    [question] = waits.json()["questions"]
    assert question["step"] == question["context"]["step"] == "send#1"
    assert question["context"]["inputs"] == {"n": 1}
    assert {"const": "again"} in question["answer_schema"]["anyOf"]
    assert talk.executed() == ["send#1"]
    return talk


@pytest.mark.long("whole processes are killed and go on")
@pytest.mark.parametrize("kind", ["terminal", "scripted, path: said.txt"])
def test_q_leaves_an_unknown_outcome_for_later(tmp_path: Path, kind: str) -> None:
    (tmp_path / "said.txt").write_text("q\n")
    talk = lost(tmp_path, ONCE.replace("human.detached", f"human.{kind}"), stdin="q\n")
    assert talk.show()["answers"] == []
    assert talk.answer('{"n": 5}', "--json").json()["outputs"] == {"n": 5}


@pytest.mark.long("whole runs of the command")
def test_an_answer_that_does_not_fit_is_refused_and_not_recorded(tmp_path: Path) -> None:
    talk = lost(tmp_path)
    rows = talk.kinds()
    for wrong in ("maybe", "", "q", "{}", '{"n": "x"}', "[1]", "{'n': 1}"):
        told(talk.refused(wrong), "is no answer to the question 'send#1 began and")
    told(talk.answer("maybe"), 'it may be "again", "failed" or JSON with n')
    told(talk.refused('{"n": 1,}'), "as JSON it is wrong: line 1, column 9: a comma stands before")
    told(talk.refused('{"n": "x"}'), "'x' is not of type 'integer'")
    assert talk.kinds() == rows

    done = talk.answer('{"n": 12}', "--json")
    assert (done.code, done.json()["outputs"]) == (0, {"n": 12})
    assert talk.executed() == ["send#1"]


@pytest.mark.long("whole processes are killed and go on")
@pytest.mark.parametrize(("word", "code", "times"), [("again", 0, 2), ("failed", 4, 1)])
def test_again_and_failed(tmp_path: Path, word: str, code: int, times: int) -> None:
    talk = lost(tmp_path)
    done = talk.answer(word, "--json", FLOWS_TEST_SECONDS="0")
    assert done.code == code, done
    assert len(talk.executed()) == times
    assert talk.show()["status"] == ("finished" if code == 0 else "failed")


@pytest.mark.long("whole runs of the command")
def test_with_nobody_to_ask_an_unknown_outcome_waits_all_the_same(tmp_path: Path) -> None:
    talk = lost(tmp_path, ONCE.replace("human.detached", "human.never"))
    assert json.dumps(talk.show()["answers"]) == "[]"
    assert talk.answer('{"n": 5}', "--json").json()["outputs"] == {"n": 5}
