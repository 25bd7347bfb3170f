"""Bodies of requests and replies in a document: their media types, and the fields of forms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from flows.core.function_description import JsonSchema
from flows.tools.sources.openapi.operation import BodyField
from flows.tools.text import plain

JSON_BODY: Final = "application/json"
FORM_BODY: Final = "application/x-www-form-urlencoded"
MULTIPART_BODY: Final = "multipart/form-data"
ANY_BODY: Final = "*/*"
_OTHER_JSON: Final = "+json"
_FILE: Final = "application/octet-stream"
_FILE_HINT: Final = (
    "the content of the file: its text, or a data: URL (data:image/png;name=x.png;base64,...)"
)
_STYLES: Final = ("form", "spaceDelimited", "pipeDelimited", "deepObject")


def media_type(holder: Mapping[str, Any]) -> str:
    """The media type of a content that is read and written here: JSON before a form."""
    content = holder.get("content")
    if not isinstance(content, Mapping):
        return ""
    kinds = [str(each) for each in content]
    for wanted in (JSON_BODY, _OTHER_JSON, FORM_BODY, MULTIPART_BODY, ANY_BODY):
        for each in kinds:
            bare = each.partition(";")[0].strip().lower()
            if bare == wanted or (wanted == _OTHER_JSON and bare.endswith(wanted)):
                return each
    return ""


def media_types(body: Mapping[str, Any]) -> str:
    """All media types of a body, for messages."""
    content = body.get("content")
    kinds = [plain(str(each))[:80] for each in content] if isinstance(content, Mapping) else []
    return " or ".join(kinds[:5])


def form_fields(schema: JsonSchema, encoding: object, *, multipart: bool) -> dict[str, BodyField]:
    """How the fields of a form are written, of which the schema is read and `encoding` is what the
    document says beside it. Fields that are files are described as such in the schema."""
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return {}
    said = encoding if isinstance(encoding, Mapping) else {}
    fields = {}
    for name, part in properties.items():
        given = said.get(name)
        field = _field(part, given if isinstance(given, Mapping) else {}, multipart=multipart)
        if field.is_file:
            _describe_file(part)
        if field != BodyField():
            fields[name] = field
    return fields


def _field(part: JsonSchema, said: Mapping[str, Any], *, multipart: bool) -> BodyField:
    style, explode, kinds = said.get("style"), said.get("explode"), said.get("contentType")
    if not multipart:
        style = style if style in _STYLES else "form"
        return BodyField(
            style=style, explode=explode if isinstance(explode, bool) else style == "form"
        )
    inner = part.get("items", {}) if part.get("type") == "array" else part
    kind = kinds.partition(",")[0].strip() if isinstance(kinds, str) else ""
    kind = kind or str(inner.get("contentMediaType", ""))
    is_file = inner.get("format") == "binary" or (
        "contentMediaType" in inner and "contentEncoding" not in inner
    )
    if not kind:
        kind = _FILE if is_file else JSON_BODY if inner.get("type") == "object" else ""
    return BodyField(kind, is_file)


def _describe_file(part: JsonSchema) -> None:
    """Say of a field how a file is given."""
    inner = part.get("items", {}) if part.get("type") == "array" else part
    inner.setdefault("type", "string")
    said = inner.get("description")
    inner["description"] = f"{said} ({_FILE_HINT})" if said else _FILE_HINT
