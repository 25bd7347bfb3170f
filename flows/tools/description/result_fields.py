"""The fields of a function's result, as the JSON schema of the result names them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import NoneType, UnionType
from typing import Any, Final, Union, get_args, get_origin, get_type_hints, is_typeddict

from flows.tools.description.schema import schema_of_type

_DEEPEST: Final = 5
_MOST: Final = 80


def fields_of_type(kind: Any) -> tuple[str, ...]:
    """The fields of the values of a type, as `field_paths` gives them; none where JSON cannot hold
    the type, or it names none."""
    try:
        return field_paths(_schema(kind))
    except (ValueError, NameError):
        return ()


def _schema(kind: Any) -> dict[str, Any]:
    return _plain_schema(kind) or schema_of_type(kind)


def _plain_schema(kind: Any) -> dict[str, Any]:
    """The names in typed dictionaries of the standard library, which pydantic does not read before
    Python 3.12, and in lists of them; {} for any other type."""
    if is_typeddict(kind):
        hints = get_type_hints(kind)
        return {"properties": {name: _schema(each) for name, each in hints.items()}}
    inner = [
        found for each in get_args(kind) if each is not NoneType and (found := _plain_schema(each))
    ]
    if len(inner) != 1:
        return {}
    return inner[0] if get_origin(kind) in (Union, UnionType) else {"items": inner[0]}


def field_paths(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """JSON pointers to the single values of a result, such as `/customer`; a `*` stands for every
    element of a list, as in `/orders/*/id`. Of a schema that names no fields there are none."""
    found = dict.fromkeys(path for path in _paths(schema, "", 0) if path)
    return tuple(found)[:_MOST]


def _paths(schema: Mapping[str, Any], path: str, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        return
    choices = [
        each
        for key in ("anyOf", "oneOf", "allOf")
        for each in schema.get(key) or ()
        if isinstance(each, Mapping) and each.get("type") != "null"
    ]
    for each in choices:
        yield from _paths(each, path, depth + 1)
    properties, items = schema.get("properties"), schema.get("items")
    if isinstance(properties, Mapping) and properties:
        for name, part in properties.items():
            key = str(name).replace("~", "~0").replace("/", "~1")
            inner = part if isinstance(part, Mapping) else {}
            yield from _paths(inner, f"{path}/{key}", depth + 1)
    elif isinstance(items, Mapping):
        yield from _paths(items, f"{path}/*", depth + 1)
    elif not choices and schema.get("type") not in ("object", "array"):
        yield path
