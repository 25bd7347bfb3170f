"""The fields of a form as the body of a request: as in an address, or in parts."""

from __future__ import annotations

import base64
import binascii
import json
import re
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, unquote, unquote_to_bytes, urlencode

from flows.errors import ToolError
from flows.tools.sources.openapi.bodies import JSON_BODY
from flows.tools.sources.openapi.operation import BodyField

_PLAIN: Final = BodyField()
_DATA_URL: Final = re.compile(r"data:([^,;]*)((?:;[^,;]*)*),(.*)", re.DOTALL)
_KIND: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+_-]*/[A-Za-z0-9.+_*-]+(?:; ?[a-z]+=[\w.-]+)*")


@dataclass(frozen=True, slots=True)
class FilePart:
    """A file as a part of a body."""

    name: str
    kind: str
    content: bytes


def urlencoded(values: Mapping[str, Any], fields: Mapping[str, BodyField]) -> bytes:
    """A form as the query of an address writes it."""
    pairs = [
        pair
        for name, value in values.items()
        for pair in query_pairs(name, value, *_style_of(fields.get(name, _PLAIN)))
    ]
    return urlencode(pairs).encode()


def multipart(values: Mapping[str, Any], fields: Mapping[str, BodyField]) -> tuple[bytes, str]:
    """A form in parts, and its media type with the mark that stands between them. Errors:
    `ToolError` for a file that is no text and no data: URL."""
    mark = f"part-{secrets.token_hex(16)}"
    body = bytearray()
    for name, value in values.items():
        field = fields.get(name, _PLAIN)
        for each in value if isinstance(value, list | tuple) else [value]:
            if each is not None:
                body += f"--{mark}\r\n".encode() + _part(name, each, field)
    body += f"--{mark}--\r\n".encode()
    return bytes(body), f"multipart/form-data; boundary={mark}"


def query_pairs(name: str, value: Any, style: str, explode: bool) -> Iterator[tuple[str, str]]:
    """A value as parameters of a query or fields of a form, in a style of OpenAPI."""
    if isinstance(value, Mapping):
        if style == "deepObject":
            for key, each in value.items():
                yield from ((f"{name}[{key}]", text) for text in texts_of(each))
        elif explode:
            for key, each in value.items():
                yield from ((str(key), text) for text in texts_of(each))
        else:
            yield name, ",".join(f"{key},{text_of(each)}" for key, each in value.items())
    elif isinstance(value, list | tuple) and not explode:
        separator = {"spaceDelimited": " ", "pipeDelimited": "|"}.get(style, ",")
        yield name, separator.join(texts_of(value))
    else:
        yield from ((name, text) for text in texts_of(value))


def texts_of(value: Any) -> list[str]:
    if isinstance(value, list | tuple):
        return [text_of(each) for each in value]
    return [] if value is None else [text_of(value)]


def text_of(value: Any) -> str:
    """A text as it is, any other value as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _style_of(field: BodyField) -> tuple[str, bool]:
    return field.style, field.explode


def _part(name: str, value: Any, field: BodyField) -> bytes:
    """One part with its headers."""
    kind, filename = field.kind, ""
    if field.is_file and isinstance(value, str):
        given = _file(name, value, kind)
        kind, content, filename = given.kind, given.content, given.name
    else:
        kind = kind or (JSON_BODY if isinstance(value, Mapping) else "")
        content = text_of(value).encode("utf-8", "replace")
    said = f'form-data; name="{_quoted(name)}"'
    if filename:
        said += f'; filename="{_quoted(filename)}"'
    lines = [f"Content-Disposition: {said}"]
    if kind and _KIND.fullmatch(kind):
        lines.append(f"Content-Type: {kind}")
    return "\r\n".join([*lines, "", ""]).encode() + content + b"\r\n"


def _file(name: str, value: str, kind: str) -> FilePart:
    """The file that a text or a data: URL is. Errors: `ToolError`."""
    found = _DATA_URL.fullmatch(value)
    if found is None:
        return FilePart(name, kind, value.encode("utf-8", "replace"))
    given, options, data = found[1], found[2].split(";"), found[3]
    named = next((each[5:] for each in options if each.startswith("name=")), "")
    content = unquote_to_bytes(data)
    if "base64" in options:
        try:
            content = base64.b64decode(content, validate=True)
        except (binascii.Error, ValueError) as error:
            raise ToolError(f"the file {name!r}: its data: URL is no base64: {error}") from error
    return FilePart(unquote(named) or name, given or kind, content)


def _quoted(name: str) -> str:
    """A name that ends neither its quotes nor its line, as browsers write it."""
    return re.sub(r'[\x00-\x1f\x7f"]', lambda found: quote(found[0]), name)
