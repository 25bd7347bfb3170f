"""Rules first, a language model for the rest, over real HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from flows.core.chat import ChatReply, ChatRequest, Message
from flows.data.catalog import Catalog
from flows.data.profiles.cache import PROFILES
from flows.errors import ModelOverloaded, UsageError
from flows.models.fake.answer import FakeAnswer
from flows.models.fake.server import FakeModel
from flows.models.offline import OfflineModel
from flows.models.openai import OpenAIModel
from flows.models.retry import Retry
from flows.models.tiered import TieredModel
from flows.services.model_choice import read_model
from tests.cli.command import environment
from tests.cli.inside import inside

SALES = "region,revenue\nNorth,10\nSouth,5\nNorth,7\n"
SQL = json.dumps({"sql": "SELECT 42 AS n", "confidence": 0.9, "explanation": "as asked"})
SURE, UNSURE = "What is the total revenue?", "What is the gist of it all?"


@pytest.fixture
def server() -> Iterator[FakeModel]:
    with FakeModel(lambda _: FakeAnswer(SQL)) as running:
        yield running


@pytest.fixture
def tables(tmp_path: Path) -> tuple[Any, ...]:
    (tmp_path / "sales.csv").write_text(SALES)
    with Catalog({"sales": "sales.csv"}, tmp_path, PROFILES) as catalog:
        return tuple(catalog.tables())


def tiered(server: FakeModel, threshold: float = 0.5) -> TieredModel:
    given = {"model": "large", "base_url": server.base_url, "api_key": "k"}
    then = OpenAIModel(OpenAIModel.Config.model_validate({**given, "retry": Retry(attempts=1)}))
    sections = {"first": {"_target_": "model.offline"}, "then": {"_target_": "model.openai"}}
    config = TieredModel.Config.model_validate({**sections, "threshold": threshold})
    return TieredModel(config, OfflineModel(), then)


def request(question: str, tables: tuple[Any, ...], role: str = "analyst", **more: Any) -> Any:
    inputs = {"question": question, "tables": tables, "answer_above": 0.4, "ask_above": 0.2}
    messages = (Message(role="system", content="S"), Message(role="user", content=question))
    return ChatRequest(messages=messages, role=role, inputs={**inputs, **more}, json_reply=True)


def reply(model: TieredModel, asked: ChatRequest, heard: list[str] | None = None) -> ChatReply:
    async def run() -> ChatReply:
        try:
            return await model.reply(asked, None if heard is None else heard.append)
        finally:
            await model.aclose()

    return asyncio.run(run())


def test_what_the_rules_are_sure_of_asks_nobody(server: FakeModel, tables: Any) -> None:
    heard: list[str] = []
    found = reply(tiered(server), request(SURE, tables), heard)
    assert (found.model, found.usage.input_tokens) == ("offline", 0)
    assert "".join(heard) == found.text
    assert json.loads(found.text)["sql"]
    assert not server.requests


def test_the_rest_goes_to_the_model_with_what_the_rules_read(
    server: FakeModel, tables: Any
) -> None:
    heard: list[str] = []
    found = reply(tiered(server), request(UNSURE, tables), heard)
    assert found.text == SQL == "".join(heard)
    assert found.usage.model_calls == 2
    system, user = server.requests[0].body["messages"]
    assert system["content"] == "S"
    question, _, told = user["content"].partition("\n\n")
    assert question == UNSURE
    read = json.loads(told.rpartition("\n> ")[2])
    assert read.keys() & {"cannot", "clarify"}


def test_with_a_threshold_of_one_the_request_that_was_read_is_shown(
    server: FakeModel, tables: Any
) -> None:
    reply(tiered(server, threshold=1.0), request(SURE, tables))
    told = server.requests[0].body["messages"][-1]["content"]
    assert json.loads(told.rpartition("\n> ")[2])["request"]["kind"] == "query"


def test_a_reply_that_has_to_be_corrected_and_a_free_chat_are_the_models(
    server: FakeModel, tables: Any
) -> None:
    for asked in (
        request(SURE, tables, correction="no such column"),
        request("Hello", tables, role="chat"),
        request("Hello", tables, role="a role that no rule plays"),
    ):
        assert reply(tiered(server), asked).text == SQL
    assert all(">" not in each.body["messages"][-1]["content"] for each in server.requests)


def test_what_is_told_of_a_result_is_the_rules(server: FakeModel, tables: Any) -> None:
    told = {"columns": ("n",), "rows": ((3,),), "total_rows": 1, "result": "r"}
    found = reply(tiered(server), request(SURE, tables, role="narrator", **told))
    assert (found.model, len(server.requests)) == ("offline", 0)


def test_a_model_that_does_not_answer_is_an_error(server: FakeModel, tables: Any) -> None:
    asked = tiered(server)
    server.script(FakeAnswer(status=503, body={"error": {"message": "busy"}}))
    with pytest.raises(ModelOverloaded):
        reply(asked, request(UNSURE, tables))


@pytest.mark.parametrize("given", ["tiered", "tiered:offline", "tiered:tiered:openai:x"])
def test_the_model_for_the_rest_has_to_be_named(given: str) -> None:
    with pytest.raises(UsageError, match="tiered:openai:NAME"):
        read_model(given)


@pytest.mark.long("whole runs of the command")
def test_a_command_asks_both(server: FakeModel, tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text(SALES)
    env = environment(OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY="k")
    answers = {}
    for question in (SURE, UNSURE):
        asked = ("ask", question, "--data", "sales.csv", "--model", "tiered:openai:large")
        ended = inside(*asked, "--json", cwd=tmp_path, env=env)
        assert ended.code == 0, ended.err
        answers[question] = ended.json()
    assert answers[SURE]["rows"][0][-1] == 22
    assert answers[UNSURE]["rows"] == [[42]]
    assert [each.body["model"] for each in server.requests] == ["large"]
