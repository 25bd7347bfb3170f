"""The definitions of a JSON Schema: what stands in it several times is written once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

Schema = dict[str, Any]
PREFIX = "#/definitions/"


def reference(name: str) -> Schema:
    """A reference to the definition of that name."""
    return {"$ref": f"{PREFIX}{name}"}


def share_properties(schema: Schema, definitions: dict[str, Schema]) -> None:
    """Replace each property that occurs more than once by a reference to one definition of it.

    The schema is changed in place. A new definition has the name of its property, with a number
    if the name is taken. A property that is no longer than a reference to it stays.
    """
    properties = [each for part in _parts(schema) for each in _properties(part)]
    counts = Counter(_text(holder[key]) for holder, key in properties)
    names: dict[str, str] = {}
    for holder, key in properties:
        text = _text(holder[key])
        if counts[text] > 1 and len(text) > len(_text(reference(key))):
            if text not in names:
                names[text] = _free_name(key, definitions)
                definitions[names[text]] = holder[key]
            holder[key] = reference(names[text])


def drop_unused(schema: Schema, definitions: dict[str, Schema]) -> None:
    """Delete the definitions that neither the schema nor a definition it needs refers to."""
    needed: set[str] = set()
    waiting: list[Any] = [schema]
    while waiting:
        for part in _parts(waiting.pop()):
            name = str(part.get("$ref", "")).removeprefix(PREFIX)
            if name in definitions and name not in needed:
                needed.add(name)
                waiting.append(definitions[name])
    for name in set(definitions) - needed:
        del definitions[name]


def _parts(schema: Any) -> Iterator[Schema]:
    """The mappings in a schema, those inside others first."""
    if isinstance(schema, list):
        for each in schema:
            yield from _parts(each)
    elif isinstance(schema, dict):
        for each in schema.values():
            yield from _parts(each)
        yield schema


def _properties(part: Schema) -> Iterator[tuple[Schema, str]]:
    """The places of the properties that a part describes: a mapping and the key in it."""
    described = part.get("properties")
    if isinstance(described, dict):
        for key, schema in described.items():
            if isinstance(schema, dict) and "$ref" not in schema:
                yield described, key


def _free_name(key: str, definitions: dict[str, Schema]) -> str:
    """The property's own name, or the first of `key.2`, `key.3`, ... that is not taken."""
    name, number = key, 1
    while name in definitions:
        number += 1
        name = f"{key}.{number}"
    return name


def _text(schema: Any) -> str:
    return json.dumps(schema, sort_keys=True, separators=(",", ":"))
