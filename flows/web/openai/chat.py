"""`/v1/chat/completions`: a conversation goes on by a message, whole or in pieces."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from typing import Any, Final

from pydantic_core import to_json
from starlette.requests import Request
from starlette.responses import Response

from flows.config.redaction import redact, redact_pieces
from flows.core.values import Values
from flows.errors import FlowsError
from flows.services.hosting.service import RunService
from flows.services.hosting.stream import StreamItem
from flows.services.reply_markdown import question_markdown, reply_markdown
from flows.services.reply_step import reply_step
from flows.web.openai.errors import NO_RETRY, openai_error
from flows.web.openai.live import LiveTurn
from flows.web.openai.requests import CompletionRequest, Said, said_in, without_effect
from flows.web.openai.turns import Asker, ChatTurn, TurnEnd, Turns, waiting_question
from flows.web.server.access import check_open_runs
from flows.web.server.body import read_body
from flows.web.server.event_stream import PING, EventStream
from flows.web.server.replies import JsonReply

DONE: Final = "[DONE]"
FAILED: Final = "run_failed"
_PIECE: Final = re.compile(r"\s*\S+\s*")
_WORDS: Final = 8  # words of a piece of a streamed text
_GONE: Final = 499
_WITHOUT_REPLY: Final = ("failed", "cancelled", "interrupted", "damaged")


async def complete_chat(service: RunService, request: Request) -> Response:
    """The answer to a request for a completion."""
    sent = await read_body(request, CompletionRequest, without_effect)
    said = said_in(sent.messages)
    turns = Turns(service)
    asker = asker_of(service, request, sent.model, sent.inputs)
    if sent.stream:
        live = LiveTurn(reply_step(asker.flow.plan.flow), progress=sent.progress != "none")
        turn = await turns.begin(replace(asker, listener=live), said)
        return EventStream(_pieces(service, turns, asker, sent, said, turn, live), PING)
    turn = await turns.begin(asker, said)
    end = await end_or_leave(turns, turn, request)
    if end is None:
        return Response(status_code=_GONE)
    if has_failed(end):
        return failure_reply(end)
    text = told_text(turn, end)
    await turns.note(asker, said, text, end)
    message = {"role": "assistant", "content": text, "refusal": None}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish_of(end)}
    head = _head(turn, sent.model, "chat.completion")
    return JsonReply({**head, "choices": [choice], "usage": usage_of(end)})


def asker_of(service: RunService, request: Request, model: str, inputs: Values) -> Asker:
    """Whose request it is, for which flow. Errors: `NotFound`, `QueueFull`."""
    flow = service.flow(model)
    access = request.state.access
    check_open_runs(service, access)
    return Asker(access.name, flow, inputs, request.headers.get("idempotency-key"))


async def end_or_leave(turns: Turns, turn: ChatTurn, request: Request) -> TurnEnd | None:
    """The end of a turn; None where the client went away, whose run is cancelled."""
    ending = asyncio.create_task(turns.end(turn))
    leaving = asyncio.create_task(_left(request))
    try:
        await asyncio.wait({ending, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if ending.done():
            return ending.result()
        await turns.cancel(turn.run_id)
        return None
    finally:
        for task in (ending, leaving):
            task.cancel()
        await asyncio.gather(ending, leaving, return_exceptions=True)


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _pieces(
    service: RunService,
    turns: Turns,
    asker: Asker,
    sent: CompletionRequest,
    said: Sequence[Said],
    turn: ChatTurn,
    live: LiveTurn,
) -> AsyncGenerator[StreamItem, None]:
    """The chunks of a stream. A client that goes away cancels the run."""
    head = _head(turn, sent.model, "chat.completion.chunk")
    is_over = False
    try:
        yield _chunk(head, {"role": "assistant", "content": ""})
        field = "content" if sent.progress == "content" else "reasoning_content"
        shown = ""  # in the content, before the reply
        async for part in live.parts(service, turn.run_id):
            if part.is_reply:
                blank = "\n" if shown and not shown.endswith("\n\n") else ""
                shown += blank
                yield _chunk(head, {"content": f"{blank}{part.text}"})
                continue
            text = f"> {part.text}\n" if field == "content" else f"{part.text}\n"
            shown += text if field == "content" else ""
            yield _chunk(head, {field: text})
        end = await turns.end(turn)
        is_over = True
        if has_failed(end):
            yield _item(openai_error(500, _reason(end), code=FAILED))
            return
        text = told_text(turn, end)
        if shown and not live.reply.shown:
            shown += "\n"
            yield _chunk(head, {"content": "\n"})
        rest = live.reply.rest(text)
        await turns.note(asker, said, f"{shown}{live.reply.shown}{rest}", end)
        for piece in pieces_of(rest):
            yield _chunk(head, {"content": piece})
        yield _chunk(head, {}, finish_of(end))
        if sent.stream_options is not None and sent.stream_options.include_usage:
            yield _item({**head, "choices": [], "usage": usage_of(end)})
        yield StreamItem(None, DONE, last=True)
    except FlowsError as error:
        is_over = True
        yield _item(openai_error(500, redact_pieces(str(error)), code=FAILED))
    finally:
        if not is_over:
            await turns.cancel(turn.run_id)


def pieces_of(text: str) -> list[str]:
    """A text in pieces of a few words, which make it again."""
    words = _PIECE.findall(text) or ([text] if text else [])
    return ["".join(words[at : at + _WORDS]) for at in range(0, len(words), _WORDS)]


def told_text(turn: ChatTurn, end: TurnEnd) -> str:
    """The assistant's message: the reply, or why the answer was none, and the question again."""
    question = waiting_question(end.state)
    if turn.refused and question is not None:
        return f"{redact(turn.refused)}\n\n{question_markdown(question)}"
    return reply_markdown(end.reply)


def has_failed(end: TurnEnd) -> bool:
    """Whether a turn came to no reply: it failed, or somebody has ended it."""
    return end.state.status in _WITHOUT_REPLY


def finish_of(end: TurnEnd) -> str:
    """Why the message ended: at a limit of the run, or by itself."""
    return "length" if end.state.status == "unfinished" else "stop"


def usage_of(end: TurnEnd) -> Values:
    """The tokens of the models that the turn asked; none where it asked none."""
    given, made = end.usage.input_tokens or 0, end.usage.output_tokens or 0
    return {"prompt_tokens": given, "completion_tokens": made, "total_tokens": given + made}


def failure_reply(end: TurnEnd) -> Response:
    """The answer where the run failed; not one to try again by itself."""
    return JsonReply(openai_error(500, _reason(end), code=FAILED), 500, headers=NO_RETRY)


def _reason(end: TurnEnd) -> str:
    return redact_pieces(f"{end.reply.text} (run {end.state.run_id})")


def _head(turn: ChatTurn, model: str, kind: str) -> Values:
    run = {"id": f"chatcmpl-{turn.id}", "object": kind, "created": int(time.time())}
    return {**run, "model": model, "system_fingerprint": None}


def _chunk(head: Values, delta: Values, finish: str | None = None) -> StreamItem:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return _item({**head, "choices": [choice]})


def _item(values: Any) -> StreamItem:
    return StreamItem(None, to_json(values).decode())
