"""`/v1/responses`, a subset: texts in, a text out, and what was said before by an id."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Sequence
from typing import Any, Final

from pydantic_core import to_json
from starlette.requests import Request
from starlette.responses import Response

from flows.config.redaction import redact_pieces
from flows.core.values import Values
from flows.errors import ConfigError, FlowsError, NotFound
from flows.services.hosting.service import RunService
from flows.services.hosting.stream import StreamItem
from flows.web.openai.chat import (
    FAILED,
    asker_of,
    end_or_leave,
    failure_reply,
    finish_of,
    pieces_of,
    told_text,
    usage_of,
)
from flows.web.openai.requests import ResponseRequest, Said, said_in_input, without_effect
from flows.web.openai.turns import Asker, ChatTurn, TurnEnd, Turns
from flows.web.server.body import read_body
from flows.web.server.event_stream import PING, EventStream
from flows.web.server.replies import JsonReply

ID: Final = "resp_"
_GONE: Final = 499


async def create_response(service: RunService, request: Request) -> Response:
    """The answer to a request for a response."""
    sent = await read_body(request, ResponseRequest, without_effect)
    said = said_in_input(sent)
    if sent.instructions:
        said = (Said("system", sent.instructions), *said)
    turns = Turns(service)
    asker = asker_of(service, request, sent.model, sent.inputs)
    turn = await _begin(turns, asker, sent, said)
    if sent.stream:
        return EventStream(_events(turns, asker, sent, said, turn), PING)
    end = await end_or_leave(turns, turn, request)
    if end is None:
        return Response(status_code=_GONE)
    if end.state.status == "failed":
        return failure_reply(end)
    text = told_text(turn, end)
    await turns.note(asker, said, text, end)
    return JsonReply(_response(sent, turn, _status(end), _message(turn, text), _usage(end)))


async def _begin(
    turns: Turns, asker: Asker, sent: ResponseRequest, said: Sequence[Said]
) -> ChatTurn:
    before = sent.previous_response_id
    if before is None:
        return await turns.begin(asker, said)
    if not before.startswith(ID):
        raise NotFound(f"there is no response {before!r}")
    texts = [each.text for each in said if each.role == "user"]
    if not texts:
        raise ConfigError("there is no message of the user", path="input")
    return await turns.resume(asker, before.removeprefix(ID), "\n\n".join(texts))


async def _events(
    turns: Turns, asker: Asker, sent: ResponseRequest, said: Sequence[Said], turn: ChatTurn
) -> AsyncGenerator[StreamItem, None]:
    """The events of a stream. A client that goes away cancels the run."""
    number = iter(range(1 << 30))

    def event(kind: str, **more: Any) -> StreamItem:
        values = {"type": kind, "sequence_number": next(number), **more}
        return StreamItem(None, to_json(values).decode())

    is_over = False
    try:
        begun = _response(sent, turn, "in_progress", None, None)
        yield event("response.created", response=begun)
        yield event("response.in_progress", response=begun)
        end = await turns.end(turn)
        is_over = True
        if end.state.status == "failed":
            yield event("response.failed", response=_failed(begun, end.reply.text))
            return
        text = told_text(turn, end)
        await turns.note(asker, said, text, end)
        message = _message(turn, text)
        at = {"item_id": message["id"], "output_index": 0, "content_index": 0}
        empty = {**message, "status": "in_progress", "content": []}
        yield event("response.output_item.added", output_index=0, item=empty)
        yield event("response.content_part.added", **at, part=_part(""))
        for piece in pieces_of(text):
            yield event("response.output_text.delta", **at, delta=piece, logprobs=[])
        yield event("response.output_text.done", **at, text=text, logprobs=[])
        yield event("response.content_part.done", **at, part=_part(text))
        yield event("response.output_item.done", output_index=0, item=message)
        whole = _response(sent, turn, _status(end), message, _usage(end))
        yield event(f"response.{whole['status']}", response=whole)
    except FlowsError as error:
        is_over = True
        failed = _failed(_response(sent, turn, "failed", None, None), str(error))
        yield event("response.failed", response=failed)
    finally:
        if not is_over:
            await turns.cancel(turn.run_id)


def _response(
    sent: ResponseRequest, turn: ChatTurn, status: str, message: Values | None, usage: Values | None
) -> Values:
    incomplete = {"reason": "max_output_tokens"} if status == "incomplete" else None
    return {
        "id": f"{ID}{turn.id}", "object": "response", "created_at": int(time.time()),
        "status": status, "error": None, "incomplete_details": incomplete,
        "instructions": sent.instructions, "metadata": {}, "model": sent.model,
        "output": [message] if message is not None else [], "parallel_tool_calls": False,
        "previous_response_id": sent.previous_response_id, "store": True, "temperature": None,
        "text": {"format": {"type": "text"}}, "tool_choice": "none", "tools": [], "top_p": None,
        "usage": usage,
    }  # fmt: skip


def _message(turn: ChatTurn, text: str) -> Values:
    head = {"id": f"msg_{turn.id}", "type": "message", "status": "completed"}
    return {**head, "role": "assistant", "content": [_part(text)]}


def _part(text: str) -> Values:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _status(end: TurnEnd) -> str:
    return "incomplete" if finish_of(end) == "length" else "completed"


def _usage(end: TurnEnd) -> Values:
    used = usage_of(end)
    return {
        "input_tokens": used["prompt_tokens"],
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": used["completion_tokens"],
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": used["total_tokens"],
    }


def _failed(response: Values, reason: str) -> Values:
    error = {"code": "server_error", "message": f"{FAILED}: {redact_pieces(reason)}"}
    return {**response, "status": "failed", "error": error}
