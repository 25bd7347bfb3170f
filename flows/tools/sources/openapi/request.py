"""The request of an operation: where each argument goes, and how it is written there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from flows.errors import ToolError
from flows.tools.sources.openapi.bodies import ANY_BODY, FORM_BODY, JSON_BODY, MULTIPART_BODY
from flows.tools.sources.openapi.forms import multipart, query_pairs, texts_of, urlencoded
from flows.tools.sources.openapi.operation import Operation, RequestArgument


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
            request.params += query_pairs(each.wire, value, each.style, each.explode)
        elif each.location == "header":
            request.headers[each.wire] = _in_header(each, value)
        elif each.location == "body":
            fields[each.wire] = value
        else:
            whole = value
    request.url = f"{base_url.rstrip('/')}/{path.lstrip('/')}"
    if operation.body.kind and (fields or whole is not None or operation.method != "get"):
        _add_body(request, operation, fields if whole is None else whole)
    return request


def _add_body(request: OperationRequest, operation: Operation, value: Any) -> None:
    body = operation.body
    if body.bare_kind in (FORM_BODY, MULTIPART_BODY):
        if not isinstance(value, Mapping):
            raise ToolError("the argument 'body' is no object with the fields of a form")
        if body.bare_kind == MULTIPART_BODY:
            request.content, kind = multipart(value, body.fields)
        else:
            request.content, kind = urlencoded(value, body.fields), FORM_BODY
        request.headers["Content-Type"] = kind
        return
    request.content = json.dumps(value, ensure_ascii=False).encode()
    request.headers["Content-Type"] = JSON_BODY if body.kind == ANY_BODY else body.kind


def _in_path(argument: RequestArgument, value: Any) -> str:
    """A value as one segment of a path: it cannot lead to another one."""
    text = ",".join(texts_of(value))
    if text in ("", ".", ".."):
        raise ToolError(f"the argument {argument.name!r} cannot be {text!r} in an address")
    return quote(text, safe=",")


def _in_header(argument: RequestArgument, value: Any) -> str:
    text = ",".join(texts_of(value))
    if not text.isprintable() or not text.isascii():
        raise ToolError(f"the argument {argument.name!r} cannot be written in a header")
    return text
