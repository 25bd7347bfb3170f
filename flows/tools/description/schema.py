"""JSON schemas of types, as pydantic makes them, without what a caller has no use for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from pydantic import PydanticSchemaGenerationError, PydanticUserError, TypeAdapter
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticUndefinedAnnotation

from flows.config.typed_dict import typed_dict_problem

_DEFINITIONS: Final = "#/$defs/"
_MAPS: Final = ("properties", "patternProperties", "$defs")
_LISTS: Final = ("anyOf", "oneOf", "allOf", "prefixItems")
_ONES: Final = ("items", "additionalProperties", "not", "if", "then", "else", "contains")
_NO_SCHEMA: Final = (
    PydanticSchemaGenerationError,
    PydanticInvalidForJsonSchema,
    PydanticUndefinedAnnotation,
    PydanticUserError,
)


def schema_of_type(kind: Any) -> dict[str, Any]:
    """The JSON schema of the values of a type: plain data, `Literal`, enumerations, dates,
    dataclasses, typed dictionaries, pydantic's models, and lists, dictionaries and unions of them.

    Definitions are written where they are used, but for those that hold themselves, which stay
    under `$defs`. Errors: `ValueError` for a type that no JSON can hold.
    """
    try:
        return simplify(TypeAdapter(kind).json_schema())
    except _NO_SCHEMA as error:
        reason = typed_dict_problem(error)
        more = f": {reason}" if reason else ""
        raise ValueError(f"{type_name(kind)} has no JSON schema{more}") from error


def type_name(kind: Any) -> str:
    """The type as it is written in code."""
    return kind.__name__ if isinstance(kind, type) and not _parts(kind) else str(kind)


def simplify(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema without titles, and with its definitions where they are used."""
    definitions: Mapping[str, Any] = schema.get("$defs", {})
    recursive = frozenset(name for name in definitions if _reaches(name, name, definitions, set()))
    found = _simplified(schema, definitions, recursive)
    found.pop("$defs", None)
    if kept := {
        name: _simplified(definitions[name], definitions, recursive)
        for name in sorted(recursive)
        if _used(name, schema, definitions, set())
    }:
        found["$defs"] = kept
    return found


def walk(schema: Mapping[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    """The schema with each schema that stands right below it changed."""
    found: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _MAPS and isinstance(value, Mapping):
            found[key] = {name: change(each) for name, each in value.items()}
        elif key in _LISTS and isinstance(value, list):
            found[key] = [change(each) for each in value]
        elif key in _ONES and isinstance(value, Mapping):
            found[key] = change(value)
        else:
            found[key] = value
    return found


def _simplified(
    schema: Any, definitions: Mapping[str, Any], recursive: frozenset[str]
) -> dict[str, Any]:
    found = {name: each for name, each in schema.items() if name not in ("title", "$defs")}
    target = _target(found)
    if target in definitions and target not in recursive:
        beside = {name: each for name, each in found.items() if name != "$ref"}
        return {**_simplified(definitions[target], definitions, recursive), **beside}
    return walk(found, lambda each: _simplified(each, definitions, recursive))


def _target(schema: Mapping[str, Any]) -> str:
    return str(schema.get("$ref", "")).removeprefix(_DEFINITIONS)


def _reaches(start: str, wanted: str, definitions: Mapping[str, Any], seen: set[str]) -> bool:
    """Whether the definition `start` uses `wanted`, by itself or through others."""
    below = _targets(definitions.get(start, {}))
    if wanted in below:
        return True
    new = below - seen
    seen |= new
    return any(_reaches(each, wanted, definitions, seen) for each in new)


def _used(
    name: str, schema: Mapping[str, Any], definitions: Mapping[str, Any], seen: set[str]
) -> bool:
    root = {key: each for key, each in schema.items() if key != "$defs"}
    return any(each == name or _reaches(each, name, definitions, seen) for each in _targets(root))


def _targets(schema: Any) -> set[str]:
    """The names of the definitions that a schema refers to, at any depth."""
    found: set[str] = set()

    def gather(part: Any) -> Any:
        if isinstance(part, Mapping):
            found.update({_target(part)} - {""})
            walk(part, gather)
        return part

    gather(schema)
    return found


def _parts(kind: Any) -> tuple[Any, ...]:
    parts: tuple[Any, ...] = getattr(kind, "__args__", ())
    return parts
