"""Kinds of endpoints: which forms of reply each takes, and how it words its refusal of the others.

openai        both forms; of a strict schema it wants all properties required and no others
older_openai  JSON mode alone, as gpt-4-turbo
first_openai  neither, as gpt-4
deepseek      JSON mode alone
lm_studio     schemas alone
llama_cpp     JSON mode, which may hold a schema; it takes a form that it does not know for a fault
              of its own, with status 500
llama_cpp_python  the same, with the words of a validator and status 422
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Literal

from flows.models.fake.answer import ClientRequest, FakeAnswer, error_body

EndpointName = Literal[
    "openai",
    "older_openai",
    "first_openai",
    "deepseek",
    "lm_studio",
    "llama_cpp",
    "llama_cpp_python",
]
_NOTE: Final = "form of reply refused"


def refused_form(kind: EndpointName, request: ClientRequest) -> FakeAnswer | None:
    """How an endpoint of that kind refuses the form of reply that is asked for; None if it takes
    it, or if none is asked for."""
    form = request.body.get("response_format")
    return ENDPOINTS[kind](form, request) if isinstance(form, dict) else None


def _openai(form: Mapping[str, Any], request: ClientRequest) -> FakeAnswer | None:
    if form.get("type") == "json_object":
        if "schema" in form:
            return _refusal("Unknown parameter: 'response_format.schema'.")
        return _json_mode_without_the_word(request)
    given = form.get("json_schema")
    if form.get("type") != "json_schema" or not isinstance(given, dict) or not given.get("name"):
        return _refusal("Missing required parameter: 'response_format.json_schema'.")
    if not given.get("strict"):
        return None
    schema = given.get("schema")
    problem = next(_not_strict(schema, (), schema), "")
    where = f"Invalid schema for response_format '{given['name']}'"
    return _refusal(f"{where}: {problem}") if problem else None


def _json_mode_without_the_word(request: ClientRequest) -> FakeAnswer | None:
    messages = request.body.get("messages") or []
    if any("json" in str(each.get("content")).casefold() for each in messages):
        return None
    return _refusal(
        "'messages' must contain the word 'json' in some form, to use 'response_format' of type "
        "'json_object'."
    )


def _older_openai(form: Mapping[str, Any], request: ClientRequest) -> FakeAnswer | None:
    return _openai(form, request) if form.get("type") == "json_object" else _of_this_model(form)


def _first_openai(form: Mapping[str, Any], request: ClientRequest) -> FakeAnswer | None:
    del request
    return _of_this_model(form)


def _of_this_model(form: Mapping[str, Any]) -> FakeAnswer:
    kind = form.get("type")
    more = (
        " Learn more about supported models at the Structured Outputs guide: "
        "https://platform.openai.com/docs/guides/structured-outputs"
    )
    return _refusal(
        f"Invalid parameter: 'response_format' of type '{kind}' is not supported with this model."
        f"{more if kind == 'json_schema' else ''}"
    )


def _deepseek(form: Mapping[str, Any], request: ClientRequest) -> FakeAnswer | None:
    if form.get("type") == "json_object":
        return _openai(form, request)
    message = "This response_format type is unavailable now"
    return FakeAnswer(status=400, body=error_body(message, "invalid_request_error"), note=_NOTE)


def _lm_studio(form: Mapping[str, Any], request: ClientRequest) -> FakeAnswer | None:
    del request
    if form.get("type") == "json_schema":
        return None
    body = {"error": "'response_format.type' must be 'json_schema' or 'text'"}
    return FakeAnswer(status=400, body=body, note=_NOTE)


def _llama_cpp(form: Mapping[str, Any], request: ClientRequest) -> FakeAnswer | None:
    del request
    if form.get("type") == "json_object":
        return None
    message = 'response_format type must be one of "text" or "json_object", but got: json_schema'
    body = {"error": {"code": 500, "message": message, "type": "server_error"}}
    return FakeAnswer(status=500, body=body, note=_NOTE)


def _llama_cpp_python(form: Mapping[str, Any], request: ClientRequest) -> FakeAnswer | None:
    del request
    if form.get("type") == "json_object":
        return None
    message = (
        "[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'msg': \"Input "
        "should be 'text' or 'json_object'\", 'input': 'json_schema'}]"
    )
    body = error_body(message, "invalid_request_error")
    return FakeAnswer(status=422, body=body, note=_NOTE)


ENDPOINTS: Final[
    Mapping[EndpointName, Callable[[Mapping[str, Any], ClientRequest], FakeAnswer | None]]
] = {
    "openai": _openai,
    "older_openai": _older_openai,
    "first_openai": _first_openai,
    "deepseek": _deepseek,
    "lm_studio": _lm_studio,
    "llama_cpp": _llama_cpp,
    "llama_cpp_python": _llama_cpp_python,
}


def _refusal(message: str) -> FakeAnswer:
    return FakeAnswer(
        status=400, body=error_body(message, None, param="response_format"), note=_NOTE
    )


_STRICT_KEYWORDS: Final = frozenset(
    {
        "type", "properties", "required", "additionalProperties", "items", "enum", "const",
        "anyOf", "$ref", "$defs", "description", "title",
    }
)  # fmt: skip


def _not_strict(schema: Any, at: tuple[str, ...], root: Any) -> Iterator[str]:
    """What strict mode has against a schema, in OpenAI's words; `at` is the place."""
    where = f"In context={at}"
    if not isinstance(schema, dict) or not schema.keys() & {"type", "anyOf", "$ref", "enum"}:
        yield f"{where}, schema must have a 'type' key."
        return
    if schema is root and schema.get("type") != "object":
        given = schema.get("type")
        yield f"schema must be a JSON Schema of 'type: \"object\"', got 'type: \"{given}\"'."
    for keyword in sorted(schema.keys() - _STRICT_KEYWORDS):
        yield f"{where}, '{keyword}' is not permitted."
    if schema.get("type") == "object":
        yield from _object_not_strict(schema, where)
    for keyword in ("properties", "$defs"):
        for name, each in schema.get(keyword, {}).items():
            yield from _not_strict(each, (*at, keyword, name), root)
    if schema.get("type") == "array":
        yield from _not_strict(schema.get("items"), (*at, "items"), root)
    for number, each in enumerate(schema.get("anyOf", ())):
        yield from _not_strict(each, (*at, "anyOf", str(number)), root)


def _object_not_strict(schema: Mapping[str, Any], where: str) -> Iterator[str]:
    if schema.get("additionalProperties") is not False:
        yield f"{where}, 'additionalProperties' is required to be supplied and to be false."
    missing = [
        name for name in schema.get("properties", {}) if name not in schema.get("required", ())
    ]
    if missing:
        yield (
            f"{where}, 'required' is required to be supplied and to be an array including every "
            f"key in properties. Missing '{missing[0]}'."
        )
