"""What every chat model does. A model's test inherits `ChatModelContract` and says how to open one.

    class TestMyModel(ChatModelContract):
        @contextmanager
        def opened(self, folder: Path) -> Iterator[Subject]:
            yield Subject(MyModel(...), plain=..., json=..., refused=...)

`opened` gives a model that answers `plain` with text and `json` with one JSON object, at least
`CONCURRENT` times each, and that fails on `refused`. It answers `tools` with the calls `CALLS`, and
a request that brings their results with a text that holds these.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import pytest

from flows.core.chat import ChatModel, ChatReply, ChatRequest, Message
from flows.core.function_description import FunctionDescription
from flows.errors import ModelError

T = TypeVar("T")
CONCURRENT = 8
WEATHER = FunctionDescription(
    name="weather.now",  # a name that OpenAI does not take
    description="The weather of a city.",
    parameters={
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["city"],
    },
)
CALLS = (
    ("weather.now", {"city": "Zürich ☕", "days": 2}),
    ("weather.now", {"city": 'a "quoted" 😀'}),
)
RESULTS = ("7 degrees, über Mittag", "rain")


def ask(text: str, *, json_reply: bool = False, role: str = "chat") -> ChatRequest:
    messages = (
        Message(role="system", content="You answer in a few words."),
        Message(role="user", content=text),
    )
    return ChatRequest(messages=messages, json_reply=json_reply, role=role)


async def alone() -> None:
    """Return when no other task is left. The loop closes a vendor's generators a moment later."""
    async with asyncio.timeout(2):
        others = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.gather(*others, return_exceptions=True)
    assert asyncio.all_tasks() == {asyncio.current_task()}


def ask_tools() -> ChatRequest:
    messages = (Message(role="user", content="What is the weather?"),)
    return ChatRequest(messages=messages, tools=(WEATHER,))


def with_results(request: ChatRequest, reply: ChatReply) -> ChatRequest:
    """The request with the calls of a reply and their results."""
    asked = Message(role="assistant", content=reply.text, tool_calls=reply.tool_calls)
    results = (
        Message(role="tool", content=result, tool_call_id=call.id)
        for call, result in zip(reply.tool_calls, RESULTS, strict=True)
    )
    return replace(request, messages=(*request.messages, asked, *results))


@dataclass(frozen=True)
class Subject:
    """A model under test, requests that it answers, and one that it cannot (None: there is none).

    `counts_tokens`: the provider says what it spent. `settled` raises when a connection is open.
    """

    model: ChatModel
    plain: ChatRequest
    json: ChatRequest
    refused: ChatRequest | None = None
    tools: ChatRequest | None = None
    counts_tokens: bool = True
    settled: Callable[[], None] = lambda: None


class ChatModelContract:
    @contextmanager
    def opened(self, folder: Path) -> Iterator[Subject]:
        raise NotImplementedError("say how the model under test is opened")

    def use(self, folder: Path, work: Callable[[Subject], Awaitable[T]]) -> T:
        async def worked(subject: Subject) -> T:
            try:
                return await work(subject)
            finally:
                await subject.model.aclose()

        with self.opened(folder) as subject:
            return asyncio.run(worked(subject))

    def test_it_speaks_the_protocol(self, tmp_path: Path) -> None:
        with self.opened(tmp_path) as subject:
            assert isinstance(subject.model, ChatModel)
            assert subject.model.name

    def test_the_pieces_are_the_text(self, tmp_path: Path) -> None:
        pieces: list[str] = []

        async def work(subject: Subject) -> ChatReply:
            return await subject.model.reply(subject.plain, pieces.append)

        reply = self.use(tmp_path, work)
        assert reply.text
        assert all(pieces)
        assert "".join(pieces) == reply.text

    def test_nobody_has_to_listen(self, tmp_path: Path) -> None:
        pieces: list[str] = []

        async def work(subject: Subject) -> tuple[ChatReply, ChatReply]:
            heard = await subject.model.reply(subject.plain, pieces.append)
            return heard, await subject.model.reply(subject.plain)

        heard, unheard = self.use(tmp_path, work)
        assert heard.text == unheard.text

    def test_a_whole_reply_ends_with_stop_and_says_what_it_cost(self, tmp_path: Path) -> None:
        async def work(subject: Subject) -> tuple[Subject, ChatReply]:
            return subject, await subject.model.reply(subject.plain)

        subject, reply = self.use(tmp_path, work)
        assert reply.finish == "stop"
        assert reply.model
        assert reply.usage.model_calls in (0, 1)
        if subject.counts_tokens:
            assert reply.usage.model_calls == 1
            assert reply.usage.input_tokens
            assert reply.usage.output_tokens

    def test_a_json_reply_is_one_object(self, tmp_path: Path) -> None:
        async def work(subject: Subject) -> ChatReply:
            return await subject.model.reply(subject.json)

        assert isinstance(json.loads(self.use(tmp_path, work).text), dict)

    def test_replies_at_the_same_time_do_not_mix(self, tmp_path: Path) -> None:
        async def work(subject: Subject) -> list[tuple[ChatReply, str]]:
            async def one(request: ChatRequest) -> tuple[ChatReply, str]:
                pieces: list[str] = []
                reply = await subject.model.reply(request, pieces.append)
                return reply, "".join(pieces)

            requests = [subject.plain, subject.json] * (CONCURRENT // 2)
            return await asyncio.gather(*(one(each) for each in requests))

        replies = self.use(tmp_path, work)
        assert all(reply.text == heard for reply, heard in replies)
        assert len({reply.text for reply, _ in replies[::2]}) == 1
        assert len({reply.text for reply, _ in replies[1::2]}) == 1

    def test_cancelling_leaves_nothing_behind(self, tmp_path: Path) -> None:
        async def work(subject: Subject) -> ChatReply:
            heard = asyncio.Event()
            task = asyncio.create_task(subject.model.reply(subject.plain, lambda _: heard.set()))
            await heard.wait()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await alone()
            await asyncio.to_thread(subject.settled)
            return await subject.model.reply(subject.plain)

        assert self.use(tmp_path, work).finish == "stop"

    def test_closing_twice_is_closing_once(self, tmp_path: Path) -> None:
        async def work(subject: Subject) -> None:
            await subject.model.reply(subject.plain)
            await subject.model.aclose()
            await subject.model.aclose()

        self.use(tmp_path, work)

    def test_it_can_be_used_in_a_second_event_loop(self, tmp_path: Path) -> None:
        async def once(subject: Subject) -> str:
            reply = await subject.model.reply(subject.plain)
            await subject.model.aclose()
            return reply.text

        with self.opened(tmp_path) as subject:
            first = asyncio.run(once(subject))
            assert asyncio.run(once(subject)) == first

    def test_calls_of_functions_and_their_results(self, tmp_path: Path) -> None:
        pieces: list[str] = []

        async def work(subject: Subject) -> tuple[ChatReply, ChatReply]:
            if subject.tools is None:
                pytest.skip("this model calls no functions")
            calling = await subject.model.reply(subject.tools, pieces.append)
            return calling, await subject.model.reply(with_results(subject.tools, calling))

        calling, answered = self.use(tmp_path, work)
        assert calling.finish == "tool_calls"
        assert [(each.name, each.arguments) for each in calling.tool_calls] == list(CALLS)
        assert len({each.id for each in calling.tool_calls if each.id}) == len(CALLS)
        assert "".join(pieces) == calling.text
        assert (answered.finish, answered.tool_calls) == ("stop", ())
        assert all(result in answered.text for result in RESULTS)

    def test_what_it_cannot_answer_is_a_model_error(self, tmp_path: Path) -> None:
        async def work(subject: Subject) -> str:
            if subject.refused is None:
                pytest.skip("this model answers everything")
            with pytest.raises(ModelError) as caught:
                await subject.model.reply(subject.refused)
            await subject.model.reply(subject.plain)
            return caught.value.problem

        assert self.use(tmp_path, work)
