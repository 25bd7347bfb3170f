"""What OpenAI has against a request with functions, in its words: their names and schemas, the
choice among them, and the results of calls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from flows.models.fake.answer import ClientRequest, FakeAnswer, error_body

_NOTE: Final = "functions refused"
_NAME: Final = re.compile(r"[a-zA-Z0-9_-]+")
_LONGEST_NAME: Final = 64
_MOST_TOOLS: Final = 128


def refused_tools(request: ClientRequest) -> FakeAnswer | None:
    """How the request is refused; None if nothing is wrong with it."""
    problems = (*_wrong_tools(request.body), *_wrong_messages(request.body.get("messages")))
    if not problems:
        return None
    message, param = problems[0]
    return FakeAnswer(status=400, body=error_body(message, None, param=param), note=_NOTE)


def offered_names(request: ClientRequest) -> tuple[str, ...]:
    """The names of the functions that a request offers."""
    return tuple(str(each.get("name")) for each in _functions(request.body))


def results_of(request: ClientRequest) -> tuple[str, ...]:
    """The results of calls that a request brings: those after the last message of the model."""
    found: list[str] = []
    for each in reversed(_listed(request.body.get("messages"))):
        if each.get("role") != "tool":
            break
        found.append(str(each.get("content")))
    return tuple(reversed(found))


def _functions(body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    given = [each.get("function") for each in _listed(body.get("tools"))]
    return [each for each in given if isinstance(each, dict)]


def _wrong_tools(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    choice, functions = body.get("tool_choice"), _functions(body)
    if not functions:
        if choice is not None:
            said = "'tool_choice' is only allowed when 'tools' are specified."
            yield f"Invalid value for 'tool_choice': {said}", "tool_choice"
        return
    if len(functions) > _MOST_TOOLS:
        count = len(functions)
        yield (
            f"Invalid 'tools': array too long. Expected an array with maximum length "
            f"{_MOST_TOOLS}, but got an array with length {count} instead.",
            "tools",
        )
    for number, each in enumerate(functions):
        yield from _wrong_function(each, f"tools[{number}].function")
    if isinstance(choice, dict):
        name = choice.get("function", {}).get("name")
        if name not in [each.get("name") for each in functions]:
            yield f"Tool choice '{name}' not found in 'tools' parameter.", "tool_choice"


def _wrong_function(function: Mapping[str, Any], where: str) -> Iterator[tuple[str, str]]:
    name, parameters = str(function.get("name", "")), function.get("parameters", {})
    if not _NAME.fullmatch(name):
        yield (
            f"Invalid '{where}.name': string does not match pattern. Expected a string that "
            "matches the pattern '^[a-zA-Z0-9_-]+$'.",
            f"{where}.name",
        )
    if len(name) > _LONGEST_NAME:
        yield (
            f"Invalid '{where}.name': string too long. Expected a string with maximum length "
            f"{_LONGEST_NAME}, but got a string with length {len(name)} instead.",
            f"{where}.name",
        )
    kind = parameters.get("type") if isinstance(parameters, dict) else None
    if parameters and kind != "object":
        said = f"schema must be a JSON Schema of 'type: \"object\"', got 'type: \"{kind}\"'."
        yield f"Invalid schema for function '{name}': {said}", f"{where}.parameters"


def _wrong_messages(given: object) -> Iterator[tuple[str, str]]:
    """Calls without a result, and results without a call."""
    open_ids: list[str] = []
    for number, each in enumerate([*_listed(given), {"role": "end"}]):
        if each.get("role") == "tool":
            if each.get("tool_call_id") not in open_ids:
                yield (
                    "Invalid parameter: messages with role 'tool' must be a response to a "
                    "preceeding message with 'tool_calls'.",
                    f"messages.[{number}].role",
                )
            else:
                open_ids.remove(each["tool_call_id"])
            continue
        if open_ids:
            yield (
                "An assistant message with 'tool_calls' must be followed by tool messages "
                "responding to each 'tool_call_id'. The following tool_call_ids did not have "
                f"response messages: {', '.join(open_ids)}",
                f"messages.[{number}].role",
            )
        open_ids = [str(call.get("id")) for call in _listed(each.get("tool_calls"))]


def _listed(value: object) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
