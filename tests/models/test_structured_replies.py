"""Replies of a schema: asked for natively where the endpoint takes it, over real HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from pydantic import Field

from flows.core.chat import ChatModel, ChatReply, ChatRequest, Message
from flows.core.limits import Limits, Meter
from flows.core.reply import Reply, ReplySchema
from flows.errors import ModelRefused
from flows.models.fake.answer import FakeAnswer
from flows.models.fake.server import FakeModel
from flows.models.langchain import LangChainModel
from flows.models.openai import OpenAIModel
from tests.models.form_rows import IN_MODE, JSON, LOOSE, PROMPT, ROWS, STRICT, FormRow, form_of


class Query(Reply):
    sql: str | None = None
    cannot: str | None = None


class Call(Reply):
    name: str
    arguments: dict[str, Any] = Field(default={})


SQL = json.dumps({"sql": "SELECT 1", "cannot": None})


@pytest.fixture
def server() -> Iterator[FakeModel]:
    with FakeModel(lambda _: FakeAnswer(SQL)) as running:
        yield running


def openai(server: FakeModel, **settings: Any) -> ChatModel:
    given = {"model": "small", "base_url": server.base_url, "api_key": "k", **settings}
    return OpenAIModel(OpenAIModel.Config.model_validate(given))


def langchain(server: FakeModel, **settings: Any) -> ChatModel:
    given = {"model": "openai:small", "base_url": server.base_url, "api_key": "k", **settings}
    return LangChainModel(LangChainModel.Config.model_validate(given))


BOTH = pytest.mark.parametrize("model_of", [openai, langchain])
ModelOf = Callable[[FakeModel], ChatModel]


def request(model: type[Reply] = Query, text: str = "How many? Reply in JSON.") -> ChatRequest:
    messages = (Message(role="user", content=text),)
    return ChatRequest(messages=messages, json_reply=True, schema=ReplySchema.of(model))


def replies(model: ChatModel, *requests: ChatRequest) -> list[ChatReply]:
    async def run() -> list[ChatReply]:
        try:
            return [await model.reply(each) for each in requests]
        finally:
            await model.aclose()

    return asyncio.run(run())


def asked(server: FakeModel) -> list[str]:
    """How each request of the server asked for the form of its reply."""
    return [form_of(each.body) for each in server.requests]


@BOTH
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.endpoint)
def test_what_an_endpoint_takes_is_found_out_once(
    server: FakeModel, model_of: ModelOf, row: FormRow
) -> None:
    server.endpoint = row.endpoint
    assert [each.text for each in replies(model_of(server), request(), request())] == [SQL, SQL]
    assert asked(server) == [*row.first, row.then]
    server.clear()
    # Another object, as of another run of this process, knows it too.
    replies(model_of(server), request())
    assert asked(server) == [row.then]


@BOTH
def test_another_model_of_the_endpoint_is_asked_afresh(server: FakeModel, model_of: Any) -> None:
    server.endpoint = "older_openai"
    replies(model_of(server), request())
    server.clear()
    name = "openai:large" if model_of is langchain else "large"
    replies(model_of(server, model=name), request())
    assert asked(server) == [STRICT, IN_MODE, JSON]


@BOTH
def test_a_schema_that_cannot_be_strict(server: FakeModel, model_of: ModelOf) -> None:
    replies(model_of(server), request(Call))
    assert asked(server) == [LOOSE]
    sent = server.requests[0].body["response_format"]["json_schema"]
    assert sent["name"] == "Call"
    assert sent["schema"] == ReplySchema.of(Call).schema


@BOTH
def test_one_schema_that_is_refused_says_nothing_of_others(
    server: FakeModel, model_of: ModelOf
) -> None:
    message = "Invalid schema for response_format 'Query': too many properties"
    refused = FakeAnswer(
        status=400, body={"error": {"message": message, "param": "response_format"}}
    )
    server.script(refused)
    replies(model_of(server), request(), request(), request(Call))
    assert asked(server) == [STRICT, LOOSE, LOOSE, LOOSE]
    server.clear()
    server.script(refused)
    replies(model_of(server), request(), request(), request(Call))
    assert asked(server) == [LOOSE, JSON, JSON, LOOSE]


@BOTH
def test_without_the_word_json_mode_is_not_asked_for(server: FakeModel, model_of: ModelOf) -> None:
    server.endpoint = "older_openai"
    replies(model_of(server), request(text="How many?"), request())
    assert asked(server) == [STRICT, PROMPT, IN_MODE, JSON]


@BOTH
@pytest.mark.parametrize("finish", ["length", "content_filter"])
def test_a_reply_of_a_schema_that_is_cut_says_so(
    server: FakeModel, model_of: ModelOf, finish: str
) -> None:
    server.script(FakeAnswer('{"sql": "SEL', finish=finish))
    [reply] = replies(model_of(server), request())
    assert (reply.text, reply.finish) == ('{"sql": "SEL', finish)
    if finish == "length" or model_of is openai:
        assert reply.usage.output_tokens == 7


@BOTH
def test_a_refusal_of_a_schema_is_text_that_was_filtered(
    server: FakeModel, model_of: ModelOf
) -> None:
    server.script(FakeAnswer(message={"content": None, "refusal": "I cannot help with that."}))
    [reply] = replies(model_of(server), request())
    assert (reply.text, reply.finish) == ("I cannot help with that.", "content_filter")


def test_schemas_can_be_switched_off(server: FakeModel) -> None:
    replies(openai(server, json_schema="off"), request())
    replies(openai(server, json_mode="off"), request())
    assert asked(server) == [JSON, PROMPT]


def test_json_mode_that_is_demanded_is_the_last_resort(server: FakeModel) -> None:
    server.endpoint = "first_openai"
    with pytest.raises(ModelRefused, match="json_object"):
        replies(openai(server, json_mode="on"), request())
    assert asked(server) == [STRICT, IN_MODE, JSON]


def test_the_body_is_what_is_sent_next(server: FakeModel) -> None:
    server.endpoint = "older_openai"
    model = openai(server)
    before = json.loads(model.body(request()))
    replies(model, request())
    assert before == server.requests[0].body
    assert json.loads(model.body(request())) == server.requests[-1].body


def test_a_schema_counts_as_prompt(server: FakeModel) -> None:
    plain = ChatRequest(messages=request().messages, json_reply=True)
    meter, model = Meter(Limits()), openai(server)
    more = meter.worst_of(request(), model).tokens - meter.worst_of(plain, model).tokens
    assert more == ReplySchema.of(Query).size


class Structured(BaseChatModel):
    """A provider of LangChain's whose way to a schema is a tool; `works` says that it has it."""

    works: bool
    shapes: list[Any] = Field(default=[])

    @property
    def _llm_type(self) -> str:
        return "structured"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Runnable[Any, Any]:
        if not self.works:
            raise NotImplementedError
        self.shapes.append(tools[0])
        return self.bind(called=True)

    def _generate(self, *_: Any, **__: Any) -> ChatResult:
        raise NotImplementedError

    async def _astream(
        self, *_: Any, called: bool = False, **__: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        end = {"stop_reason": "tool_use" if called else "end_turn", "model_name": "structured"}
        for piece in (SQL[:9], SQL[9:]):
            call = [{"name": "Query", "args": piece, "id": "1", "index": 0}]
            text = AIMessageChunk(content="" if called else piece)
            yield ChatGenerationChunk(
                message=AIMessageChunk(content="", tool_call_chunks=call) if called else text
            )
        yield ChatGenerationChunk(message=AIMessageChunk(content="", response_metadata=end))


@pytest.mark.parametrize("works", [True, False])
def test_another_provider_is_asked_in_its_own_way_or_by_the_prompt(
    monkeypatch: pytest.MonkeyPatch, works: bool
) -> None:
    provider = Structured(works=works)
    monkeypatch.setattr("langchain.chat_models.init_chat_model", lambda *_, **__: provider)
    model = LangChainModel(LangChainModel.Config(model="other:small"))
    for reply in replies(model, request(), request()):
        assert (reply.text, reply.finish) == (SQL, "stop")
    assert [each["title"] for each in provider.shapes] == ["Query"] * (2 if works else 0)
