"""An answer in OpenAI's JSON: whole, or as the events of a stream."""

from __future__ import annotations

import json
from collections.abc import Iterator

from flows.models.fake.answer import FakeAnswer, Json

HALF_AN_EVENT = '{"id": "chat-1", "choices": [{"index": 0, "delta": {"cont'


def events(answer: FakeAnswer, request: Json) -> Iterator[str]:
    """The data of each event of a stream, in order."""
    yield from _said(answer, request)
    if answer.stream_error is not None:
        yield json.dumps({"error": answer.stream_error})
    if answer.cut == "json":
        yield HALF_AN_EVENT
    elif answer.cut != "no":
        return
    if answer.choices and answer.finish is not None:
        yield _chunk(request, [_choice({}, answer.finish)])
    options = request.get("stream_options")
    wants_usage = isinstance(options, dict) and options.get("include_usage")
    if answer.usage is not None and wants_usage:
        yield _chunk(request, [], usage=_usage(answer.usage))
    if answer.end_marker:
        yield "[DONE]"


def _said(answer: FakeAnswer, request: Json) -> Iterator[str]:
    if not answer.choices:
        return
    yield _chunk(request, [_choice({"role": "assistant", "content": ""})])
    if answer.message is not None:
        yield _chunk(request, [_choice(answer.message)])
        return
    while True:
        for piece in answer.in_pieces():
            yield _chunk(request, [_choice({"content": piece})])
        if not answer.endless:
            break
    for delta in _call_pieces(answer, request):
        yield _chunk(request, [_choice({"tool_calls": [delta]})])


def _call_pieces(answer: FakeAnswer, request: Json) -> Iterator[Json]:
    for index, call in enumerate(_calls(answer, request)):
        function = call["function"]
        yield {"index": index, **call, "function": {**function, "arguments": ""}}
        for piece in answer.cut_up(function["arguments"]):
            yield {"index": index, "function": {"arguments": piece}}


def _calls(answer: FakeAnswer, request: Json) -> list[Json]:
    """The calls as a whole message has them. The messages before make their ids unique."""
    before = len(request["messages"])
    return [
        {
            "id": each.id or f"call_{before}_{number}",
            "type": "function",
            "function": {"name": each.name, "arguments": each.arguments},
        }
        for number, each in enumerate(answer.tool_calls, start=1)
    ]


def whole(answer: FakeAnswer, request: Json) -> Json:
    """The answer as one completion, or as its error object."""
    if answer.stream_error is not None:
        return {"error": answer.stream_error}
    message = answer.message or {"role": "assistant", "content": answer.text}
    if answer.tool_calls:
        calls = _calls(answer, request)
        message = {**message, "content": answer.text or None, "tool_calls": calls}
    choice = {"index": 0, "message": message, "finish_reason": answer.finish}
    found: Json = {
        "id": "chat-1",
        "object": "chat.completion",
        "created": 1,
        "model": request["model"],
        "choices": [choice] if answer.choices else [],
    }
    return found if answer.usage is None else {**found, "usage": _usage(answer.usage)}


def endless_whole(answer: FakeAnswer) -> Iterator[str]:
    """A completion whose text never ends, in parts."""
    yield '{"id": "chat-1", "object": "chat.completion", "choices": [{"index": 0, '
    yield '"message": {"role": "assistant", "content": "'
    while True:
        for piece in answer.in_pieces():
            yield json.dumps(piece)[1:-1]


def models() -> Json:
    """The list of models: the one that there is."""
    return {"object": "list", "data": [{"id": "fake", "object": "model", "owned_by": "flows"}]}


def _chunk(request: Json, choices: list[Json], usage: Json | None = None) -> str:
    chunk: Json = {"id": "chat-1", "object": "chat.completion.chunk", "created": 1}
    chunk |= {"model": request["model"], "choices": choices}
    return json.dumps(chunk if usage is None else {**chunk, "usage": usage})


def _choice(delta: Json, finish: str | None = None) -> Json:
    return {"index": 0, "delta": delta, "finish_reason": finish}


def _usage(tokens: tuple[int, int]) -> Json:
    prompt, completion = tokens
    total = prompt + completion
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total}
