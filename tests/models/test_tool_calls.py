"""Functions that a model may call: what is sent, and what of a reply is taken for a call."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from pydantic import Field

from flows.config.redaction import remember
from flows.core.chat import ChatModel, ChatReply, ChatRequest, Message, ToolCall
from flows.core.function_description import FunctionDescription
from flows.core.limits import TOKENS_AROUND, Limits, Meter
from flows.errors import ModelError, ModelRefused, ModelReplyInvalid, ModelUnreachable
from flows.models.cassette import AskedRequest
from flows.models.fake.answer import FakeAnswer, FakeCall
from flows.models.fake.server import FakeModel
from flows.models.langchain import LangChainModel
from flows.models.openai import OpenAIModel
from flows.models.replay import RecordConfig, RecordingModel, ReplayModel
from flows.models.text import ReplyText
from flows.models.tool_calls import MAX_CALLS, ToolCallParts
from flows.models.tool_names import ToolNames
from tests.contracts.chat_model import ask, ask_tools, with_results

KEY = "sk-very-secret-0123456789"
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def function(name: str, namespace: str = "default") -> FunctionDescription:
    return FunctionDescription(
        name=name, namespace=namespace, description=f"Does {name}.", parameters=CITY
    )


def request(*tools: FunctionDescription, choice: str = "auto") -> ChatRequest:
    messages = (Message(role="user", content="What is the weather?"),)
    offered = tools or (function("weather"), function("traffic"))
    return ChatRequest(messages=messages, tools=offered, tool_choice=choice)


def openai(server: FakeModel, **settings: Any) -> ChatModel:
    given = {"model": "small", "base_url": server.base_url, "api_key": KEY, **settings}
    return OpenAIModel(OpenAIModel.Config.model_validate(given))


def whole(server: FakeModel, **settings: Any) -> ChatModel:
    return openai(server, stream=False, **settings)


def langchain(server: FakeModel, **settings: Any) -> ChatModel:
    given = {"model": "openai:small", "base_url": server.base_url, "api_key": KEY, **settings}
    return LangChainModel(LangChainModel.Config.model_validate(given))


ModelOf = Callable[..., ChatModel]
ALL = pytest.mark.parametrize("model_of", [openai, whole, langchain])


@pytest.fixture
def server() -> Iterator[FakeModel]:
    with FakeModel() as running:
        yield running


def replies(model: ChatModel, *requests: ChatRequest) -> list[ChatReply]:
    async def run() -> list[ChatReply]:
        try:
            return [await model.reply(each) for each in requests]
        finally:
            await model.aclose()

    return asyncio.run(run())


def get_error(model: ChatModel, asked: ChatRequest) -> ModelError:
    with pytest.raises(ModelError) as caught:
        replies(model, asked)
    return caught.value


def calling(*calls: FakeCall, **more: Any) -> FakeAnswer:
    return FakeAnswer(**{"text": "", "finish": "tool_calls", "tool_calls": calls, **more})


@ALL
def test_what_is_sent(server: FakeModel, model_of: ModelOf) -> None:
    server.script(calling(FakeCall("traffic", '{"city": "Rom"}', "c1"), text="Wait."))
    model = model_of(server)
    [reply] = replies(model, request(choice="traffic"))
    assert reply.text == "Wait."
    assert reply.tool_calls == (ToolCall(id="c1", name="traffic", arguments={"city": "Rom"}),)
    sent = server.requests[0].body
    assert sent["tools"][0] == {
        "type": "function",
        "function": {"name": "weather", "description": "Does weather.", "parameters": CITY},
    }
    assert sent["tool_choice"] == {"type": "function", "function": {"name": "traffic"}}
    after = with_results(replace(request(), tool_choice="none"), _twice(reply))
    replies(model, after)
    asked, *results = server.requests[1].body["messages"][1:]
    assert server.requests[1].body["tool_choice"] == "none"
    assert asked["content"] == "Wait."
    assert [each["id"] for each in asked["tool_calls"]] == ["c1", "c2"]
    assert json.loads(asked["tool_calls"][0]["function"]["arguments"]) == {"city": "Rom"}
    assert [each["tool_call_id"] for each in results] == ["c1", "c2"]
    assert results[1]["content"] == "rain"


def _twice(reply: ChatReply) -> ChatReply:
    [call] = reply.tool_calls
    return reply.model_copy(update={"tool_calls": (call, call.model_copy(update={"id": "c2"}))})


def test_without_functions_a_request_is_as_it_was(server: FakeModel) -> None:
    replies(openai(server), replace(ask("hi"), tool_choice="required"))
    assert not {"tools", "tool_choice"} & server.requests[0].body.keys()


@ALL
@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ("Rome", "Expecting value"),
        ('["Rome"]', "it is no object"),
        ('{"city": "Rome"', "delimiter"),
        ('{"city": "Rome", "city": "Oslo"}', "'city' stands in it twice"),
        ('{"city": NaN}', "NaN is not a JSON value"),
        ('{"city": 1e999}', "too large"),
        ('{"city": "Rome"} {"city": "Oslo"}', "Extra data"),
        ('{"a": ' + "[" * 40 + "]" * 40 + "}", "nested more than 32 deep"),
        ('{"a": ' + "[" * 9_999 + "]" * 9_999 + "}", "nested too deep"),
    ],
)
def test_arguments_that_are_no_object_are_never_guessed(
    server: FakeModel, model_of: ModelOf, arguments: str, why: str
) -> None:
    server.script(calling(FakeCall("weather", arguments), piece=5_000))
    error = get_error(model_of(server), request())
    assert isinstance(error, ModelReplyInvalid)
    assert "'weather'" in str(error)
    assert why in str(error)


@ALL
def test_no_arguments_and_a_function_that_was_not_offered(
    server: FakeModel, model_of: ModelOf
) -> None:
    server.script(calling(FakeCall("wether", ""), FakeCall("weather", "{}")))
    [reply] = replies(model_of(server), request())
    assert [(each.name, each.arguments) for each in reply.tool_calls] == [
        ("wether", {}),
        ("weather", {}),
    ]


@ALL
def test_a_reply_that_is_cut_has_no_calls(server: FakeModel, model_of: ModelOf) -> None:
    server.script(
        calling(FakeCall("weather", '{"city": "Ro'), finish="length"),
        calling(FakeCall("weather", "{}"), finish="stop"),
    )
    cut, ended = replies(model_of(server), request(), request())
    assert (cut.finish, cut.tool_calls) == ("length", ())
    # Some endpoints say "stop" all the same.
    assert (ended.finish, len(ended.tool_calls)) == ("tool_calls", 1)


@pytest.mark.parametrize("model_of", [openai, langchain])
def test_a_stream_that_breaks_off_within_a_call(server: FakeModel, model_of: ModelOf) -> None:
    server.script(*[calling(FakeCall("weather", "{}"), cut="clean")] * 3)
    model = model_of(server, retry={"wait_max": 0.01})
    assert isinstance(get_error(model, request()), ModelUnreachable)


@ALL
def test_the_size_of_calls_is_bounded(server: FakeModel, model_of: ModelOf) -> None:
    server.script(calling(FakeCall("weather", json.dumps({"city": "x" * 5_000})), piece=100))
    error = get_error(model_of(server, max_reply_bytes=2_000), request())
    assert "max_reply_bytes" in str(error)
    server.wait_idle()


@ALL
@pytest.mark.parametrize(
    ("choice", "answer", "said"),
    [
        ("none", calling(FakeCall("weather")), "told to call no function"),
        ("required", FakeAnswer("It rains."), "called no function"),
        ("weather", calling(FakeCall("traffic")), "told to call 'weather'"),
        ("auto", FakeAnswer("", finish="tool_calls"), "named none"),
        ("auto", calling(FakeCall("")), "without the name of a function"),
    ],
)
def test_a_reply_that_does_not_do_what_it_says(
    server: FakeModel, model_of: ModelOf, choice: str, answer: FakeAnswer, said: str
) -> None:
    server.script(answer)
    error = get_error(model_of(server), request(choice=choice))
    assert isinstance(error, ModelReplyInvalid)
    assert said in str(error)


@ALL
def test_a_choice_that_is_not_offered(server: FakeModel, model_of: ModelOf) -> None:
    error = get_error(model_of(server), request(choice="news"))
    assert isinstance(error, ModelRefused)
    assert not server.requests


@pytest.mark.parametrize("model_of", [openai, whole])
def test_a_call_where_nothing_was_offered(server: FakeModel, model_of: ModelOf) -> None:
    server.script(*[calling(FakeCall("weather"), finish="stop", text="It rains.")] * 3)
    error = get_error(model_of(server), ask("hello"))
    assert isinstance(error, ModelReplyInvalid)
    assert "no function was offered" in str(error)


@ALL
def test_secrets_in_arguments_are_hidden(server: FakeModel, model_of: ModelOf) -> None:
    secret = remember("a-secret-of-the-test-4711")
    hidden = json.dumps({"city": f"at {secret}"})
    escaped = '{"city": "\\u0061-secret-of-the-test-4711"}'
    server.script(calling(FakeCall("weather", hidden), FakeCall("weather", escaped)))
    [reply] = replies(model_of(server), request())
    assert [each.arguments["city"] for each in reply.tool_calls] == ["at ***", "***"]


@ALL
@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, "registry.ollama.ai/library/small does not support tools"),
        (400, '"auto" tool choice requires --enable-auto-tool-choice to be set'),
        (500, "tools param requires --jinja flag"),
    ],
)
def test_a_model_that_takes_no_functions(
    server: FakeModel, model_of: ModelOf, status: int, said: str
) -> None:
    server.script(FakeAnswer(status=status, body={"error": {"message": said}}))
    error = get_error(model_of(server), request())
    assert isinstance(error, ModelRefused)
    assert "does not take the functions: " in str(error)
    assert said in str(error)
    assert len(server.requests) == 1


@ALL
def test_names_that_a_provider_does_not_take(server: FakeModel, model_of: ModelOf) -> None:
    tools = (
        function("orders.find"),
        function("x" * 100),
        function("find", "shop"),
        function("find", "ware house"),
    )
    model = model_of(server)
    replies(model, request(*tools))
    names = [each["function"]["name"] for each in server.requests[0].body["tools"]]
    server.script(calling(*(FakeCall(each) for each in names)))
    [reply] = replies(model, request(*tools))
    called = [each.name for each in reply.tool_calls]
    assert called == ["orders.find", "x" * 100, "shop/find", "ware house/find"]
    replies(model, with_results(replace(request(*tools)), _first_two(reply)))
    sent = server.requests[-1].body["messages"][1]["tool_calls"]
    assert [each["function"]["name"] for each in sent] == names[:2]
    assert "is offered twice" in str(get_error(model_of(server), request(tools[0], tools[0])))


def _first_two(reply: ChatReply) -> ChatReply:
    return reply.model_copy(update={"tool_calls": reply.tool_calls[:2]})


def _parts(*pieces: Mapping[str, Any]) -> tuple[ToolCall, ...]:
    parts = ToolCallParts(ToolNames((function("weather"),)), ReplyText(10_000), "here")
    for each in pieces:
        parts.add(each)
    return parts.end("tool_calls")[0]


def _piece(name: str = "", arguments: Any = "", **more: Any) -> dict[str, Any]:
    return {**more, "function": {"name": name, "arguments": arguments}}


@pytest.mark.parametrize(
    "pieces",
    [
        # Pieces without an index, as of Gemini: an id or a name begins a call.
        [_piece("a", "{", id="1"), _piece("", "}"), _piece("b", "{}", id="2")],
        [_piece("a", "{}"), _piece("b", "{}")],
        # All calls at one index, told apart by their ids.
        [_piece("a", "{}", index=0, id="1"), _piece("b", "{}", index=0, id="2")],
        # The name in each piece; pieces of two calls in turns.
        [_piece("a", "{", index=0), _piece("b", "{", index=1), _piece("a", "}", index=0),
         _piece("b", "}", index=1)],
        # The name in two pieces.
        [_piece("a", index=0, id="1"), _piece("b", "{", index=2), _piece("", "}", index=2)],
        # An object for a text.
        [_piece("a", {}, index=0), _piece("b", {}, index=1)],
        # An id that stands twice.
        [_piece("a", "{}", index=0, id="1"), _piece("b", "{}", index=1, id="1")],
    ],
)  # fmt: skip
def test_pieces_as_endpoints_send_them(pieces: list[dict[str, Any]]) -> None:
    calls = _parts(*pieces)
    assert [(each.name, each.arguments) for each in calls] == [("a", {}), ("b", {})]
    assert len({each.id for each in calls} - {""}) == 2


def test_calls_are_limited_in_number() -> None:
    pieces = [_piece("a", "{}", index=each) for each in range(MAX_CALLS + 1)]
    assert len(_parts(*pieces[:-1])) == MAX_CALLS
    with pytest.raises(ModelReplyInvalid, match="more than 128 calls"):
        _parts(*pieces)


class Provider(BaseChatModel):
    """A provider of LangChain's with functions; its calls come in pieces."""

    bound: list[tuple[Any, Any]] = Field(default=[])

    @property
    def _llm_type(self) -> str:
        return "provider"

    def bind_tools(
        self, tools: Sequence[Any], *, tool_choice: Any = None, **_: Any
    ) -> Runnable[Any, Any]:
        self.bound.append((tools[0]["function"]["name"], tool_choice))
        return self.bind()

    def _generate(self, *_: Any, **__: Any) -> ChatResult:
        call = {"name": "weather", "args": {"city": "Rom"}, "id": "c1"}
        end = {"stop_reason": "tool_use"}
        message = AIMessage(content="", tool_calls=[call], response_metadata=end)
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _astream(self, *_: Any, **__: Any) -> AsyncIterator[ChatGenerationChunk]:
        pieces = (("weather", "", "c1"), (None, '{"city": ', None), (None, '"Rom"}', None))
        for name, arguments, identity in pieces:
            call = {"name": name, "args": arguments, "id": identity, "index": 0}
            message = AIMessageChunk(content="", tool_call_chunks=[call])
            yield ChatGenerationChunk(message=message)
        end = AIMessageChunk(content="", response_metadata={"stop_reason": "tool_use"})
        yield ChatGenerationChunk(message=end)


class Unstreamed(Provider):
    """The same, whose replies come at once."""

    _astream = BaseChatModel._astream


@pytest.mark.parametrize("kind", [Provider, Unstreamed])
@pytest.mark.parametrize(
    ("provider", "choice", "bound"),
    [
        ("other", "auto", None),
        ("other", "required", "any"),
        ("other", "weather", "weather"),
        ("other", "none", "none"),
        ("anthropic", "none", {"type": "none"}),
    ],
)
def test_another_provider_is_told_in_langchains_words(
    monkeypatch: pytest.MonkeyPatch, kind: type[Provider], provider: str, choice: str, bound: Any
) -> None:
    made = kind()
    monkeypatch.setattr("langchain.chat_models.init_chat_model", lambda *_, **__: made)
    model = LangChainModel(LangChainModel.Config(model=f"{provider}:small"))
    if choice == "none":
        assert "told to call no function" in str(get_error(model, request(choice=choice)))
    else:
        [reply] = replies(model, request(choice=choice))
        assert reply.tool_calls == (ToolCall(id="c1", name="weather", arguments={"city": "Rom"}),)
        assert reply.finish == "tool_calls"
    assert made.bound == [("weather", bound)]


def test_functions_calls_and_pictures_count_as_prompt(server: FakeModel) -> None:
    meter, model = Meter(Limits()), openai(server)
    [weather] = ask_tools().tools
    plain = meter.worst_of(replace(ask_tools(), tools=()), model).tokens
    assert (
        meter.worst_of(ask_tools(), model).tokens
        == plain + len(json.dumps(weather.function_dict(), separators=(",", ":"))) + TOKENS_AROUND
    )
    call = ToolCall(id="c", name="weather", arguments={"city": "x" * 1_000})
    asked = Message(role="assistant", content="", tool_calls=(call,))
    more = replace(ask("hi"), messages=(*ask("hi").messages, asked))
    assert meter.worst_of(more, model).tokens > meter.worst_of(ask("hi"), model).tokens + 1_000


def test_cassettes_hold_calls_and_old_ones_keep_their_digests(
    tmp_path: Path, server: FakeModel
) -> None:
    # As versions before there were tools have written it.
    assert AskedRequest.of(ask("one")).digest == (
        "8f263403c31eb6dfc1941d711bcbadf89f7befc5870dc70e75bb910a73123f6e"
    )
    assert b"tool" not in AskedRequest.of(ask("one")).model_dump_json().encode()
    path = tmp_path / "cassette.jsonl"
    half = '{"city": "half \\ud83d"}'
    server.script(calling(FakeCall("weather", half)))
    recorder = RecordingModel(RecordConfig(path=path, model={}), openai(server))
    recorded = replies(recorder, request(), request(function("traffic")), ask("hi"))
    assert recorded[0].tool_calls[0].arguments == {"city": "half \ufffd"}
    player = ReplayModel(ReplayModel.Config(path=path))
    asked = (ask("hi"), request(function("traffic")), request())
    assert replies(player, *asked) == recorded[::-1]
    other = (
        (replace(request(), tool_choice="required"), "tool_choice is 'required'"),
        (request(function("news")), "tools_digest is '"),
    )
    for changed, told in other:
        with pytest.raises(ModelRefused) as caught:
            replies(ReplayModel(ReplayModel.Config(path=path)), changed)
        assert told in str(caught.value)
