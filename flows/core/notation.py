"""A JSON schema in a few lines, as types are written in TypeScript, for prompts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

_PLAIN = {"integer": "number", "array": "unknown[]", "object": "object"}


def notation_of(schema: Mapping[str, Any]) -> str:
    """Each definition of a schema on a line, `Name = {key: type, other?: type}`, with what it means
    behind it. A `?` stands behind what may be left out."""
    return "\n".join(
        f"{name} = {_type(each)}{_meaning(each)}" for name, each in schema.get("$defs", {}).items()
    )


def _meaning(schema: Mapping[str, Any]) -> str:
    text = " ".join(str(schema.get("description", "")).split())
    return f"  // {text}" if text else ""


def _type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            return " | ".join(dict.fromkeys(map(_type, schema[keyword])))
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(map(json.dumps, schema["enum"]))
    if schema.get("type") == "array" and isinstance(schema.get("items"), dict):
        inner = _type(schema["items"])
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if "properties" in schema:
        return f"{{{', '.join(_fields(schema))}}}"
    kind = str(schema.get("type", "unknown"))
    return _PLAIN.get(kind, kind)


def _fields(schema: Mapping[str, Any]) -> Iterator[str]:
    needed = schema.get("required", ())
    for name, each in schema["properties"].items():
        may_lack = "" if name in needed else "?"
        said = _type(each)
        if may_lack:  # null is the same as to leave it out
            said = " | ".join(part for part in said.split(" | ") if part != "null")
        yield f"{name}{may_lack}: {said}"
