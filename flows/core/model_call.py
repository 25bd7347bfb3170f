"""One call of a model: reserved in the budgets, recorded before it is sent, counted after."""

from __future__ import annotations

import sys
from time import perf_counter

from pydantic_core import to_json

from flows.core.chat import ChatModel, ChatReply, ChatRequest, Usage
from flows.core.events import ModelCalled
from flows.core.limits import Worst
from flows.core.pictures import with_pictures
from flows.core.recording import body_digest
from flows.core.scope import CallScope


async def ask_model(scope: CallScope, model: ChatModel, request: ChatRequest) -> ChatReply:
    """Ask a model: claimed from the budgets, recorded before it is sent, counted after.

    Errors: `LimitReached` before anything is sent; `ModelError`.
    """
    session = scope.session
    meter = session.meter
    request = meter.bounded(with_pictures(request, scope.read_picture), model)
    worst = meter.worst_of(request, model)
    meter.claim(worst)
    if session.turns is not None and not model.free:
        await session.turns.wait(model.name)
    if session.journal is not None:
        body = model.body(request)
        await session.journal.write(
            "call", scope.address, body_digest(body), _call_text(scope, model, request, worst)
        )
    used = Usage(model_calls=1)
    reply: ChatReply | None = None
    started = perf_counter()
    try:
        reply = await model.reply(request, scope.stream)
        used = meter.priced(reply.usage, model)
    finally:
        meter.release(worst)
        scope.spend(used)
        _tell_call(scope, model, request, reply, used, started)
    return reply.model_copy(update={"usage": used})


def _tell_call(
    scope: CallScope,
    model: ChatModel,
    request: ChatRequest,
    reply: ChatReply | None,
    used: Usage,
    started: float,
) -> None:
    """Tell of a call that is over; without a reply the error is on its way."""
    session = scope.session
    if session.listeners:
        session.emit(
            ModelCalled(
                session.run_id,
                session.next_seq(),
                scope.address,
                scope.round,
                kind=type(model).__name__,
                model=model.name,
                answered_as=reply.model if reply else "",
                messages=request.messages,
                text=reply.text if reply else "",
                finish=reply.finish if reply else "",
                error="" if reply else type(sys.exception()).__name__,
                usage=used,
                elapsed_ms=(perf_counter() - started) * 1000.0,
                tool_calls=reply.tool_calls if reply else (),
            )
        )


def _call_text(scope: CallScope, model: ChatModel, request: ChatRequest, worst: Worst) -> str:
    """What is recorded of a call: nothing that the record holds already, so the prompt only
    when it is not that of the flow's call before."""
    body: dict[str, object] = {"model": model.name, "worst": worst._asdict()}
    if request.max_tokens is not None:
        body["max_tokens"] = request.max_tokens
    system = "".join(each.content for each in request.messages if each.role == "system")
    path = scope.flow.path if scope.flow is not None else ""
    if scope.session.prompts.get(path) != system:
        scope.session.prompts[path] = body["system"] = system
    return to_json(body).decode()
