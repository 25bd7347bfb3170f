"""Flows as models: chats by the official client, LangChain, and as Open WebUI sends them."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from openai.types.chat import ChatCompletionMessageParam

from tests.web.own_flows import log, write_flows
from tests.web.serving import TOKEN, Serving, bearer, serving

OPEN_WEBUI = json.loads(Path(__file__).with_name("open_webui.json").read_text("utf-8"))


@pytest.mark.long("the real command")
def test_a_flow_is_a_model_whole_and_in_pieces(service: Serving, client: openai.OpenAI) -> None:
    models = list(client.models.list())
    assert [each.id for each in models][-1] == "csv_chat"
    assert client.models.retrieve("louder").owned_by == "flows"

    whole = client.chat.completions.create(model="louder", messages=user("hello"))
    assert whole.choices[0].message.content == "HELLO"
    assert (whole.object, whole.model) == ("chat.completion", "louder")
    assert whole.choices[0].finish_reason == "stop"
    assert whole.usage is not None
    assert whole.usage.total_tokens == 0  # no model was asked

    text = "a long text in many words, " * 5 + "\n\n  and  blanks "
    chunks = list(
        client.chat.completions.create(
            model="louder", messages=user(text), stream=True,
            stream_options={"include_usage": True},
        )
    )  # fmt: skip
    said = [each.choices[0].delta.content or "" for each in chunks if each.choices]
    assert "".join(said) == text.upper().strip()
    assert len(said) > 4
    assert chunks[0].choices[0].delta.role == "assistant"
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-1].usage is not None
    assert len({each.id for each in chunks}) == 1

    inputs = {"colours": ["red", "blue"]}
    asked = client.chat.completions.create(
        model="asks", messages=user("Which?"), extra_body={"inputs": inputs}
    )
    assert asked.choices[0].message.content == 'Which?\n\n- "red"\n- "blue"'


@pytest.mark.long("the real command")
def test_a_stream_tells_what_is_being_done_where_that_is_wanted(client: openai.OpenAI) -> None:
    def chunks(progress: str) -> list[dict[str, Any]]:
        found = client.chat.completions.create(
            model="csv_chat", messages=user("What is the total amount?"), stream=True,
            extra_body={"progress": progress},
        )  # fmt: skip
        return [each.choices[0].delta.model_dump() for each in found]

    told, thought, silent = chunks("content"), chunks("reasoning"), chunks("none")
    assert any((each["content"] or "").startswith("> ") for each in told)
    assert any(each.get("reasoning_content") for each in thought)
    for deltas in (told, thought, silent):
        assert "The total amount is 45." in "".join(each["content"] or "" for each in deltas)
    assert not any("> " in (each["content"] or "") for each in thought + silent)


@pytest.mark.long("the real command")
def test_a_question_is_the_assistants_message_and_the_next_message_its_answer(
    client: openai.OpenAI,
) -> None:
    talk = user("Which colour?")
    assert says(client, "asks", talk, stream=True) == "Which colour?"
    assert says(client, "asks", user("blue"), stream=True) == "blue"  # another conversation

    inputs = {"what": "Which colour?", "colours": ["red", "blue"]}
    first = says(client, "asks", user("ask"), inputs=inputs)
    talk = [*user("ask"), assistant(first), *user("pink")]
    again = says(client, "asks", talk)
    assert again.startswith("'pink' is no answer")
    assert again.endswith('- "red"\n- "blue"')
    talk = [*talk, assistant(again), *user(" Blue ")]
    assert says(client, "asks", talk) == "blue"
    # The run is over: the same message again begins another run.
    assert says(client, "asks", talk) == "Blue"


@pytest.mark.long("the real command")
def test_a_conversation_goes_on_and_can_be_told_otherwise(client: openai.OpenAI) -> None:
    talk = user("What is the total amount?")
    first = client.chat.completions.create(model="csv_chat", messages=talk)
    talk = [*talk, assistant(first.choices[0].message.content or ""), *user("And for shop A?")]
    then = client.chat.completions.create(model="csv_chat", messages=talk)
    assert "15" in (then.choices[0].message.content or "")
    assert then.id.rpartition("-")[0] == first.id.rpartition("-")[0]  # the same run

    other = [*talk[:-1], *user("And for shop B?")]  # an answer that was edited
    changed = client.chat.completions.create(model="csv_chat", messages=other)
    assert "30" in (changed.choices[0].message.content or "")
    assert changed.id.rpartition("-")[0] != first.id.rpartition("-")[0]
    command = [*talk, assistant(then.choices[0].message.content or ""), *user(":set x=1")]
    assert "override" not in says(client, "csv_chat", command)  # a message, and no command


@pytest.mark.long("the real command, started twice")
def test_a_conversation_goes_on_after_the_server_has_ended(tmp_path: Path) -> None:
    arguments = write_flows(tmp_path)
    with serving(tmp_path, *arguments) as served, open_client(served) as client:
        question = says(client, "asks", user("Which colour?"))
    with serving(tmp_path, *arguments) as served, open_client(served) as client:
        talk = [*user("Which colour?"), assistant(question), *user("green")]
        assert says(client, "asks", talk) == "green"


@pytest.mark.long("the real command")
def test_errors_have_the_shape_that_clients_read(service: Serving, client: openai.OpenAI) -> None:
    def create(**more: Any) -> Any:
        given = {"model": "louder", "messages": user("hello"), **more}
        return client.chat.completions.create(**given)

    wrong: list[tuple[dict[str, Any], type[openai.APIStatusError], str, str | None]] = [
        ({"model": "none"}, openai.NotFoundError, "there is no flow 'none'", None),
        ({"tools": [{"type": "function"}]}, openai.BadRequestError, "tools is not", "tools"),
        ({"n": 2}, openai.BadRequestError, "n is not offered", "n"),
        ({"response_format": {"type": "json_object"}}, openai.BadRequestError, "response_format",
         "response_format"),
        ({"extra_body": {"colour": 1}}, openai.BadRequestError, "colour", "colour"),
        ({"messages": []}, openai.BadRequestError, "at least 1", "messages"),
        ({"messages": [assistant("x")]}, openai.BadRequestError, "user's", "messages"),
        ({"messages": [{"role": "tool", "content": "x", "tool_call_id": "1"}]},
         openai.BadRequestError, "role", "messages.0.role"),
        ({"messages": [{"role": "user", "content": [{"type": "input_audio"}]}]},
         openai.BadRequestError, "'input_audio' is not taken", "messages.0.content"),
        ({"extra_body": {"inputs": {"volume": 1}}}, openai.BadRequestError, "volume",
         "inputs.volume"),
        ({"messages": user("x" * 17_000_000)}, openai.APIStatusError, "too large", None),
    ]  # fmt: skip
    for more, kind, said, param in wrong:
        with pytest.raises(kind) as caught:
            create(**more)
        assert said in caught.value.message, more
        assert caught.value.param == param
    with pytest.raises(openai.NotFoundError) as unknown:
        create(model="none")
    assert (unknown.value.code, unknown.value.type) == ("model_not_found", "invalid_request_error")
    with (
        openai.OpenAI(base_url=f"{service.url}/v1", api_key="another-key-of-others") as other,
        pytest.raises(openai.AuthenticationError) as refused,
    ):
        other.models.list()
    assert refused.value.code == "invalid_api_key"
    for body in (b"{", b"[]", b'"x"', b'{"model": "louder", "model": "x"}', b"NaN", b"[" * 9_999):
        reply = service.client.post(
            "/v1/chat/completions", content=body, headers={"Content-Type": "application/json"}
        )
        assert reply.status_code == 400, body[:20]
        assert reply.json()["error"]["type"] == "invalid_request_error"
    missing = service.client.get("/v1/nothing")
    assert (missing.status_code, set(missing.json()["error"])) == (404, {
        "message", "type", "param", "code"
    })  # fmt: skip


@pytest.mark.long("the real command")
def test_a_run_that_fails_is_not_tried_again(service: Serving, client: openai.OpenAI) -> None:
    def runs() -> int:
        return len(service.get("/api/runs?limit=1000")["runs"])

    before = runs()
    with pytest.raises(openai.InternalServerError, match="'rain' is on fire") as failed:
        client.chat.completions.create(model="fails", messages=user("rain"))
    assert failed.value.code == "run_failed"
    with pytest.raises(openai.APIError, match="'rain' is on fire"):
        list(client.chat.completions.create(model="fails", messages=user("rain"), stream=True))
    assert runs() == before + 2
    headers = {"Idempotency-Key": "one"}
    for _ in range(2):
        client.chat.completions.create(model="louder", messages=user("once"), extra_headers=headers)
    assert runs() == before + 3


@pytest.mark.long("the real command")
def test_a_client_that_goes_away_ends_its_run(service: Serving) -> None:
    """In the middle of a stream, and of a request whose whole answer it waits for."""
    for number, stream in enumerate((True, False), 1):
        body = {"model": "slow", "messages": user("300"), "stream": stream,
                "inputs": {"seconds": 300}}  # fmt: skip
        with httpx.Client(base_url=service.url, headers=bearer(TOKEN), timeout=3) as leaving:
            try:
                with leaving.stream("POST", "/v1/chat/completions", json=body) as reply:
                    assert reply.status_code == 200, reply.read()
                    lines = reply.iter_lines()  # the connection is closed when it is given up
                    next(lines)
                    noted(service, "begun", number)
            except httpx.ReadTimeout:
                assert not stream
        noted(service, "stopped", number)
        run = log(service.folder).split("begun ")[number].split()[0]
        service.until(run, "cancelled")


@pytest.mark.long("the real command")
def test_langchain_talks_to_a_flow(service: Serving) -> None:
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
    from langchain_openai import ChatOpenAI

    model = ChatOpenAI(
        model="csv_chat", base_url=f"{service.url}/v1", api_key=lambda: TOKEN, temperature=0
    )
    talk = [SystemMessage("Be brief."), HumanMessage("What is the total amount?")]
    first = model.invoke(talk)
    assert "The total amount is 45." in first.text
    then = model.invoke([*talk, AIMessage(first.text), HumanMessage("And for shop A?")])
    assert "15" in then.text
    assert then.response_metadata["finish_reason"] == "stop"
    pieces = [each.text for each in model.stream("What is the total amount?")]
    assert "The total amount is 45." in "".join(pieces)
    with pytest.raises(openai.BadRequestError, match="tools is not offered"):
        model.bind_tools([{"name": "x", "description": "x", "parameters": {}}]).invoke("hello")


@pytest.mark.long("the real command")
def test_requests_of_open_webui_are_understood(service: Serving) -> None:
    listed = service.get("/v1/models")["data"]
    assert {"id", "object", "created", "owned_by", "name"} <= set(listed[0])
    for case in OPEN_WEBUI:
        reply = service.post(case["path"], case["body"])
        assert reply.status_code == case["status"], (case["what"], reply.text)
        assert case["says"] in said_in(reply), case["what"]


def said_in(reply: httpx.Response) -> str:
    """The text of an answer, whole or in pieces, or of an error."""
    if not reply.headers["content-type"].startswith("text/event-stream"):
        found = reply.json()
        text = found["error"]["message"] if "error" in found else (
            found["choices"][0]["message"]["content"]
        )  # fmt: skip
        return str(text)
    lines = [each.removeprefix("data: ") for each in reply.text.splitlines()]
    chunks = [json.loads(each) for each in lines if each.startswith("{")]
    assert "[DONE]" in lines
    return "".join(
        each["choices"][0]["delta"].get("content", "") for each in chunks if each["choices"]
    )


def user(text: str) -> list[ChatCompletionMessageParam]:
    return [{"role": "user", "content": text}]


def assistant(text: str) -> ChatCompletionMessageParam:
    return {"role": "assistant", "content": text}


def says(
    client: openai.OpenAI,
    model: str,
    talk: list[ChatCompletionMessageParam],
    *,
    stream: bool = False,
    inputs: dict[str, Any] | None = None,
) -> str:
    """What a model says next."""
    more = {"inputs": inputs} if inputs else {}
    if stream:
        chunks = client.chat.completions.create(
            model=model, messages=talk, stream=True, extra_body=more
        )
        return "".join(each.choices[0].delta.content or "" for each in chunks)
    found = client.chat.completions.create(model=model, messages=talk, extra_body=more)
    return found.choices[0].message.content or ""


def open_client(served: Serving) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{served.url}/v1", api_key=TOKEN, timeout=60)


def noted(service: Serving, word: str, times: int) -> None:
    """Wait until the slow flow has noted a word so often."""
    for _ in range(300):
        if log(service.folder).count(word) == times:
            return
        time.sleep(0.1)
    raise AssertionError(log(service.folder) + service.log)
