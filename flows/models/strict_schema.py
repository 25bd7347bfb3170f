"""A JSON schema as OpenAI's strict mode takes it.

Strict mode wants every property required and no others, and knows few keywords. What is optional
may be null instead, and bounds of texts, numbers and lists are left out: whoever reads the reply
checks them all the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pydantic import JsonValue

_PLAIN: Final = frozenset({"string", "integer", "number", "boolean", "null"})
_NULL: Final[dict[str, JsonValue]] = {"type": "null"}
Schema = Mapping[str, JsonValue]


class _CannotBeStrict(Exception):
    """The schema says something that strict mode has no words for."""


def strict_schema(schema: Schema) -> dict[str, JsonValue] | None:
    """The schema in strict form; None for one that has none.

    These have none: objects of any keys, lists whose items differ by place, values of any type,
    and what is not an object at its top.
    """
    try:
        strict = _strict(_top(schema))
        defs: dict[str, JsonValue] = {
            name: _strict(_mapping(each)) for name, each in _named(schema, "$defs").items()
        }
    except _CannotBeStrict:
        return None
    if strict.get("type") != "object":
        return None
    return {**strict, "$defs": defs} if defs else strict


def _top(schema: Schema) -> Schema:
    """The schema of the whole; of a model that holds itself, the definition that it refers to."""
    name = str(schema.get("$ref", "")).removeprefix("#/$defs/")
    return _mapping(_named(schema, "$defs").get(name, {})) if name else schema


def _strict(schema: Schema) -> dict[str, JsonValue]:
    if "$ref" in schema:
        return {"$ref": schema["$ref"]}
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            return {"anyOf": [_strict(_mapping(each)) for each in _listed(schema[keyword])]}
    if "allOf" in schema:
        parts = _listed(schema["allOf"])
        if len(parts) != 1:
            raise _CannotBeStrict
        return _strict(_mapping(parts[0]))
    if "const" in schema:
        return _typed(schema, {"enum": [schema["const"]]})
    if "enum" in schema:
        return _typed(schema, {"enum": schema["enum"]})
    return _of_type(schema)


def _of_type(schema: Schema) -> dict[str, JsonValue]:
    kind = schema.get("type")
    if kind == "object":
        return _object(schema)
    if kind == "array":
        items = schema.get("items")
        if not isinstance(items, dict) or not items or "prefixItems" in schema:
            raise _CannotBeStrict
        return {"type": "array", "items": _strict(items)}
    if kind not in _PLAIN:
        raise _CannotBeStrict
    return {"type": kind}


def _object(schema: Schema) -> dict[str, JsonValue]:
    properties = _named(schema, "properties")
    others = schema.get("additionalProperties", not properties)
    if others is not False or "patternProperties" in schema:
        raise _CannotBeStrict
    required = _listed(schema.get("required", []))
    strict: dict[str, JsonValue] = {}
    for name, each in properties.items():
        value = _strict(_mapping(each))
        strict[name] = value if name in required else _or_null(value)
    return {
        "type": "object",
        "properties": strict,
        "required": list(strict),
        "additionalProperties": False,
    }


def _or_null(schema: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """The schema, or null beside it where it does not allow null yet."""
    choices = _listed(schema.get("anyOf", [schema]))
    if _NULL in choices or schema == _NULL:
        return schema
    return {"anyOf": [*choices, _NULL]}


def _typed(schema: Schema, strict: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {"type": schema["type"], **strict} if "type" in schema else strict


def _mapping(value: JsonValue) -> Schema:
    if not isinstance(value, dict):
        raise _CannotBeStrict
    return value


def _named(schema: Schema, keyword: str) -> Schema:
    return _mapping(schema.get(keyword, {}))


def _listed(value: JsonValue) -> list[JsonValue]:
    if not isinstance(value, list):
        raise _CannotBeStrict
    return value
