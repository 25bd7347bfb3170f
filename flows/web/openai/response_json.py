"""Responses as OpenAI's API writes them."""

from __future__ import annotations

import time
from typing import Final

from starlette.responses import Response

from flows.config.redaction import redact_pieces
from flows.core.values import Values
from flows.errors import NotFound
from flows.web.openai.chat import FAILED, finish_of, usage_of
from flows.web.openai.errors import openai_error
from flows.web.openai.turns import ChatTurn, TurnEnd
from flows.web.server.replies import JsonReply

ID: Final = "resp_"
_BEFORE: Final = "previous_response_id"


def turn_id_of(response_id: str) -> str:
    """The id of the turn that a response is of. Errors: `NotFound`."""
    if not response_id.startswith(ID):
        raise NotFound(f"there is no response {response_id!r}")
    return response_id.removeprefix(ID)


def unknown_before(response_id: str | None) -> Response:
    """The error of a request that goes on with a response that there is not."""
    said = f"Previous response with id {response_id!r} not found."
    return JsonReply(openai_error(400, said, _BEFORE, "previous_response_not_found"), 400)


def unknown_response(response_id: str) -> Response:
    """The error of a request about a response that there is not."""
    said = f"Response with id {response_id!r} not found."
    return JsonReply(openai_error(404, said, "response_id", "response_not_found"), 404)


def response_json(
    turn: ChatTurn,
    model: str,
    status: str,
    message: Values | None,
    usage: Values | None,
    created: float | None = None,
) -> Values:
    """A response; `created` is in seconds since 1970, now without it."""
    incomplete = {"reason": "max_output_tokens"} if status == "incomplete" else None
    return {
        "id": f"{ID}{turn.id}", "object": "response", "created_at": int(created or time.time()),
        "status": status, "error": None, "incomplete_details": incomplete, "instructions": None,
        "metadata": {}, "model": model, "output": [message] if message is not None else [],
        "parallel_tool_calls": False, "previous_response_id": None, "store": True,
        "temperature": None, "text": {"format": {"type": "text"}}, "tool_choice": "none",
        "tools": [], "top_p": None, "usage": usage,
    }  # fmt: skip


def message_json(turn: ChatTurn, text: str) -> Values:
    """The one message of a response."""
    head = {"id": f"msg_{turn.id}", "type": "message", "status": "completed"}
    return {**head, "role": "assistant", "content": [part_json(text)]}


def part_json(text: str) -> Values:
    """The text of a message."""
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def status_of(end: TurnEnd) -> str:
    """How a response has ended that did not fail."""
    return "incomplete" if finish_of(end) == "length" else "completed"


def usage_json(end: TurnEnd) -> Values:
    """The tokens that a turn has used."""
    used = usage_of(end)
    return {
        "input_tokens": used["prompt_tokens"],
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": used["completion_tokens"],
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": used["total_tokens"],
    }


def failed_json(response: Values, reason: str) -> Values:
    """The response as one that has failed."""
    error = {"code": "server_error", "message": f"{FAILED}: {redact_pieces(reason)}"}
    return {**response, "status": "failed", "error": error}
