"""The request of an operation: where each argument goes, and how it is written there."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from flows.errors import ToolError
from flows.tools.sources.openapi.operations import FORM_BODY, Operation, RequestArgument


@dataclass
class OperationRequest:
    """A request without its key: `url` has its path filled in."""

    method: str
    url: str
    params: list[tuple[str, str]] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    content: bytes | None = None


def request_of(
    operation: Operation, base_url: str, arguments: Mapping[str, Any]
) -> OperationRequest:
    """The request that calls the operation. Errors: `ToolError` for a value that has no place in a
    path or a header."""
    path = operation.path
    request = OperationRequest(operation.method.upper(), "")
    fields: dict[str, Any] = {}
    whole: Any = None
    for each in operation.arguments:
        if each.name not in arguments:
            continue
        value = arguments[each.name]
        if each.location == "path":
            path = path.replace(f"{{{each.wire}}}", _in_path(each, value))
        elif each.location == "query":
            request.params += _in_query(each, value)
        elif each.location == "header":
            request.headers[each.wire] = _in_header(each, value)
        elif each.location == "body":
            fields[each.wire] = value
        else:
            whole = value
    request.url = f"{base_url.rstrip('/')}/{path.lstrip('/')}"
    if operation.body and (fields or whole is not None or operation.method != "get"):
        _add_body(request, operation, fields if whole is None else whole)
    return request


def _add_body(request: OperationRequest, operation: Operation, value: Any) -> None:
    if operation.body.partition(";")[0].strip().lower() == FORM_BODY:
        pairs = value.items() if isinstance(value, Mapping) else ()
        request.content = urlencode(
            [(name, text) for name, each in pairs for text in _texts(each)]
        ).encode()
        request.headers["Content-Type"] = FORM_BODY
        return
    request.content = json.dumps(value, ensure_ascii=False).encode()
    request.headers["Content-Type"] = (
        "application/json" if operation.body == "*/*" else operation.body
    )


def _in_path(argument: RequestArgument, value: Any) -> str:
    """A value as one segment of a path: it cannot lead to another one."""
    text = ",".join(_texts(value))
    if text in ("", ".", ".."):
        raise ToolError(f"the argument {argument.name!r} cannot be {text!r} in an address")
    return quote(text, safe=",")


def _in_query(argument: RequestArgument, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        if argument.style == "deepObject":
            for key, each in value.items():
                yield from ((f"{argument.wire}[{key}]", text) for text in _texts(each))
        elif argument.explode:
            for key, each in value.items():
                yield from ((str(key), text) for text in _texts(each))
        else:
            yield argument.wire, ",".join(f"{key},{_text(each)}" for key, each in value.items())
    elif isinstance(value, list | tuple) and not argument.explode:
        separator = {"spaceDelimited": " ", "pipeDelimited": "|"}.get(argument.style, ",")
        yield argument.wire, separator.join(_texts(value))
    else:
        yield from ((argument.wire, text) for text in _texts(value))


def _in_header(argument: RequestArgument, value: Any) -> str:
    text = ",".join(_texts(value))
    if not text.isprintable() or not text.isascii():
        raise ToolError(f"the argument {argument.name!r} cannot be written in a header")
    return text


def _texts(value: Any) -> list[str]:
    if isinstance(value, list | tuple):
        return [_text(each) for each in value]
    return [] if value is None else [_text(value)]


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)
