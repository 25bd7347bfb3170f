"""LangChainModel against a real server: usage, limits, and the errors of the provider's package."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
import traceback
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult

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
from flows.models.langchain import LangChainModel
from tests.contracts.chat_model import ask

KEY = "sk-very-secret-0123456789"
PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture
def server() -> Iterator[FakeModel]:
    with FakeModel() as running:
        yield running


def model_of(server: FakeModel, **settings: Any) -> LangChainModel:
    given = {
        "model": "openai:small",
        "base_url": server.base_url,
        "api_key": KEY,
        "retry": {"wait_max": 0.02},
        **settings,
    }
    return LangChainModel(LangChainModel.Config.model_validate(given))


def get_reply(
    model: LangChainModel, request: ChatRequest | None = None, pieces: list[str] | None = None
) -> ChatReply:
    async def run() -> ChatReply:
        try:
            return await model.reply(
                request or ask("hello"), None if pieces is None else pieces.append
            )
        finally:
            await model.aclose()

    return asyncio.run(run())


def get_error(model: LangChainModel, pieces: list[str] | None = None) -> ModelError:
    with pytest.raises(ModelError) as caught:
        get_reply(model, pieces=pieces)
    assert KEY not in str(caught.value)
    assert KEY not in repr(caught.value)
    return caught.value


def test_usage_and_settings(server: FakeModel) -> None:
    messages = (Message(role="user", content="hello"),)
    request = ChatRequest(messages=messages, temperature=0.5, max_tokens=9)
    reply = get_reply(model_of(server, temperature=0.0), request)
    sent = server.requests[0]
    assert (reply.text, reply.finish, reply.model) == ("hello", "stop", "small")
    assert (reply.usage.model_calls, reply.usage.input_tokens, reply.usage.output_tokens) == (
        1,
        11,
        7,
    )
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.body["temperature"] == 0.5
    assert 9 in (sent.body.get("max_tokens"), sent.body.get("max_completion_tokens"))


def test_usage_in_streams_that_is_refused_is_left_out(server: FakeModel) -> None:
    server.refused_parameters = {"stream_options"}
    reply = get_reply(model_of(server))
    assert (reply.text, reply.usage.output_tokens) == ("hello", None)


@pytest.mark.parametrize("word", ["length", "content_filter"])
def test_finish_reasons(server: FakeModel, word: str) -> None:
    server.script(FakeAnswer("some text", finish=word))
    assert get_reply(model_of(server)).finish == word


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503])
def test_a_status_that_passes_is_tried_again(server: FakeModel, status: int) -> None:
    server.script(FakeAnswer(status=status), FakeAnswer("at last"))
    assert get_reply(model_of(server)).text == "at last"


def test_a_wait_that_is_too_long_is_told_and_not_taken(server: FakeModel) -> None:
    server.script(*[FakeAnswer(status=429, headers={"retry-after": "3600"})] * 3)
    error = get_error(model_of(server))
    assert isinstance(error, ModelOverloaded)
    assert error.retry_after == 3600
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_status_that_stays_is_not_tried_again(server: FakeModel, status: int) -> None:
    server.script(FakeAnswer(status=status, body={"error": {"message": f"Wrong key {KEY}!"}}))
    assert isinstance(get_error(model_of(server)), ModelRefused)
    assert len(server.requests) == 1


def test_a_key_from_the_environment_is_not_shown(
    server: FakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server.script(FakeAnswer(status=401, body={"error": {"message": f"Wrong key {KEY}!"}}))
    error = get_error(model_of(server, api_key=None))
    assert "Wrong key ***" in str(error)
    assert KEY not in "".join(traceback.format_exception(error))


def test_a_used_up_quota_is_not_tried_again(server: FakeModel) -> None:
    body = {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}
    server.script(FakeAnswer(status=429, body=body))
    assert isinstance(get_error(model_of(server)), ModelRefused)


def test_a_prompt_that_is_too_long_says_so(server: FakeModel) -> None:
    body = {"error": {"message": "too long", "code": "context_length_exceeded"}}
    server.script(FakeAnswer(status=400, body=body))
    error = get_error(model_of(server))
    assert isinstance(error, ModelRefused)
    assert "longer than the model's context" in str(error)


@pytest.mark.parametrize("cut", ["clean", "close", "reset"])
def test_a_cut_is_never_a_short_reply(server: FakeModel, cut: Any) -> None:
    server.script(FakeAnswer("only half", cut=cut), FakeAnswer("a whole reply"))
    pieces: list[str] = []
    assert isinstance(get_error(model_of(server), pieces), ModelUnreachable)
    assert "".join(pieces) == "only half"
    assert len(server.requests) == 1


@pytest.mark.parametrize("cut", ["clean", "close", "reset"])
def test_a_cut_that_nobody_saw_is_tried_again(server: FakeModel, cut: Any) -> None:
    server.script(FakeAnswer("only half", cut=cut), FakeAnswer("a whole reply"))
    assert get_reply(model_of(server)).text == "a whole reply"


@pytest.mark.parametrize(
    ("error_object", "kind"),
    [
        ({"message": "slow down", "code": "rate_limit_exceeded"}, ModelOverloaded),
        ({"message": "spent", "code": "insufficient_quota"}, ModelRefused),
        ({"message": "strange"}, ModelReplyInvalid),
    ],
)
def test_an_error_object_in_the_stream(
    server: FakeModel, error_object: Any, kind: type[ModelError]
) -> None:
    server.script(*[FakeAnswer("half", stream_error=error_object)] * 3)
    assert isinstance(get_error(model_of(server)), kind)


@pytest.mark.parametrize(
    "answer",
    [FakeAnswer(""), FakeAnswer(choices=False), FakeAnswer(body="<html>Welcome</html>")],
    ids=["empty", "no choices", "html"],
)
def test_an_answer_without_text(server: FakeModel, answer: FakeAnswer) -> None:
    server.script(*[answer] * 3)
    assert isinstance(get_error(model_of(server)), ModelReplyInvalid | ModelUnreachable)


@pytest.mark.long("a server answers whole conversations")
def test_an_endless_stream_ends_at_the_limit_of_size(server: FakeModel) -> None:
    server.script(FakeAnswer("many words ", endless=True))
    error = get_error(model_of(server, max_reply_bytes=2_000))
    assert isinstance(error, ModelReplyInvalid)
    server.wait_idle()


def test_silence_between_pieces(server: FakeModel) -> None:
    server.script(FakeAnswer("one two", pause=20, at_once=2))
    pieces: list[str] = []
    error = get_error(model_of(server, timeout_idle=0.5), pieces)
    assert isinstance(error, ModelUnreachable)
    assert "timeout_idle" in str(error)
    server.wait_idle()


def test_a_slow_drip_ends_at_the_total_limit(server: FakeModel) -> None:
    server.script(*[FakeAnswer("drip ", endless=True, pause=0.05)] * 3)
    start = time.monotonic()
    error = get_error(model_of(server, timeout_total=0.8, timeout_idle=0.5))
    assert time.monotonic() - start < 3
    assert "timeout_total" in str(error)
    server.wait_idle()


class Deaf(BaseChatModel):
    """A provider whose stream goes on when it is cancelled, as one does now and then."""

    @property
    def _llm_type(self) -> str:
        return "deaf"

    def _generate(self, *_: Any, **__: Any) -> ChatResult:
        raise NotImplementedError

    async def _astream(self, *_: Any, **__: Any) -> AsyncIterator[ChatGenerationChunk]:
        while True:
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(0.05)
            yield ChatGenerationChunk(message=AIMessageChunk(content="drip "))


def test_a_provider_that_swallows_the_end_is_ended_all_the_same(
    server: FakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("langchain.chat_models.init_chat_model", lambda *_, **__: Deaf())
    error = get_error(model_of(server, timeout_total=0.3))
    assert "timeout_total" in str(error)


def test_nobody_listens_at_the_address(server: FakeModel) -> None:
    model = model_of(server, base_url="http://127.0.0.1:1/v1")
    assert isinstance(get_error(model), ModelUnreachable)


def test_a_missing_package_comes_with_its_install_line() -> None:
    error = get_error(
        LangChainModel(LangChainModel.Config(model="some-model", model_provider="fireworks"))
    )
    assert isinstance(error, ModelRefused)
    assert str(error).endswith("run: pip install langchain-fireworks")


def test_an_unknown_provider_is_refused_with_the_known_ones() -> None:
    error = get_error(LangChainModel(LangChainModel.Config(model="m", model_provider="nobody")))
    assert isinstance(error, ModelRefused)
    assert "openai" in str(error)


def test_a_missing_key_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    error = get_error(LangChainModel(LangChainModel.Config(model="openai:small")))
    assert isinstance(error, ModelRefused)
    assert "OPENAI_API_KEY" in str(error)


TRACED = """
import asyncio, os
from langsmith import utils
assert utils.tracing_is_enabled(), "the environment has to ask for traces, or this proves nothing"
from flows.core.chat import ChatRequest, Message
from flows.models.langchain import LangChainModel

async def main():
    config = LangChainModel.Config(model="openai:small", base_url=os.environ["MODEL"], api_key="k")
    model = LangChainModel(config)
    reply = await model.reply(ChatRequest(messages=(Message(role="user", content="hello"),)))
    print(reply.text)
    await model.aclose()

asyncio.run(main())
from langchain_core.tracers.langchain import wait_for_all_tracers
wait_for_all_tracers()
"""


@pytest.mark.long("a server answers whole conversations")
def test_nothing_is_traced_even_where_the_environment_asks_for_it(server: FakeModel) -> None:
    with FakeModel() as traces:
        environment = {
            **os.environ,
            "MODEL": server.base_url,
            "LANGSMITH_TRACING": "true",
            "LANGCHAIN_TRACING_V2": "true",
            "LANGSMITH_API_KEY": "lsv2-test",
            "LANGSMITH_ENDPOINT": f"http://{traces.host}",
        }
        done = subprocess.run(
            [sys.executable, "-c", TRACED],
            env=environment,
            cwd=PROJECT,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.stdout.strip() == "hello", done.stderr
        assert not traces.clients
