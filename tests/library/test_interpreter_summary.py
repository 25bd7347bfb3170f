"""Older results are summarized when the budget of the context is near, and can still be cited."""

from __future__ import annotations

import json
from typing import Any

import pytest

from flows.analysis.functions.summary import summarize_texts
from flows.core.events import StepFinished
from flows.core.result import RunResult
from flows.models.fake.answer import FakeAnswer
from flows.models.fake.server import FakeModel
from flows.runners.door import run
from tests.cli.inside import inside
from tests.library.test_interpreter import answer, calls, told
from tests.library.world import World

REPORTS = '''\
FILLER = "The loom was oiled and the floor was swept, as on every day. " * 40


def read_report(name: str) -> str:
    """The report of a workshop, by its name.

    Args:
        name: the name of the report
    """
    if name == "linen":
        done = "The linen was approved by Marlow on 12 March 2024 at 1,482.50 EUR."
        return f"{FILLER}{done} {FILLER}"
    return f"The {name} is still on the loom. {FILLER}"
'''
RUN = """\
defaults: [interpreter, override model: openai, override human: never, _self_]
context_tokens: 1800
load: [workshop/read_report]
functions:
  sources:
    workshop: {_target_: functions.python, modules: [reports], effect: pure}
"""
QUESTION = "When was the linen approved, and is the cotton done?"
LINEN = calls(("read_report", {"name": "linen"}))
COTTON = calls(("read_report", {"name": "cotton"}))


def summary(*statements: str, call: int = 1) -> FakeAnswer:
    return FakeAnswer(json.dumps({"summaries": [{"call": call, "statements": statements}]}))


def ask(world: World, server: FakeModel, *replies: FakeAnswer, more: str = "") -> RunResult:
    world.write("reports.py", REPORTS)
    server.script(*replies)
    world.events.clear()
    return run(
        world.write("my.yaml", RUN), [more] if more else [], inputs={"question": QUESTION},
        trust=("reports",), listeners=(world.events.append,),
    )  # fmt: skip


def shown(server: FakeModel, number: int) -> str:
    return "\n".join(str(each["content"]) for each in server.requests[number].body["messages"])


def test_an_older_result_is_summarized_and_its_date_is_cited(
    world: World, server: FakeModel
) -> None:
    result = ask(
        world, server, LINEN, COTTON,
        summary("Marlow approved the linen on 2024-03-12.", "It costs 1482.5 EUR.",
                "It was approved 999 times."),
        answer("The linen was approved on 2024-03-12 at 1,482.50 EUR.", (1, "", "2024-03-12")),
    )  # fmt: skip
    asked, decided = shown(server, 2), shown(server, 3)
    assert "12 March 2024" in asked
    assert "cotton is still" not in asked
    assert QUESTION in asked
    assert "of which this is a summary" in decided
    assert "- Marlow approved the linen on 2024-03-12.\n- It costs 1482.5 EUR." in decided
    assert "999" not in decided
    assert "The loom was oiled" in told(server, 3)  # of cotton, which the model has not seen yet
    assert result.outputs["uncited"] == ()
    assert (1, "", "2024-03-12") in {
        (each.call, each.path, each.value) for each in result.outputs["citations"]
    }
    done = [each for each in world.events if isinstance(each, StepFinished)]
    [step] = [each for each in done if each.flow == "summarize"]
    assert step.outputs["dropped"] == ("It was approved 999 times.",)
    again = inside("replay", "last", "--trust", "reports", "--json", cwd=world.folder)
    assert again.code == 0, again.err
    assert again.json()["outputs"]["answer"] == result.outputs["answer"]
    assert len(server.requests) == 4


def test_a_number_that_only_a_summary_made_up_is_not_cited(world: World, server: FakeModel) -> None:
    wrong = answer("It was approved 999 times.", (1, "", "999"))
    result = ask(
        world, server, LINEN, COTTON, summary("It was approved 999 times."), wrong, wrong
    )  # fmt: skip
    assert "characters, which are left out here; read_result gives them again" in shown(server, 3)
    assert result.outputs["uncited"] == ("999",)


@pytest.mark.parametrize(
    ("reply", "more"), [("No.", ""), ('{"summaries": 3}', ""), (None, "max_summaries=0")]
)
def test_without_a_summary_a_reference_stands_for_the_result(
    world: World, server: FakeModel, reply: str | None, more: str
) -> None:
    made: list[FakeAnswer] = [] if reply is None else [FakeAnswer(reply)]
    last = answer("Marlow did.", (1, "", "Marlow"))
    result = ask(world, server, LINEN, COTTON, *made, last, more=more)
    assert result.status == "finished", result.reason
    assert "which are left out here; read_result gives them again" in shown(server, -1)
    assert len(server.requests) == 3 + len(made)
    assert result.outputs["answer"] == "Marlow did."


def statements(said: dict[str, Any]) -> list[str]:
    [only] = said["summaries"]
    return list(only["statements"])


def test_the_rules_take_the_sentences_that_fit_the_question() -> None:
    text = "It rained. " * 9 + "The linen was approved on 12 March 2024. " + "It rained. " * 9
    found = statements(summarize_texts(QUESTION, [{"call": 1, "text": text}]))
    assert "The linen was approved on 12 March 2024." in found
    assert statements(summarize_texts(QUESTION, [{"call": 1, "text": '{"a": 1}'}])) == []
