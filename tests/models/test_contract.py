"""Each chat model keeps the one contract."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from flows.core.chat import ChatModel, ChatRequest
from flows.data.tables import Column, Table
from flows.models.fake.answer import ClientRequest, FakeAnswer, FakeCall, echo
from flows.models.fake.server import FakeModel
from flows.models.fake.tools import offered_names, results_of
from flows.models.langchain import LangChainModel
from flows.models.offline import OfflineModel
from flows.models.openai import OpenAIModel
from flows.models.replay import RecordConfig, RecordingModel, ReplayModel
from flows.models.tool_names import sent_name
from tests.contracts.chat_model import (
    CALLS,
    CONCURRENT,
    RESULTS,
    WEATHER,
    ChatModelContract,
    Subject,
    ask,
    ask_tools,
    with_results,
)
from tests.servers.aimock_server import aimock, missing_aimock

REPLY = "Forty-two, in a few words: naïve ☕ and 😀."
PLAIN = ask("How many?")
JSON = ask("Answer as JSON: how many?", json_reply=True)
REFUSED = ask("Please fail.")
TOOLS = ask_tools()
NEEDS_AIMOCK = pytest.mark.skipif(bool(missing_aimock()), reason=missing_aimock() or "-")


def say(request: ClientRequest) -> FakeAnswer:
    if offered := offered_names(request):
        results = results_of(request)
        calls = tuple(FakeCall(offered[0], json.dumps(given)) for _, given in CALLS)
        calling = FakeAnswer("", finish="tool_calls", tool_calls=calls, piece=3)
        return FakeAnswer(" and ".join(results)) if results else calling
    asked = request.body["messages"][-1]["content"]
    if asked == REFUSED.messages[-1].content:
        return FakeAnswer(status=401)
    if asked == JSON.messages[-1].content:
        return FakeAnswer(json.dumps({"answer": 42}), pause=0.002)
    return FakeAnswer(REPLY, pause=0.002) if asked == PLAIN.messages[-1].content else echo(request)


def openai_model(base_url: str, **settings: Any) -> OpenAIModel:
    return OpenAIModel(OpenAIModel.Config(model="small", base_url=base_url, **settings))


def langchain_model(base_url: str) -> LangChainModel:
    config = LangChainModel.Config.model_validate(
        {"model": "openai:small", "base_url": base_url, "api_key": "sk-local-test"}
    )
    return LangChainModel(config)


class TestOpenAI(ChatModelContract):
    @contextmanager
    def opened(self, folder: Path) -> Iterator[Subject]:
        with FakeModel(say) as server:
            model = openai_model(server.base_url)
            yield Subject(model, PLAIN, JSON, REFUSED, TOOLS, settled=server.wait_idle)


class TestOpenAIUnstreamed(ChatModelContract):
    @contextmanager
    def opened(self, folder: Path) -> Iterator[Subject]:
        with FakeModel(say) as server:
            model = openai_model(server.base_url, stream=False)
            yield Subject(model, PLAIN, JSON, REFUSED, TOOLS, settled=server.wait_idle)


class TestLangChain(ChatModelContract):
    @contextmanager
    def opened(self, folder: Path) -> Iterator[Subject]:
        with FakeModel(say) as server:
            model = langchain_model(server.base_url)
            yield Subject(model, PLAIN, JSON, REFUSED, TOOLS, settled=server.wait_idle)


async def record(inner: ChatModel, path: Path) -> None:
    model = RecordingModel(RecordConfig(path=path, model={}), inner)
    for request in [PLAIN, JSON] * CONCURRENT:
        await model.reply(request)
    await model.reply(with_results(TOOLS, await model.reply(TOOLS)))
    await model.aclose()


class TestReplay(ChatModelContract):
    @contextmanager
    def opened(self, folder: Path) -> Iterator[Subject]:
        path = folder / "cassette.jsonl"
        with FakeModel(lambda request: replace(say(request), pause=0)) as server:
            asyncio.run(record(openai_model(server.base_url), path))
        yield Subject(ReplayModel(ReplayModel.Config(path=path)), PLAIN, JSON, REFUSED, TOOLS)


class TestRecording(ChatModelContract):
    @contextmanager
    def opened(self, folder: Path) -> Iterator[Subject]:
        with FakeModel(say) as server:
            config = RecordConfig(path=folder / "cassette.jsonl", model={})
            model = RecordingModel(config, openai_model(server.base_url))
            yield Subject(model, PLAIN, JSON, REFUSED, TOOLS, settled=server.wait_idle)


TREES = Table(
    source="trees",
    name="trees",
    dialect="duckdb",
    rows=3,
    columns=(Column(name="kind", type="text", role="category", rows=3, missing=0, distinct=2),),
)
AIMOCK_FIXTURES: list[dict[str, Any]] = [
    {
        "match": {"userMessage": "weather", "hasToolResult": False},
        "response": {
            "toolCalls": [
                {"name": sent_name(WEATHER.name), "arguments": json.dumps(given)}
                for _, given in CALLS
            ]
        },
    },
    {"match": {"userMessage": "weather"}, "response": {"content": " and ".join(RESULTS)}},
    {"match": {"userMessage": "JSON"}, "response": {"content": '{"answer": 42}'}},
    {"match": {"userMessage": "How many?"}, "response": {"content": REPLY}},
    {
        "match": {"userMessage": "fail"},
        "response": {
            "status": 401,
            "error": {"message": "no such key", "type": "invalid_request_error"},
        },
    },
]


@NEEDS_AIMOCK
class TestOpenAIWithAimock(ChatModelContract):
    @contextmanager
    def opened(self, folder: Path) -> Iterator[Subject]:
        with aimock(folder, AIMOCK_FIXTURES) as base_url:
            yield Subject(openai_model(base_url), PLAIN, JSON, REFUSED, TOOLS)


@NEEDS_AIMOCK
class TestLangChainWithAimock(ChatModelContract):
    @contextmanager
    def opened(self, folder: Path) -> Iterator[Subject]:
        with aimock(folder, AIMOCK_FIXTURES) as base_url:
            yield Subject(langchain_model(base_url), PLAIN, JSON, REFUSED, TOOLS)


class TestOffline(ChatModelContract):
    @contextmanager
    def opened(self, folder: Path) -> Iterator[Subject]:
        asked = ask("How many trees are there?").messages
        inputs = {"question": "How many trees are there?", "tables": (TREES,), "error": ""}
        sql = ChatRequest(messages=asked, role="sql", inputs=inputs, json_reply=True)
        refused = ChatRequest(messages=asked, role="poet")
        yield Subject(OfflineModel(), PLAIN, sql, refused, counts_tokens=False)
