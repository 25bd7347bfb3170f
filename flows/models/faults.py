"""What a provider's refusal means: a status, a header or an error object becomes a ModelError."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any

from flows.config.redaction import redact_pieces
from flows.errors import (
    ModelError,
    ModelOverloaded,
    ModelRefused,
    ModelReplyInvalid,
    ModelUnreachable,
)

_SHOWN_CHARACTERS = 300
_CONTEXT_TOO_LONG = re.compile(
    r"context.?(length|size|window)|maximum context|prompt is too long|too many input tokens",
    re.IGNORECASE,
)
_NO_QUOTA = re.compile(r"insufficient.?(quota|balance|funds|credit)", re.IGNORECASE)
_PASSING = re.compile(r"rate.?limit|overload|server.?error|unavailable|capacity|timeout", re.I)
_UNREACHABLE = re.compile(r"connect|timeout|timedout|network|protocolerror|readerror", re.I)
# A server that does not know a part of a request may take that for a fault of its own, as
# llama.cpp did: a form of reply, functions, pictures.
_NOT_KNOWN = re.compile(
    r"response_format|json_schema|tools? param|image input is not supported", re.IGNORECASE
)
_EMPTY = re.compile(r"no generation", re.IGNORECASE)
_TRANSIENT_STATUSES = frozenset({408, 409, 425, 429})


def scrub(text: str) -> str:
    """A provider's words made fit for a message: no secret, no control character, short."""
    text = redact_pieces(text)
    if text.lstrip()[:1] == "<":
        return "an HTML page"
    words = "".join(each if each.isprintable() else " " for each in text).split()
    line = " ".join(words)
    return line if len(line) <= _SHOWN_CHARACTERS else line[:_SHOWN_CHARACTERS] + "..."


def error_from_status(
    status: int,
    body: str,
    headers: Mapping[str, str],
    *,
    where: str,
) -> ModelError:
    """The error that an HTTP answer of 300 or more means. `where` names the endpoint."""
    said = redact_pieces(_words(_parsed(body), body))
    shown = scrub(said)
    head = f"{where} answered {status}{_phrase(status)}" + (f": {shown}" if shown else "")
    if status in (400, 413, 422, 500) and _CONTEXT_TOO_LONG.search(said):
        return ModelRefused(f"the prompt is longer than the model's context: {head}")
    if status == 402 or (status in (403, 429) and _NO_QUOTA.search(said)):
        return ModelRefused(f"the account has no quota left: {head}")
    if status == 500 and _NOT_KNOWN.search(said):
        return ModelRefused(head, said=said)
    if status in _TRANSIENT_STATUSES or status >= 500:
        wait = retry_after(headers)
        asks = "" if wait is None else f"; it asks to wait {wait:.{0 if wait >= 10 else 1}f} s"
        return ModelOverloaded(head + asks, retry_after=wait)
    if status in (401, 403):
        return ModelRefused(f"the key is missing or not allowed: {head}")
    if status == 404:
        return ModelRefused(f"no such model or address (check model and base_url): {head}")
    if status in (400, 422):
        return ModelRefused(head, said=said)
    return ModelRefused(head)


def error_from_object(error: object, *, where: str, default: type[ModelError]) -> ModelError:
    """The error that an `error` object inside an answer of status 200 means.

    `default` is the class for one that names neither a status nor a known code.
    """
    said = _words({"error": error}, str(error))
    fields = error if isinstance(error, Mapping) else {}
    for name in ("code", "status"):
        status = fields.get(name)
        if isinstance(status, str) and status.isdecimal():
            status = int(status)
        if isinstance(status, int) and 400 <= status < 600:
            return error_from_status(status, said, {}, where=where)
    problem = f"{where} ended the reply with an error: {scrub(said)}"
    if _CONTEXT_TOO_LONG.search(said) or _NO_QUOTA.search(said):
        return ModelRefused(problem)
    return ModelOverloaded(problem) if _PASSING.search(said) else default(problem)


def error_from_vendor(error: Exception, *, where: str) -> ModelError:
    """The error that an exception of a provider's own package means.

    Most packages put the status, the answer and its body where the openai package puts them.
    """
    kind = type(error).__name__
    status = getattr(error, "status_code", None) or getattr(error, "code", None)
    response = getattr(error, "response", None)
    if isinstance(status, int) and 300 <= status < 600:
        said = json.dumps(getattr(error, "body", None), default=str)
        said = str(error) if said == "null" else said
        headers = getattr(response, "headers", None) or {}
        return error_from_status(status, said, headers, where=where)
    cause = f": {error.__cause__}" if error.__cause__ is not None else ""
    problem = f"{where}: {kind}: {scrub(str(error) + cause)}"
    if isinstance(error, OSError | EOFError) or _UNREACHABLE.search(kind):
        return ModelUnreachable(problem)
    if isinstance(getattr(error, "body", None), Mapping):
        body = vars(error)["body"]
        return error_from_object(body, where=where, default=ModelReplyInvalid)
    if _EMPTY.search(str(error)) or isinstance(error, json.JSONDecodeError | UnicodeDecodeError):
        return ModelReplyInvalid(problem)
    return ModelError(problem)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the endpoint asks to wait, or None; a date in the past is 0."""
    for name, divisor in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        seconds = _seconds(value.strip(), divisor)
        if seconds is not None:
            return seconds
    return None


def _seconds(value: str, divisor: float) -> float | None:
    if re.fullmatch(r"\d{1,9}(\.\d*)?", value):
        return float(value) / divisor
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None


def not_a_reply(where: str, body: str) -> ModelReplyInvalid:
    """The error for an answer of status 200 that is not a chat completion."""
    shown = scrub(body) or "nothing"
    return ModelReplyInvalid(
        f"{where} did not answer with a chat completion but with {shown}; "
        "is base_url the address of an OpenAI-compatible API (it often ends in /v1)?"
    )


def _phrase(status: int) -> str:
    try:
        return f" {HTTPStatus(status).phrase}"
    except ValueError:
        return ""


def _parsed(body: str) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _words(answer: Any, otherwise: str) -> str:
    """The code, the parameter and the message of an error object, as one text."""
    error = answer.get("error", answer) if isinstance(answer, Mapping) else answer
    if isinstance(error, str):
        return error
    if not isinstance(error, Mapping):
        return otherwise
    named = [error.get(name) for name in ("message", "detail", "code", "type", "param")]
    words = [str(each) for each in named if each not in (None, "")]
    return " | ".join(words) if words else otherwise
