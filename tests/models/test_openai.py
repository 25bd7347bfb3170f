"""OpenAIModel against a real server: what is sent, what is counted, and what goes wrong."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Iterator
from email.utils import formatdate
from typing import Any

import pytest
from pydantic import ValidationError

from flows.core.chat import ChatReply, ChatRequest, Message
from flows.errors import (
    ModelError,
    ModelOverloaded,
    ModelRefused,
    ModelReplyInvalid,
    ModelUnreachable,
)
from flows.models.fake.answer import FakeAnswer
from flows.models.fake.server import FakeModel
from flows.models.openai import OpenAIModel
from tests.contracts.chat_model import ask

KEY = "sk-very-secret-0123456789"
STREAMED = pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])


@pytest.fixture
def server() -> Iterator[FakeModel]:
    with FakeModel() as running:
        yield running


def model_of(server: FakeModel, **settings: Any) -> OpenAIModel:
    settings = {"retry": {"attempts": 3, "wait_max": 0.02}, "api_key": KEY, **settings}
    given = {"model": "small", "base_url": server.base_url, **settings}
    return OpenAIModel(OpenAIModel.Config.model_validate(given))


def get_reply(
    model: OpenAIModel, request: ChatRequest | None = None, pieces: list[str] | None = None
) -> ChatReply:
    async def run() -> ChatReply:
        try:
            return await model.reply(
                request or ask("hello"), None if pieces is None else pieces.append
            )
        finally:
            await model.aclose()

    return asyncio.run(run())


def get_error(
    model: OpenAIModel, request: ChatRequest | None = None, pieces: list[str] | None = None
) -> ModelError:
    with pytest.raises(ModelError) as caught:
        get_reply(model, request, pieces)
    assert KEY not in str(caught.value)
    assert KEY not in repr(caught.value)
    return caught.value


@STREAMED
def test_the_request_carries_what_was_configured(server: FakeModel, stream: bool) -> None:
    model = model_of(server, stream=stream, temperature=0.25, max_tokens=50)
    reply = get_reply(model)
    sent = server.requests[0]
    assert sent.path == "/v1/chat/completions"
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.body["messages"][-1] == {"role": "user", "content": "hello"}
    assert (sent.body["temperature"], sent.body["max_tokens"]) == (0.25, 50)
    assert reply.text == "hello"
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (11, 7)


def test_a_request_overrules_the_config(server: FakeModel) -> None:
    messages = (Message(role="user", content="hello"),)
    request = ChatRequest(messages=messages, temperature=1.0, max_tokens=9)
    get_reply(model_of(server, temperature=0.0, max_tokens=50), request)
    assert (server.requests[0].body["temperature"], server.requests[0].body["max_tokens"]) == (1, 9)


def test_text_is_given_out_while_it_arrives(server: FakeModel) -> None:
    server.script(FakeAnswer("one two three", pause=0.05))
    times: list[float] = []

    async def run() -> None:
        model = model_of(server)
        await model.reply(ask("count"), lambda _: times.append(time.monotonic()))
        await model.aclose()

    asyncio.run(run())
    assert len(times) == 4
    assert times[-1] - times[0] > 0.1


@STREAMED
@pytest.mark.parametrize(
    ("word", "finish"),
    [("stop", "stop"), ("length", "length"), ("content_filter", "content_filter")],
)
def test_finish_reasons(server: FakeModel, stream: bool, word: str, finish: str) -> None:
    server.script(FakeAnswer("some text", finish=word))
    assert get_reply(model_of(server, stream=stream)).finish == finish


@STREAMED
@pytest.mark.parametrize("word", ["tool_calls", "surprise"])
def test_an_unknown_end_is_not_taken_for_a_whole_reply(
    server: FakeModel, stream: bool, word: str
) -> None:
    server.script(FakeAnswer("some text", finish=word))
    error = get_error(model_of(server, stream=stream))
    assert isinstance(error, ModelReplyInvalid)
    assert word in str(error)


@STREAMED
def test_usage_that_is_left_out_is_not_invented(server: FakeModel, stream: bool) -> None:
    server.script(FakeAnswer("some text", usage=None))
    usage = get_reply(model_of(server, stream=stream)).usage
    assert (usage.model_calls, usage.input_tokens, usage.output_tokens) == (1, None, None)


@STREAMED
def test_a_refusal_is_text_that_was_filtered(server: FakeModel, stream: bool) -> None:
    server.script(FakeAnswer(message={"content": None, "refusal": "I cannot help with that."}))
    reply = get_reply(model_of(server, stream=stream))
    assert (reply.text, reply.finish) == ("I cannot help with that.", "content_filter")


def test_halves_of_a_character_in_two_pieces_become_one(server: FakeModel) -> None:
    text = "a\ud83d\ude00b"
    server.script(FakeAnswer(text, piece=2), FakeAnswer("lone \ud83d", piece=100))
    pieces: list[str] = []
    assert get_reply(model_of(server), pieces=pieces).text == "a\U0001f600b"
    assert "".join(pieces) == "a\U0001f600b"
    assert get_reply(model_of(server)).text == "lone \ufffd"


def test_a_prompt_with_half_a_character_is_sent(server: FakeModel) -> None:
    assert get_reply(model_of(server), ask("cut \ud83d")).text == "cut \ufffd"


# JSON mode


def test_json_mode_that_is_refused_is_remembered(server: FakeModel) -> None:
    server.refused_parameters = {"response_format"}
    model = model_of(server)
    request = ask("give me JSON", json_reply=True)

    async def run() -> None:
        for _ in range(2):
            assert (await model.reply(request)).text == "give me JSON"
        await model.aclose()

    asyncio.run(run())
    asked = ["response_format" in each.body for each in server.requests]
    assert asked == [True, False, False]


def test_json_mode_that_is_demanded_is_not_given_up(server: FakeModel) -> None:
    server.refused_parameters = {"response_format"}
    request = ask("give me JSON", json_reply=True)
    error = get_error(model_of(server, json_mode="on"), request)
    assert isinstance(error, ModelRefused)
    assert "response_format" in str(error)


def test_a_late_complaint_does_not_start_the_text_again(server: FakeModel) -> None:
    complaint = {"code": 400, "message": "response_format failed"}
    server.script(FakeAnswer("half", stream_error=complaint))
    pieces: list[str] = []
    error = get_error(model_of(server), ask("JSON", json_reply=True), pieces)
    assert isinstance(error, ModelRefused)
    assert pieces == ["half"]
    assert len(server.requests) == 1


def test_json_mode_off_and_plain_requests_do_not_ask(server: FakeModel) -> None:
    get_reply(model_of(server, json_mode="off"), ask("JSON", json_reply=True))
    get_reply(model_of(server), ask("JSON"))
    get_reply(model_of(server), ask("no such word, so that it would be refused", json_reply=True))
    assert all("response_format" not in each.body for each in server.requests)


def test_usage_in_streams_that_is_refused_is_left_out(server: FakeModel) -> None:
    server.refused_parameters = {"stream_options"}
    reply = get_reply(model_of(server))
    assert reply.text == "hello"
    assert reply.usage.output_tokens is None
    assert len(server.requests) == 2


def test_the_newer_name_of_max_tokens(server: FakeModel) -> None:
    message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    server.script(
        FakeAnswer(status=400, body={"error": {"message": message, "param": "max_tokens"}})
    )
    get_reply(model_of(server, max_tokens=20))
    assert server.requests[1].body["max_completion_tokens"] == 20
    assert "max_tokens" not in server.requests[1].body


# Errors that pass


@STREAMED
@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
def test_a_status_that_passes_is_tried_again(server: FakeModel, stream: bool, status: int) -> None:
    server.script(FakeAnswer(status=status), FakeAnswer(status=status), FakeAnswer("at last"))
    assert get_reply(model_of(server, stream=stream)).text == "at last"
    assert len(server.requests) == 3


@STREAMED
def test_attempts_are_limited(server: FakeModel, stream: bool) -> None:
    server.script(*[FakeAnswer(status=503)] * 9)
    error = get_error(model_of(server, stream=stream))
    assert isinstance(error, ModelOverloaded)
    assert "503" in str(error)
    assert len(server.requests) == 3


@pytest.mark.parametrize("header", ["seconds", "date", "milliseconds"])
def test_retry_after_is_honoured(server: FakeModel, header: str) -> None:
    headers = {
        "seconds": {"retry-after": "0.3"},
        "date": {"retry-after": formatdate(time.time() + 2, usegmt=True)},
        "milliseconds": {"retry-after-ms": "300"},
    }[header]
    server.script(FakeAnswer(status=429, headers=headers), FakeAnswer("at last"))
    start = time.monotonic()
    assert get_reply(model_of(server, retry={"wait_max": 5})).text == "at last"
    assert 0.3 <= time.monotonic() - start < 4


def test_a_wait_that_is_too_long_is_told_and_not_taken(server: FakeModel) -> None:
    server.script(*[FakeAnswer(status=429, headers={"retry-after": "3600"})] * 3)
    start = time.monotonic()
    error = get_error(model_of(server))
    assert time.monotonic() - start < 2
    assert isinstance(error, ModelOverloaded)
    assert error.retry_after == 3600
    assert "asks to wait 3600 s" in str(error)
    assert len(server.requests) == 1


@STREAMED
@pytest.mark.parametrize("cut", ["json", "clean", "close", "reset"])
def test_a_cut_is_never_a_short_reply(server: FakeModel, stream: bool, cut: Any) -> None:
    server.script(*[FakeAnswer("only half of what", cut=cut)] * 3)
    assert isinstance(get_error(model_of(server, stream=stream)), ModelUnreachable)


@STREAMED
@pytest.mark.parametrize("cut", ["json", "clean", "close", "reset"])
def test_a_cut_that_nobody_saw_is_tried_again(server: FakeModel, stream: bool, cut: Any) -> None:
    server.script(FakeAnswer("only half", cut=cut), FakeAnswer("a whole reply"))
    assert get_reply(model_of(server, stream=stream)).text == "a whole reply"


@pytest.mark.parametrize("cut", ["clean", "close", "reset"])
def test_text_that_was_given_out_is_not_started_again(server: FakeModel, cut: Any) -> None:
    server.script(FakeAnswer("only half", cut=cut), FakeAnswer("a whole reply"))
    pieces: list[str] = []
    error = get_error(model_of(server), pieces=pieces)
    assert isinstance(error, ModelUnreachable)
    assert "".join(pieces) == "only half"
    assert len(server.requests) == 1


@STREAMED
def test_a_reply_that_ends_without_a_reason_may_be_cut(server: FakeModel, stream: bool) -> None:
    server.script(FakeAnswer("some text", finish=None))
    error = get_error(model_of(server, stream=stream))
    assert isinstance(error, ModelReplyInvalid)
    assert "without a finish reason" in str(error)


def test_a_finish_reason_is_enough_without_the_end_marker(server: FakeModel) -> None:
    server.script(FakeAnswer("some text", end_marker=False))
    assert get_reply(model_of(server)).text == "some text"


# Errors that stay


@STREAMED
@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
def test_a_status_that_stays_is_not_tried_again(
    server: FakeModel, stream: bool, status: int
) -> None:
    server.script(FakeAnswer(status=status, body={"error": {"message": f"Wrong key {KEY}!"}}))
    error = get_error(model_of(server, stream=stream))
    assert isinstance(error, ModelRefused)
    assert server.host in str(error)
    assert "Wrong key ***" in str(error)
    assert len(server.requests) == 1


@STREAMED
def test_a_used_up_quota_is_not_tried_again(server: FakeModel, stream: bool) -> None:
    body = {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}
    server.script(FakeAnswer(status=429, body=body))
    error = get_error(model_of(server, stream=stream))
    assert isinstance(error, ModelRefused)
    assert "no quota left" in str(error)
    assert len(server.requests) == 1


def test_a_prompt_that_is_too_long_says_so(server: FakeModel) -> None:
    body = {"error": {"message": "too long", "code": "context_length_exceeded"}}
    server.script(FakeAnswer(status=400, body=body))
    error = get_error(model_of(server))
    assert isinstance(error, ModelRefused)
    assert "longer than the model's context" in str(error)


@STREAMED
def test_an_html_502_is_told_without_its_html(server: FakeModel, stream: bool) -> None:
    page = "<html><body><h1>Bad Gateway</h1></body></html>"
    server.script(*[FakeAnswer(status=502, body=page)] * 3)
    error = get_error(model_of(server, stream=stream))
    assert isinstance(error, ModelOverloaded)
    assert "HTML page" in str(error)
    assert "<" not in str(error)


@STREAMED
@pytest.mark.parametrize("body", ["<!doctype html><p>Welcome</p>", '{"hello": 1}', "[]", "hi"])
def test_a_200_that_is_no_completion(server: FakeModel, stream: bool, body: str) -> None:
    server.script(FakeAnswer(body=body.encode()))
    error = get_error(model_of(server, stream=stream))
    assert isinstance(error, ModelReplyInvalid)
    assert "base_url" in str(error)


@STREAMED
def test_an_answer_without_choices(server: FakeModel, stream: bool) -> None:
    server.script(FakeAnswer(choices=False))
    error = get_error(model_of(server, stream=stream))
    assert isinstance(error, ModelReplyInvalid)
    assert "no choice" in str(error)


@STREAMED
def test_an_empty_reply(server: FakeModel, stream: bool) -> None:
    server.script(FakeAnswer(""))
    error = get_error(model_of(server, stream=stream))
    assert isinstance(error, ModelReplyInvalid)
    assert "without any text" in str(error)


def test_an_endpoint_that_does_not_stream_is_understood(server: FakeModel) -> None:
    choice = {"index": 0, "message": {"content": "all at once"}, "finish_reason": "stop"}
    server.script(FakeAnswer(body={"choices": [choice]}))
    assert get_reply(model_of(server)).text == "all at once"


@pytest.mark.parametrize(
    ("error_object", "kind"),
    [
        ({"message": "slow down", "code": "rate_limit_exceeded"}, ModelOverloaded),
        ({"message": "upstream", "code": 502}, ModelOverloaded),
        ({"message": "no key", "code": "401"}, ModelRefused),
        ({"message": "spent", "type": "insufficient_quota"}, ModelRefused),
        ({"message": "strange"}, ModelReplyInvalid),
        ("only words", ModelReplyInvalid),
    ],
)
@STREAMED
def test_an_error_object_with_status_200(
    server: FakeModel, stream: bool, error_object: Any, kind: type[ModelError]
) -> None:
    answer = FakeAnswer("half", stream_error=error_object)
    server.script(*[answer if stream else FakeAnswer(body={"error": error_object})] * 3)
    error = get_error(model_of(server, stream=stream))
    assert isinstance(error, kind)
    assert len(server.requests) == (3 if error.transient else 1)


# Limits


@pytest.mark.long("a server answers whole conversations")
def test_an_endless_stream_ends_at_the_limit_of_size(server: FakeModel) -> None:
    server.script(FakeAnswer("many words ", endless=True))
    error = get_error(model_of(server, max_reply_bytes=5_000))
    assert isinstance(error, ModelReplyInvalid)
    assert "max_reply_bytes" in str(error)
    server.wait_idle()


@STREAMED
def test_a_huge_answer_ends_at_the_limit_of_size(server: FakeModel, stream: bool) -> None:
    server.script(FakeAnswer("x" * 3_000_000, piece=10_000_000))
    error = get_error(model_of(server, stream=stream, max_reply_bytes=100_000))
    assert isinstance(error, ModelReplyInvalid)
    assert "max_reply_bytes" in str(error)


def test_an_endless_error_page_is_not_read_to_its_end(server: FakeModel) -> None:
    server.script(*[FakeAnswer(status=500, body=b"<" + b"x" * 5_000_000)] * 3)
    assert isinstance(get_error(model_of(server)), ModelOverloaded)


def test_silence_before_the_first_piece_is_tried_again(server: FakeModel) -> None:
    server.script(FakeAnswer(delay=20), FakeAnswer("at last"))
    pieces: list[str] = []
    assert get_reply(model_of(server, timeout_idle=0.3), pieces=pieces).text == "at last"
    server.wait_idle()


def test_silence_between_pieces(server: FakeModel) -> None:
    server.script(FakeAnswer("one two", pause=20, at_once=2))
    pieces: list[str] = []
    error = get_error(model_of(server, timeout_idle=0.3), pieces=pieces)
    assert isinstance(error, ModelUnreachable)
    assert pieces == ["one "]
    assert "timeout_idle" in str(error)
    server.wait_idle()


def test_a_slow_drip_ends_at_the_total_limit(server: FakeModel) -> None:
    server.script(*[FakeAnswer("drip ", endless=True, pause=0.05)] * 3)
    start = time.monotonic()
    error = get_error(model_of(server, timeout_total=0.5, timeout_idle=0.3))
    assert time.monotonic() - start < 2
    assert isinstance(error, ModelUnreachable)
    assert "timeout_total" in str(error)
    server.wait_idle()


def test_a_late_whole_answer_ends_at_the_total_limit(server: FakeModel) -> None:
    server.script(FakeAnswer(delay=20))
    model = model_of(server, stream=False, timeout_total=0.5, timeout_idle=0.1)
    error = get_error(model)
    assert "timeout_total" in str(error)
    server.wait_idle()


def test_waiting_for_another_attempt_counts_for_the_total_limit(server: FakeModel) -> None:
    server.script(FakeAnswer(status=429, headers={"retry-after": "30"}))
    error = get_error(model_of(server, timeout_total=0.5, retry={"wait_max": 60}))
    assert "timeout_total" in str(error)


# Address and key


def test_a_listener_that_fails_is_heard(server: FakeModel) -> None:
    def broken(piece: str) -> None:
        raise ZeroDivisionError(piece)

    async def run() -> None:
        model = model_of(server)
        try:
            await model.reply(ask("hello"), broken)
        finally:
            await model.aclose()

    with pytest.raises(ZeroDivisionError):
        asyncio.run(run())
    server.wait_idle()


@STREAMED
def test_nobody_listens_at_the_address(stream: bool) -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        host = f"127.0.0.1:{bound.getsockname()[1]}"
        model = OpenAIModel(
            OpenAIModel.Config.model_validate(
                {
                    "model": "small",
                    "base_url": f"http://{host}/v1",
                    "stream": stream,
                    "retry": {"attempts": 2, "wait_max": 0.01},
                }
            )
        )
        error = get_error(model)
    assert isinstance(error, ModelUnreachable)
    assert host in str(error)


def test_a_name_that_does_not_resolve_is_told() -> None:
    config = OpenAIModel.Config.model_validate(
        {"model": "small", "base_url": "http://no-such-host.invalid/v1", "retry": {"attempts": 1}}
    )
    error = get_error(OpenAIModel(config))
    assert isinstance(error, ModelUnreachable)
    assert "no-such-host.invalid" in str(error)


def test_the_public_endpoint_wants_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", " ")
    error = get_error(OpenAIModel(OpenAIModel.Config(model="small")))
    assert isinstance(error, ModelRefused)
    for word in ("OPENAI_API_KEY", "api_key", "base_url", "api.openai.com"):
        assert word in str(error)


def test_address_and_key_come_from_the_environment(
    server: FakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\n")
    get_reply(OpenAIModel(OpenAIModel.Config(model="small")))
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_an_endpoint_of_ones_own_needs_no_key(
    server: FakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert get_reply(model_of(server, api_key=None)).text == "hello"


@pytest.mark.parametrize("key", ["sk-one\ntwo-secret", "sk-sécret", "sk one secret"])
def test_a_key_that_no_header_can_carry_is_not_shown(server: FakeModel, key: str) -> None:
    error = get_error(model_of(server, api_key=key))
    assert isinstance(error, ModelRefused)
    assert key not in str(error)
    assert "secret" not in str(error)


def test_nothing_shows_the_key(server: FakeModel) -> None:
    model = model_of(server)
    get_reply(model)
    shown = repr(vars(model)) + repr(model) + repr(model_config(server)) + model.name
    assert KEY not in shown


def model_config(server: FakeModel) -> object:
    return OpenAIModel.Config.model_validate(
        {"model": "small", "base_url": server.base_url, "api_key": KEY}
    )


@pytest.mark.parametrize(
    "settings",
    [
        {"base_url": "localhost:8080/v1"},
        {"base_url": "ftp://localhost/v1"},
        {"base_url": "http://user:pass@localhost/v1"},
        {"timeout_total": 0},
        {"timeout_idle": float("inf")},
        {"max_reply_bytes": 0},
        {"retry": {"attempts": 0}},
        {"json_mode": "maybe"},
        {"surprise": 1},
        {"model": ""},
    ],
)
def test_a_wrong_setting_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        OpenAIModel.Config.model_validate({"model": "small", **settings})


def test_one_connection_serves_many_replies(server: FakeModel) -> None:
    async def run() -> set[str]:
        model = model_of(server)
        for _ in range(5):
            await model.reply(ask("hello"))
        await model.aclose()
        return server.clients

    assert len(asyncio.run(run())) == 1
