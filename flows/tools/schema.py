"""A JSON schema of arguments in words that a controller reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flows.core.command import CommandArgument
from flows.tools.text import plain

_WORDS = {"string": "text", "number": "number", "integer": "integer", "boolean": "true or false"}


def arguments_of_schema(schema: Mapping[str, Any]) -> tuple[CommandArgument, ...]:
    """The properties of an object's schema, in their order."""
    required = set(schema.get("required") or ())
    definitions: Mapping[str, Any] = schema.get("$defs") or schema.get("definitions") or {}
    return tuple(
        CommandArgument(
            name=name,
            type=_type_in_words(described, definitions, depth=0),
            required=name in required,
            description=plain(str(described.get("description") or "")),
        )
        for name, described in (schema.get("properties") or {}).items()
    )


def _type_in_words(part: Mapping[str, Any], definitions: Mapping[str, Any], depth: int) -> str:
    if depth > 4:
        return "object"  # A type that contains itself ends somewhere.
    if "$ref" in part:
        target = str(part["$ref"]).rsplit("/", 1)[-1]
        return _type_in_words(definitions.get(target) or {}, definitions, depth + 1)
    if "enum" in part or "const" in part:
        values = part.get("enum") or [part["const"]]
        return "one of " + ", ".join(str(value) for value in values)
    for union in ("anyOf", "oneOf", "allOf"):
        if part.get(union):
            each = (_type_in_words(one, definitions, depth + 1) for one in part[union])
            return " or ".join(dict.fromkeys(each))
    kind = part.get("type", "anything")
    if kind == "array":
        return f"list of {_type_in_words(part.get('items') or {}, definitions, depth + 1)}"
    if kind == "object" and part.get("properties"):
        return f"object with {', '.join(part['properties'])}"
    if isinstance(kind, list):
        return " or ".join(_WORDS.get(str(one), str(one)) for one in kind)
    return _WORDS.get(str(kind), str(kind))
