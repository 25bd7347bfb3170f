"""Responses that were asked for before: each is a turn of a run, which is on the disk."""

from __future__ import annotations

from starlette.responses import Response

from flows.core.values import Values
from flows.errors import NotFound, StateConflict
from flows.services.hosting.service import RunService
from flows.web.openai.chat import has_failed, told_text
from flows.web.openai.errors import openai_error
from flows.web.openai.response_json import (
    ID,
    failed_json,
    message_json,
    response_json,
    status_of,
    turn_id_of,
    unknown_response,
    usage_json,
)
from flows.web.openai.turns import PastTurn, Turns
from flows.web.server.replies import JsonReply

_LIVE = {"queued": "queued", "running": "in_progress"}


async def read_response(service: RunService, response_id: str) -> Response:
    """A response as it stands now."""
    try:
        past = await Turns(service).past(turn_id_of(response_id))
    except NotFound:
        return unknown_response(response_id)
    return JsonReply(_told(past))


async def cancel_response(service: RunService, response_id: str) -> Response:
    """End the run of a response that is under way; one that is over cannot be cancelled."""
    turns = Turns(service)
    try:
        past = await turns.past(turn_id_of(response_id))
        if past.end is not None:
            said = f"The response {response_id!r} is over: it cannot be cancelled."
            return JsonReply(openai_error(400, said, "response_id"), 400)
        await service.cancel(past.turn.run_id)
        return JsonReply(_told(await turns.past(past.turn.id)))
    except NotFound:
        return unknown_response(response_id)
    except StateConflict as error:
        return JsonReply(openai_error(400, str(error), "response_id"), 400)


def refuse_deletion() -> Response:
    """The answer to whoever wants a response deleted: its run stays on the disk."""
    said = "Responses are not deleted: each is a run, which stays in the folder of runs."
    return JsonReply(openai_error(405, said, code="not_offered"), 405)


def _told(past: PastTurn) -> Values:
    turn, state, end = past
    model = state.stored.flow if state.stored is not None else ""
    began = state.record.place.began if state.record is not None else None
    before = {"previous_response_id": f"{ID}{turn.run_id}-{turn.number - 1}"} if turn.number else {}
    if end is None:
        status = _LIVE.get(state.status, state.status)
        return {**response_json(turn, model, status, None, None, began), **before}
    if state.status == "cancelled":
        return {**response_json(turn, model, "cancelled", None, usage_json(end), began), **before}
    if has_failed(end):
        failed = response_json(turn, model, "failed", None, usage_json(end), began)
        return {**failed_json(failed, end.reply.text), **before}
    message = message_json(turn, told_text(turn, end))
    whole = response_json(turn, model, status_of(end), message, usage_json(end), began)
    return {**whole, **before}
