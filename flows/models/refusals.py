"""What an endpoint refuses of a request: found out once, and left out from then on.

A refusal is named by what was refused:

stream_options                       usage in streams; it is left out
max_tokens                           sent under its newer name, max_completion_tokens
response_format strict NAME          the schema NAME; it is sent, and not as a strict one
response_format json_schema [NAME]   the schema NAME, or all schemas; JSON mode is asked for, after
                                     all schemas with the schema in it
response_format schema               the schema in JSON mode; JSON mode is asked for without
response_format json_object          JSON mode; only the prompt asks for JSON
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

_USAGE: Final = "stream_options"
_LIMIT, _NEWER_LIMIT = "max_tokens", "max_completion_tokens"
_FORMAT: Final = "response_format"
_STRICT: Final = f"{_FORMAT} strict"
SCHEMA_REFUSED: Final = f"{_FORMAT} json_schema"
_IN_JSON_MODE: Final = f"{_FORMAT} schema"
JSON_MODE_REFUSED: Final = f"{_FORMAT} json_object"
_JSON_MODE: Final = {"type": "json_object"}
# Words by which an endpoint says what it means, in small letters.
_OF_USAGE: Final = (_USAGE, "include_usage")
_OF_FORMAT: Final = (
    _FORMAT, "response format", "json_schema", "json_object", "json mode", "structured output",
)  # fmt: skip
_OF_ONE_SCHEMA: Final = "invalid schema"

Parameters = Mapping[str, Any]
# By the address of the endpoint and the name of the model.
_KNOWN: dict[tuple[str, str], set[str]] = {}
_DISREGARDED: ContextVar[bool] = ContextVar("refusals_disregarded", default=False)


def known_refusals(address: str, model: str) -> set[str]:
    """What the endpoint has refused in this process; what is added to it stays."""
    if _DISREGARDED.get():
        return set()
    return _KNOWN.setdefault((address, model), set())


@contextmanager
def refusals_disregarded() -> Iterator[None]:
    """Requests are made inside of it as if nothing had been refused in this process."""
    token = _DISREGARDED.set(True)
    try:
        yield
    finally:
        _DISREGARDED.reset(token)


def forget_refusals() -> None:
    """Know nothing of any endpoint, as a new process."""
    _KNOWN.clear()


def without(
    parameters: Parameters, refused: Collection[str], *, demands_json: bool = False
) -> dict[str, Any]:
    """The parameters as they are sent to an endpoint that has refused these things.

    `demands_json` never leaves JSON mode out.
    """
    sent: dict[str, Any] = {}
    for name, value in parameters.items():
        if name == _FORMAT:
            form = _accepted_form(value, refused)
            if demands_json or _is_schema(form) or _may_be_json(parameters, refused):
                sent[name] = form
        elif name == _LIMIT and name in refused:
            sent[_NEWER_LIMIT] = value
        elif name != _USAGE or name not in refused:
            sent[name] = value
    return sent


def _accepted_form(form: Parameters, refused: Collection[str]) -> Parameters:
    """The form of the reply: of a schema, if the endpoint has not refused that, else JSON."""
    schema = form.get("json_schema")
    if schema is None:
        return form
    if SCHEMA_REFUSED in refused and _IN_JSON_MODE not in refused:
        return {**_JSON_MODE, "schema": schema["schema"]}
    if SCHEMA_REFUSED in refused or f"{SCHEMA_REFUSED} {schema['name']}" in refused:
        return _JSON_MODE
    strict = schema["strict"] and f"{_STRICT} {schema['name']}" not in refused
    return {**form, "json_schema": {**schema, "strict": strict}}


def _is_schema(form: Parameters) -> bool:
    return bool(form["type"] == "json_schema")


def _may_be_json(parameters: Parameters, refused: Collection[str]) -> bool:
    """Whether JSON mode can be asked for. OpenAI refuses it when no message says the word, which
    says nothing about other requests."""
    said = any("json" in str(each["content"]).casefold() for each in parameters["messages"])
    return said and JSON_MODE_REFUSED not in refused


def refusals_of(sent: Parameters) -> tuple[str, ...]:
    """What an endpoint may refuse of these parameters, and then of what is sent instead."""
    names: list[str] = []
    form = sent.get(_FORMAT, {})
    if schema := form.get("json_schema"):
        names += [f"{_STRICT} {schema['name']}"] if schema["strict"] else []
        names += [SCHEMA_REFUSED, _IN_JSON_MODE]
    elif "schema" in form:
        names += [_IN_JSON_MODE]
    if form:
        names += [JSON_MODE_REFUSED]
    return (*names, *(name for name in (_USAGE, _LIMIT) if name in sent))


def refusal_in(said: str, sent: Parameters) -> str | None:
    """What of the parameters an endpoint complains about that can be sent otherwise, or None."""
    said = said.casefold()
    if _USAGE in sent and any(sign in said for sign in _OF_USAGE):
        return _USAGE
    if _LIMIT in sent and _LIMIT in said and _NEWER_LIMIT in said:
        return _LIMIT
    form = sent.get(_FORMAT)
    if form is None or not any(sign in said for sign in _OF_FORMAT):
        return None
    schema = form.get("json_schema")
    if "schema" in form:
        return _IN_JSON_MODE
    if schema is None:
        return JSON_MODE_REFUSED
    if _OF_ONE_SCHEMA not in said:
        return SCHEMA_REFUSED
    return f"{_STRICT if schema['strict'] else SCHEMA_REFUSED} {schema['name']}"
