"""JSON schemas of others for a model: references put in, depth and size bounded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from flows.core.function_description import JsonSchema
from flows.tools.sources.references import REFERENCE, ROOT, Position, SchemaReferences
from flows.tools.text import cap, plain

_DEEPEST: Final = 6
MOST_PARTS: Final = 400  # schemas inside of the schema of one function
_MOST_VALUES: Final = 200  # of an enumeration
_MOST_PROPERTIES: Final = 500
_MOST_TEXT: Final = 300
# Of all that a schema may say, what a model and a check of arguments read.
_KEPT: Final = (
    "type", "enum", "const", "format", "default", "minimum", "maximum", "exclusiveMinimum",
    "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern", "minItems", "maxItems",
    "uniqueItems", "required", "examples", "contentMediaType", "contentEncoding",
)  # fmt: skip
_TYPES: Final = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})


@dataclass
class SchemaReader:
    """Reads the schemas of one function, all from one allowance of parts.

    A schema that contains itself, is nested deeper than six levels, or comes when the allowance is
    used up, is cut to its type: the server checks what is below. With `for_request`, properties
    that only replies have are left out. `faults` says which references lead nowhere, of which what
    they stand for is read as any value, and which objects have too many properties.
    """

    references: SchemaReferences
    for_request: bool = True
    most_parts: int = MOST_PARTS
    parts: int = 0
    faults: list[str] = field(default_factory=list)
    _within: list[Position] = field(default_factory=list)

    def read(
        self, value: Any, at: Position = ROOT, depth: int = 0, *, is_part: bool = False
    ) -> JsonSchema:
        """The schema, which stands at a position of the document, without references; `is_part`: of
        an `allOf`, of which all say the rest."""
        found = self.references.resolve(value, at)
        if found.fault:
            self._note(found.fault)
        source, is_reference = found.values, isinstance(value, Mapping) and REFERENCE in value
        self.parts += 1
        if depth > _DEEPEST or self.parts > self.most_parts or found.at in self._within:
            return _cut(source)
        if not is_reference:
            return self._read(source, found.at, depth, is_part=is_part)
        self._within.append(found.at)
        try:
            return self._read(source, found.at, depth, is_part=is_part)
        finally:
            self._within.pop()

    def _read(
        self, source: Mapping[str, Any], at: Position, depth: int, *, is_part: bool
    ) -> JsonSchema:
        made: JsonSchema = {key: source[key] for key in _KEPT if key in source}
        _settle_type(made, source)
        if text := described(source):
            made["description"] = text
        if isinstance(properties := source.get("properties"), Mapping):
            made.setdefault("type", "object")
            made["properties"] = self._properties(properties, at.below("properties"), depth)
        for key in ("items", "additionalProperties"):
            if isinstance(inner := source.get(key), Mapping):
                made[key] = self.read(inner, at.below(key), depth + 1)
            elif key == "additionalProperties" and isinstance(inner, bool):
                made[key] = inner
        for union in ("anyOf", "oneOf"):
            # Of very many alternatives a value may be any: the server tells.
            if isinstance(each := source.get(union), list) and 0 < len(each) <= _MOST_VALUES:
                made["anyOf"] = self._all(each, at.below(union), depth + 1)
        if isinstance(each := source.get("allOf"), list):
            for one in self._all(each, at.below("allOf"), depth, is_part=True):
                _merge(made, one)
        _settle(made)
        if not is_part:
            _settle_required(made)
        return made

    def _note(self, fault: str) -> None:
        if fault not in self.faults:
            self.faults.append(fault)

    def _all(
        self, values: list[Any], at: Position, depth: int, *, is_part: bool = False
    ) -> list[JsonSchema]:
        if len(values) > _MOST_VALUES:
            self._note(f"the schema at {at} has {len(values):,} parts; {_MOST_VALUES} are the most")
        return [
            self.read(each, at.below(number), depth, is_part=is_part)
            for number, each in enumerate(values[:_MOST_VALUES])
        ]

    def _properties(self, properties: Mapping[str, Any], at: Position, depth: int) -> JsonSchema:
        hidden = "readOnly" if self.for_request else "writeOnly"
        if (count := len(properties)) > _MOST_PROPERTIES:
            most = f"{_MOST_PROPERTIES} are the most"
            self._note(f"the object at {at} has {count:,} properties; {most}")
        return {
            str(name): self.read(each, at.below(name), depth + 1)
            for name, each in islice(properties.items(), _MOST_PROPERTIES)
            if not self.references.resolve(each, at.below(name)).values.get(hidden)
        }


def shape(schema: Mapping[str, Any]) -> str:
    """A schema in a few words: the fields of an object or of the objects of a list."""
    if schema.get("type") == "array" and isinstance(items := schema.get("items"), Mapping):
        inner = shape(items)
        return f"a list of {inner}" if inner else "a list"
    if properties := schema.get("properties"):
        fields = []
        for name, part in list(properties.items())[:40]:
            text = cap(str(part.get("description", "")), 60).partition("\n")[0]
            inner = shape(part) if part.get("type") in ("array", "object") else ""
            fields.append(f"{name} ({text or inner})" if text or inner else str(name))
        return f"an object with {', '.join(fields)}"
    kind = schema.get("type")
    return f"a {kind}" if isinstance(kind, str) and kind not in ("object", "null") else ""


def described(source: Mapping[str, Any]) -> str:
    """The description of a part, as plain text of at most a few hundred characters."""
    text = source.get("description") or source.get("title") or ""
    return cap(plain(text), _MOST_TEXT) if isinstance(text, str) else ""


def _cut(source: Mapping[str, Any]) -> JsonSchema:
    made: JsonSchema = {}
    if source.get("type") in _TYPES:
        made["type"] = source["type"]
    elif "properties" in source:
        made["type"] = "object"
    if text := described(source):
        made["description"] = text
    return made


def _settle_type(made: JsonSchema, source: Mapping[str, Any]) -> None:
    """Types as JSON Schema writes them: OpenAPI 3.0 has `nullable`, and bounds that are flags."""
    kinds = made.get("type")
    named = [each for each in (kinds if isinstance(kinds, list) else [kinds]) if each in _TYPES]
    if source.get("nullable") is True and named and "null" not in named:
        named.append("null")
        if isinstance(made.get("enum"), list) and None not in made["enum"]:
            made["enum"] = [*made["enum"], None]
    made.pop("type", None)
    if named:
        made["type"] = named[0] if len(named) == 1 else named
    for flag, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(made.get(flag), bool) and made.pop(flag) and bound in made:
            made[flag] = made.pop(bound)
    if "example" in source and "examples" not in made:
        made["examples"] = [source["example"]]


def _merge(made: JsonSchema, other: Mapping[str, Any]) -> None:
    """Add what one schema of an `allOf` says to what all say."""
    for key, each in other.items():
        if key == "properties":
            made["properties"] = {**each, **made.get("properties", {})}
        elif key == "required" and isinstance(each, list):
            made["required"] = [*dict.fromkeys([*made.get("required", ()), *each])]
        else:
            made.setdefault(key, each)


def _settle(made: JsonSchema) -> None:
    """Leave out what no validator could read, and what is too long to be shown."""
    for key in ("enum", "examples", "required"):
        if key in made and not isinstance(made[key], list):
            del made[key]
    if len(made.get("enum", ())) > _MOST_VALUES:
        del made["enum"]
    if "examples" in made:
        made["examples"] = made["examples"][:2]
    for key in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"):
        if key in made and (isinstance(made[key], bool) or not isinstance(made[key], int | float)):
            del made[key]
    for key in ("minLength", "maxLength", "minItems", "maxItems"):
        if key in made and not isinstance(made[key], int):
            del made[key]
    for key in ("pattern", "format", "contentMediaType", "contentEncoding"):
        if not isinstance(made.get(key, ""), str):
            del made[key]


def _settle_required(made: JsonSchema) -> None:
    """Require no property that the schema does not have, such as one that only replies have."""
    known = made.get("properties", {})
    wanted = [each for each in made.pop("required", ()) if each in known]
    if wanted:
        made["required"] = wanted
