"""`/v1/responses`, a subset: texts in, a text out, and what was said before by an id."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from typing import Any, Final

from pydantic_core import to_json
from starlette.requests import Request
from starlette.responses import Response

from flows.core.values import Values
from flows.errors import ConfigError, FlowsError, NotFound
from flows.services.hosting.service import RunService
from flows.services.hosting.stream import StreamItem
from flows.services.reply_step import reply_step
from flows.web.openai.chat import (
    asker_of,
    end_or_leave,
    failure_reply,
    has_failed,
    pieces_of,
    told_text,
)
from flows.web.openai.live import LiveTurn
from flows.web.openai.requests import ResponseRequest, Said, said_in_input, without_effect
from flows.web.openai.response_json import (
    failed_json,
    message_json,
    part_json,
    response_json,
    status_of,
    turn_id_of,
    unknown_before,
    usage_json,
)
from flows.web.openai.turns import Asker, ChatTurn, Turns
from flows.web.server.body import read_body
from flows.web.server.event_stream import PING, EventStream
from flows.web.server.replies import JsonReply

_GONE: Final = 499


async def create_response(service: RunService, request: Request) -> Response:
    """The answer to a request for a response."""
    sent = await read_body(request, ResponseRequest, without_effect)
    said = said_in_input(sent)
    if sent.instructions:
        said = (Said("system", sent.instructions), *said)
    turns = Turns(service)
    asker = asker_of(service, request, sent.model, sent.inputs)
    path = reply_step(asker.flow.plan.flow) if sent.stream else None
    live = LiveTurn(path, progress=False)
    try:
        turn = await _begin(turns, replace(asker, listener=live), sent, said)
    except NotFound:
        return unknown_before(sent.previous_response_id)
    if sent.stream:
        return EventStream(_events(service, turns, asker, sent, said, turn, live), PING)
    end = await end_or_leave(turns, turn, request)
    if end is None:
        return Response(status_code=_GONE)
    if has_failed(end):
        return failure_reply(end)
    text = told_text(turn, end)
    await turns.note(asker, said, text, end)
    return JsonReply(
        _response(sent, turn, status_of(end), message_json(turn, text), usage_json(end))
    )


async def _begin(
    turns: Turns, asker: Asker, sent: ResponseRequest, said: Sequence[Said]
) -> ChatTurn:
    before = sent.previous_response_id
    if before is None:
        return await turns.begin(asker, said)
    texts = [each.text for each in said if each.role == "user"]
    if not texts:
        raise ConfigError("there is no message of the user", path="input")
    return await turns.resume(asker, turn_id_of(before), "\n\n".join(texts))


async def _events(
    service: RunService,
    turns: Turns,
    asker: Asker,
    sent: ResponseRequest,
    said: Sequence[Said],
    turn: ChatTurn,
    live: LiveTurn,
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
        empty = {**message_json(turn, ""), "status": "in_progress", "content": []}
        at = {"item_id": empty["id"], "output_index": 0, "content_index": 0}
        opening = [
            event("response.output_item.added", output_index=0, item=empty),
            event("response.content_part.added", **at, part=part_json("")),
        ]
        async for part in live.parts(service, turn.run_id):
            for each in opening:
                yield each
            opening = []
            yield event("response.output_text.delta", **at, delta=part.text, logprobs=[])
        end = await turns.end(turn)
        is_over = True
        if has_failed(end):
            yield event("response.failed", response=failed_json(begun, end.reply.text))
            return
        text = told_text(turn, end)
        for each in opening:
            yield each
        rest = live.reply.rest(text)
        text = f"{live.reply.shown}{rest}"
        await turns.note(asker, said, text, end)
        message = message_json(turn, text)
        for piece in pieces_of(rest):
            yield event("response.output_text.delta", **at, delta=piece, logprobs=[])
        yield event("response.output_text.done", **at, text=text, logprobs=[])
        yield event("response.content_part.done", **at, part=part_json(text))
        yield event("response.output_item.done", output_index=0, item=message)
        whole = _response(sent, turn, status_of(end), message, usage_json(end))
        yield event(f"response.{whole['status']}", response=whole)
    except FlowsError as error:
        is_over = True
        failed = failed_json(_response(sent, turn, "failed", None, None), str(error))
        yield event("response.failed", response=failed)
    finally:
        if not is_over:
            await turns.cancel(turn.run_id)


def _response(
    sent: ResponseRequest, turn: ChatTurn, status: str, message: Values | None, usage: Values | None
) -> Values:
    said = {"instructions": sent.instructions, "previous_response_id": sent.previous_response_id}
    return {**response_json(turn, sent.model, status, message, usage), **said}
