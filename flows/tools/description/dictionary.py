"""Functions as OpenAI's function dictionaries, one a line of a file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from flows.core.function_description import FunctionDescription
from flows.errors import ConfigError, Place, nearest
from flows.tools.text import whole_characters

_TYPES: Final = ("string", "number", "integer", "boolean", "array", "object", "null")
# What people write who think of Python's types.
_PYTHON_TYPES: Final = {
    "str": "string", "int": "integer", "float": "number", "double": "number", "bool": "boolean",
    "list": "array", "tuple": "array", "dict": "object", "any": "",
}  # fmt: skip
_OWN_KEYS: Final = ("namespace", "function_class", "returns", "effect")
_LONGEST: Final = 1_000_000  # characters of a line
_DEEPEST: Final = 32


def read_dictionaries(
    path: Path, namespace: str = "default"
) -> Iterator[FunctionDescription | ConfigError]:
    """The functions of a file of JSON lines, in order; of a line that is none, what is wrong.

    Each line is `{"name", "description", "parameters"}`, or that as the `function` of an object.
    Errors: `ConfigError` for a file that cannot be read.
    """
    try:
        with path.open(encoding="utf-8-sig") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield _read(line, Place(str(path), number), namespace)
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from error


def describe_dictionary(
    given: Any, *, namespace: str = "default", source: str = ""
) -> FunctionDescription:
    """The function of a dictionary in OpenAI's form.

    `parameters` is the schema of an object, or the map of its properties with `required` beside
    it. `namespace`, `function_class`, `returns` and `effect` may stand there, too; other keys are
    passed over. Errors: `ConfigError` that says what is wrong.
    """
    function = given.get("function", given) if isinstance(given, Mapping) else given
    if not isinstance(function, Mapping):
        raise ConfigError("this is no JSON object with a function's name, description, parameters")
    for key in ("name", "description"):
        if not isinstance(function.get(key), str) or not function[key].strip():
            raise ConfigError(f"the function has no {key}: {key!r} is a text that is not empty")
    own = {key: function[key] for key in _OWN_KEYS if key in function}
    try:
        return FunctionDescription(
            name=function["name"],
            description=function["description"],
            parameters=_parameters(function),
            source=source,
            changing=own.get("effect", "pure") != "pure",
            **{"namespace": namespace, **own},
        )
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(each) for each in first["loc"])
        raise ConfigError(f"{where} is {first['input']!r}: {first['msg']}") from error


def _read(line: str, place: Place, namespace: str) -> FunctionDescription | ConfigError:
    if len(line) > _LONGEST:
        problem = f"the line has {len(line):,} characters; {_LONGEST:,} fit"
        return ConfigError(problem, place=place)
    try:
        given = json.loads(line.rstrip())
        if "\\u" in line:
            given = whole_characters(given)
    except (ValueError, RecursionError) as error:
        column = error.colno if isinstance(error, json.JSONDecodeError) else 1
        told = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deeply"
        where = Place(place.origin, place.line, column)
        return ConfigError(f"this is no JSON: {told}", place=where)
    try:
        return describe_dictionary(given, namespace=namespace, source=f"file:{place.origin}")
    except ConfigError as error:
        return ConfigError(error.problem, place=place)


def _parameters(function: Mapping[str, Any]) -> dict[str, Any]:
    given = function.get("parameters") or {}
    if not isinstance(given, Mapping):
        raise ConfigError("parameters is no JSON object")
    is_schema = not given or (given.get("type") in ("object", "dict") and "properties" in given)
    schema: Mapping[str, Any] = given if is_schema else {"properties": given}
    properties = schema.get("properties", {})
    if not isinstance(properties, Mapping):
        raise ConfigError("parameters.properties is no JSON object")
    required = schema.get("required", function.get("required", []))
    known = ", ".join(properties) or "none"
    if not isinstance(required, list):
        raise ConfigError("required is no list of names of arguments")
    for each in required:
        if each not in properties:
            raise ConfigError(f"{each!r} is required and no argument (arguments: {known})")
    kept = {
        name: _checked(each, f"parameters.{name}", _DEEPEST) for name, each in properties.items()
    }
    return {**schema, "type": "object", "properties": kept, "required": required}


def _checked(schema: Any, where: str, depth: int) -> dict[str, Any]:
    """The schema with types by their names in JSON schema."""
    if not isinstance(schema, Mapping):
        raise ConfigError(f"{where} is no JSON object with type and description")
    if depth == 0:
        raise ConfigError(f"{where} is nested too deeply")
    found = dict(schema)
    if "type" in found:
        found["type"] = _type(found["type"], where)
        if not found["type"]:
            del found["type"]
    if isinstance(items := found.get("items"), Mapping):
        found["items"] = _checked(items, f"{where}.items", depth - 1)
    if isinstance(properties := found.get("properties"), Mapping):
        found["properties"] = {
            name: _checked(each, f"{where}.{name}", depth - 1) for name, each in properties.items()
        }
    return found


def _type(given: Any, where: str) -> Any:
    if isinstance(given, list) and given:
        return [_type(each, where) for each in given]
    named = _PYTHON_TYPES.get(given, given) if isinstance(given, str) else given
    if named == "" or named in _TYPES:
        return named
    meant = nearest(str(given), _TYPES)
    hint = f"did you mean: {meant}" if meant else f"allowed: {', '.join(_TYPES)}"
    raise ConfigError(f"{where}: {given!r} is no type; {hint}")
