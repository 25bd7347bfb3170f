"""What is wrong with a reply goes back to the model, no more often than `flows check` says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Any

import pytest

from flows.build.builder import build
from flows.build.worst_case import most_model_calls
from flows.core.reply import Reply, ReplySchema
from flows.library.analyst.replies import REPLIES
from flows.library.ask.proposal import Proposal
from flows.library.blocks.correction import every_try
from flows.library.blocks.python import CodeReply
from flows.library.blocks.sql import SqlReply
from flows.models.fake.answer import ClientRequest, FakeAnswer
from flows.models.fake.server import FakeModel
from flows.models.strict_schema import strict_schema
from tests.library.world import SALES, World, sql

HEAD = """\
defaults: [{{model: openai}}, _self_]
name: Work
_target_: {target}
data: {{sales: sales.csv}}
"""


@pytest.fixture(autouse=True)
def _sales(world: World) -> None:
    world.write("sales.csv", SALES)


def agent(target: str, *actions: str) -> str:
    named = "".join(f"  {each}: {{_target_: action.{each}}}\n" for each in actions)
    return f"{HEAD.format(target=f'analyst.{target}')}subflows_config:\n{named}"


SQL_AGENT = agent("data_processor", "sql_generation", "data_dictionary_generator")
CHARTS = agent("plotly", "chart_generation")
PYTHON_AGENT = agent(
    "python", "plan_generation", "python_code_generation", "python_code_correction",
    "data_dictionary_generator",
)  # fmt: skip
WRONG_SQL = sql("SELECT nothing FROM sales")
WRONG_CODE = FakeAnswer(json.dumps({"plan": ["Fail."], "code": "raise ValueError('no')"}))
NO_JSON = FakeAnswer("I would rather not.")


def failing(wrong: FakeAnswer) -> Callable[[ClientRequest], FakeAnswer]:
    """A model that is wrong in both ways by turns: in what it proposes, and in how it says it."""
    answers: Iterator[FakeAnswer] = cycle((wrong, NO_JSON))
    return lambda _: next(answers)


@pytest.mark.parametrize(
    ("text", "inputs", "wrong"),
    [
        (HEAD.format(target="sql"), {"question": "How much?"}, WRONG_SQL),
        (SQL_AGENT, {"task": "Get all."}, WRONG_SQL),
        (HEAD.format(target="python"), {"task": "Compute."}, WRONG_CODE),
        (CHARTS, {"task": "Draw it."}, WRONG_CODE),
        (PYTHON_AGENT, {"task": "Compute."}, WRONG_CODE),
    ],
    ids=["sql", "sql agent", "python", "charts", "python agent"],
)
def test_no_flow_asks_more_often_than_its_worst_case(
    world: World, server: FakeModel, text: str, inputs: dict[str, Any], wrong: FakeAnswer
) -> None:
    server.otherwise = failing(wrong)
    result = world.run(text, "+corrections=3", inputs=inputs)
    assert result.status == "failed"
    plan, _ = build(world.folder / "my.yaml", ("+corrections=3",), trust=("tests",))
    assert 4 <= len(server.requests) <= most_model_calls(plan.flow)


def test_the_end_says_every_try(world: World, server: FakeModel) -> None:
    server.script(NO_JSON, sql("SELECT nothing FROM sales"), FakeAnswer('{"sql": 5}'))
    result = world.run(HEAD.format(target="sql"), inputs={"question": "How much?"})
    said = result.reason
    assert 'the model gave no usable SQL: "sql" does not fit' in said
    assert said.index("1. the reply must be one JSON object") < said.index("2. ")
    assert "nothing" in said


def test_the_last_failure_is_told_as_what_it_is(world: World, server: FakeModel) -> None:
    server.script(NO_JSON, NO_JSON, sql("DROP TABLE sales"))
    result = world.run(HEAD.format(target="sql"), inputs={"question": "How much?"})
    assert "QueryRefused" in result.reason
    assert "the tries before: 1. the reply must be one JSON object" in result.reason


def test_what_failed_is_asked_anew_and_what_is_ill_said_in_the_same_chat(
    world: World, server: FakeModel
) -> None:
    server.script(NO_JSON, WRONG_SQL, sql("SELECT region FROM sales"))
    result = world.run(HEAD.format(target="sql"), inputs={"question": "How much?"})
    assert result.status == "finished"
    roles = [[each["role"] for each in request.body["messages"]] for request in server.requests]
    assert roles == [["system", "user"], ["system", "user", "assistant", "user"], roles[0]]
    assert "What was tried for it and found wanting" in server.requests[2].said()


def test_the_tries_in_words() -> None:
    assert every_try(["a"]) == "a"
    assert every_try(["a", "a", "a"]) == "a (in each of 3 tries)"
    assert every_try(["a", "b"]) == "b (the tries before: 1. a)"


@pytest.mark.parametrize("reply", [Proposal, SqlReply, CodeReply, *dict.fromkeys(REPLIES.values())])
def test_the_shapes_that_are_asked_for_can_be_strict(reply: type[Reply]) -> None:
    schema = ReplySchema.of(reply)
    assert strict_schema(schema.schema) is not None
