"""What is read of a conversation, without a server."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Message, Receive, Scope, Send

from flows.errors import ConfigError
from flows.human.answers import escaped, read_command
from flows.services.run_reply import PersonQuestion, ReplyOption
from flows.web.openai.chat import pieces_of
from flows.web.openai.errors import OpenAIErrors
from flows.web.openai.requests import Said, SentMessage, said_in, without_effect
from flows.web.openai.turns import meant


@given(st.text())
def test_pieces_make_the_text_again(text: str) -> None:
    assert "".join(pieces_of(text)) == text


@given(st.text())
def test_no_message_is_a_command(text: str) -> None:
    command, _ = read_command(escaped(text))
    assert command is None


def test_a_message_may_be_a_text_or_the_parts_of_one() -> None:
    sent = [
        SentMessage(role="system", content="Be kind."),
        SentMessage(role="user", content=({"type": "text", "text": "a"},
                                          {"type": "input_text", "text": "b"})),
        SentMessage(role="assistant", content=None),
    ]  # fmt: skip
    assert said_in(sent) == (
        Said("system", "Be kind."), Said("user", "a\nb"), Said("assistant", "")
    )  # fmt: skip
    calls = SentMessage(role="assistant", content=None, tool_calls=({"id": "1"},))
    with pytest.raises(ConfigError, match="calls of tools are not taken"):
        said_in([calls])


@pytest.mark.parametrize(
    "values",
    [
        {"tools": [], "n": 1, "response_format": {"type": "text"}, "logprobs": False},
        {"temperature": 2, "max_tokens": 5, "metadata": {"a": "b"}, "stop": None},
        {"tool_choice": "auto", "modalities": ["text"], "user": "Anna", "seed": 3},
    ],
)
def test_what_has_no_effect_is_taken(values: dict[str, Any]) -> None:
    assert without_effect({"model": "m", **values}) == {"model": "m"}


@pytest.mark.parametrize(
    "values",
    [
        {"tools": [{"type": "function"}]}, {"n": 2}, {"stop": ["x"]}, {"audio": {"voice": "a"}},
        {"response_format": {"type": "json_schema"}}, {"logprobs": True}, {"background": True},
    ],
)  # fmt: skip
def test_what_no_flow_gives_is_refused_by_name(values: dict[str, Any]) -> None:
    [name] = values
    with pytest.raises(ConfigError, match=f"{name} is not offered") as refused:
        without_effect(values)
    assert refused.value.path == name


def test_an_option_is_meant_by_its_label_or_its_answer() -> None:
    options = (ReplyOption("Go on", ""), ReplyOption("End here", "q"), ReplyOption("yes", "1"))
    question = PersonQuestion("q", "ask", "Well?", options)
    said = ["go on", " End Here", "YES", "1", "something else"]
    assert [meant(question, each) for each in said] == ["", "q", "1", "1", "something else"]


@pytest.mark.parametrize(
    ("path", "status", "body", "told"),
    [
        ("/v1/models", 401, {"what": "a token"}, (401, "a token", None, "invalid_api_key")),
        ("/v1/x", 422, {"what": "no", "where": "n", "allowed": ["1"]},
         (400, "n: no (allowed: 1)", "n", "invalid_request")),
        ("/v1/x", 429, {"what": "slow down"}, (429, "slow down", None, "rate_limit_exceeded")),
        ("/v1/x", 500, {"what": "broken"}, (500, "broken", None, "server_error")),
    ],
)  # fmt: skip
def test_errors_below_v1_are_told_in_the_clients_shape(
    path: str, status: int, body: dict[str, Any], told: tuple[int, str, str | None, str]
) -> None:
    sent = answered(path, status, json.dumps({"error": body}).encode())
    error = json.loads(sent[1]["body"])["error"]
    assert (sent[0]["status"], error["message"], error["param"], error["code"]) == told
    length = dict(sent[0]["headers"])[b"content-length"]
    assert int(length) == len(sent[1]["body"])
    other = answered("/api/x", status, b"as it is")
    assert (other[0]["status"], other[1]["body"]) == (status, b"as it is")
    assert answered("/v1/x", 200, b"as it is")[1]["body"] == b"as it is"


def answered(path: str, status: int, body: bytes) -> list[Message]:
    """What a client gets of an answer."""

    async def inner(scope: Scope, receive: Receive, send: Send) -> None:
        head = [(b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": head})
        await send({"type": "http.response.body", "body": body[:3], "more_body": True})
        await send({"type": "http.response.body", "body": body[3:]})

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "path": path, "headers": []}
    asyncio.run(OpenAIErrors(inner)(scope, receive, send))
    if len(sent) == 3:
        sent[1]["body"] += sent.pop()["body"]
    return sent
