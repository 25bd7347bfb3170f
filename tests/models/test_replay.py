"""Cassettes: what is recorded is played, and nothing else."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from flows.core.chat import ChatModel, ChatReply, ChatRequest
from flows.core.reply import ReplySchema
from flows.errors import ConfigError, ModelError, ModelRefused
from flows.library.blocks.sql import SqlReply
from flows.models.fake.answer import FakeAnswer
from flows.models.fake.server import FakeModel
from flows.models.openai import OpenAIModel
from flows.models.replay import RecordConfig, RecordingModel, ReplayModel
from tests.contracts.chat_model import ask


def recorder(model: ChatModel, path: Path) -> RecordingModel:
    return RecordingModel(RecordConfig(path=path, model={}), model)


def ask_all(model: ChatModel, *requests: ChatRequest) -> list[ChatReply]:
    async def run() -> list[ChatReply]:
        try:
            return [await model.reply(each) for each in requests]
        finally:
            await model.aclose()

    return asyncio.run(run())


def record(
    path: Path, *requests: ChatRequest, answers: tuple[FakeAnswer, ...] = ()
) -> list[ChatReply]:
    with FakeModel() as server:
        server.script(*answers)
        config = OpenAIModel.Config(model="small", base_url=server.base_url)
        return ask_all(recorder(OpenAIModel(config), path), *requests)


def player(path: Path) -> ReplayModel:
    return ReplayModel(ReplayModel.Config(path=path))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cassettes" / "first.jsonl"


def test_what_was_recorded_is_played_in_any_order(path: Path) -> None:
    one, two = ask("one \ud83d ☕"), ask("two")
    recorded = record(path, one, two)
    assert ask_all(player(path), two, one) == [recorded[1], recorded[0]]


def test_equal_requests_get_their_replies_in_order_and_no_more(path: Path) -> None:
    record(path, ask("again"), ask("again"), answers=(FakeAnswer("first"), FakeAnswer("second")))
    model = player(path)
    assert [each.text for each in ask_all(model, ask("again"), ask("again"))] == ["first", "second"]
    with pytest.raises(ModelRefused, match="recorded 2 times and asked once more"):
        ask_all(model, ask("again"))


def test_recording_goes_on_at_the_end(path: Path) -> None:
    record(path, ask("one"))
    record(path, ask("two"))
    assert [each.text for each in ask_all(player(path), ask("one"), ask("two"))] == ["one", "two"]


@pytest.mark.long("a model server and a process that talks to it")
def test_replies_at_the_same_time_are_whole_lines(path: Path) -> None:
    requests = [ask(f"question {number} " + "x" * 5_000) for number in range(12)]

    async def run(model: ChatModel) -> None:
        await asyncio.gather(*(model.reply(each) for each in requests))
        await model.aclose()

    with FakeModel() as server:
        config = OpenAIModel.Config(model="small", base_url=server.base_url)
        asyncio.run(run(recorder(OpenAIModel(config), path)))
    assert len(ask_all(player(path), *requests)) == 12


def test_errors_are_not_recorded(path: Path) -> None:
    with pytest.raises(ModelRefused):
        record(path, ask("one"), answers=(FakeAnswer(status=401),))
    record(path, ask("one"))
    assert [each.text for each in ask_all(player(path), ask("one"))] == ["one"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"json_reply": True}, "json_reply is True, recorded is False"),
        ({"temperature": 0.5}, "temperature is 0.5, recorded is None"),
        ({"max_tokens": 5}, "max_tokens is 5, recorded is None"),
        ({"schema": ReplySchema.of(SqlReply)}, "schema_digest is '"),
        ({"role": "sql"}, "role is 'sql', recorded is 'chat'"),
        ({"messages": ask("How many cats?").messages}, "from character 9 is 'cats?'"),
        ({"messages": ask("How many dogs?").messages[:1]}, "the number of messages is 1"),
    ],
)
def test_an_unknown_request_is_told_from_the_nearest(
    path: Path, change: dict[str, Any], told: str
) -> None:
    asked = ask("How many dogs?")
    record(path, ask("Draw a chart of the prices."), asked)
    with pytest.raises(ModelRefused) as caught:
        ask_all(player(path), replace(asked, **change))
    assert "line 2" in str(caught.value)
    assert told in str(caught.value)


@pytest.mark.parametrize(
    "damage",
    [
        lambda line: line[: len(line) // 2],
        lambda line: line[: len(line) // 2] + "\n",
        lambda _: "\n",
        lambda _: "{}\n",
        lambda line: line.replace("two", "tow"),
        lambda _: '{"digest": NaN}\n',
    ],
)
def test_a_damaged_line_is_told_with_its_number(path: Path, damage: Any) -> None:
    record(path, ask("one"), ask("two"))
    first, second = path.read_text().splitlines(keepends=True)
    path.write_text(first + damage(second))
    for opened in (player, lambda path: recorder(player(path), path)):
        with pytest.raises(ConfigError) as caught:
            opened(path)
        assert str(caught.value).startswith(f"{path}:2:")


def test_a_cassette_that_is_not_there(path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        player(path)


def test_a_reply_that_cannot_be_recorded_is_an_error(path: Path) -> None:
    with FakeModel() as server:
        config = OpenAIModel.Config(model="small", base_url=server.base_url)
        model = recorder(OpenAIModel(config), path)
        path.mkdir()
        with pytest.raises(ModelError, match="could not be recorded"):
            ask_all(model, ask("one"))


@pytest.mark.parametrize(
    "config",
    [{"mode": "play"}, {"model": {"model": "small"}}, {"path": None}],
)
def test_a_wrong_config_is_refused(path: Path, config: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ReplayModel.Config.model_validate({"path": path, **config})
