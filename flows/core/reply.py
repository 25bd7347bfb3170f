"""The shape of a reply: a pydantic model, and its JSON schema that goes with a request."""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, JsonValue, model_validator
from pydantic_core import to_json

from flows.core.notation import notation_of

_NO_NAME: Final = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST_NAME: Final = 64
_REFERENCE: Final = "#/$defs/"
# What a model is asked for stands in the prompts' files; the schema only gives the form.
_PROSE: Final = frozenset({"title", "description", "examples", "default", "discriminator"})
# Keywords whose value maps names of the user's own choice to schemas.
_BY_NAME: Final = frozenset({"properties", "$defs"})
# Two keys for `json_schema_extra`: the name of a union that stands in many places, and a field or a
# choice of a union that no model is asked for (`REPLY: False`).
UNION: Final = "union"
REPLY: Final = "reply"
Schema = dict[str, JsonValue]


class Reply(BaseModel):
    """What a language model replies: one JSON object.

    A key that is null counts as left out where it may be left out, because strict endpoints demand
    that every key is there. Keys that are not known are passed over.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _null_is_left_out(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        needed = {name for name, field in cls.model_fields.items() if field.is_required()}
        return {name: each for name, each in value.items() if each is not None or name in needed}


@dataclass(frozen=True, slots=True)
class ReplySchema:
    """A JSON schema for replies. `name` is at most 64 letters, digits, `_` and `-`; `notation` is
    the same in short, with what each part means, for prompts."""

    name: str
    schema: Mapping[str, JsonValue]
    notation: str = ""

    @staticmethod
    @functools.cache
    def of(model: type[BaseModel], without: frozenset[str] = frozenset()) -> ReplySchema:
        """The schema of a model: its form alone, without titles, descriptions and defaults, and
        without the keys `without` of the whole object."""
        name = _NO_NAME.sub("_", model.__name__)[:_LONGEST_NAME]
        asked = _without_choices(_asked_for(_json_schema(model), without))
        whole = _reached(_named_unions(asked))
        return ReplySchema(name, _form(whole), notation_of(whole))

    @property
    def size(self) -> int:
        """Bytes of the schema as JSON."""
        return len(to_json(self.schema))


@functools.cache
def _json_schema(model: type[BaseModel]) -> Mapping[str, Any]:
    """The JSON schema of a model as pydantic makes it, which for a large one takes a fifth of a
    second; nobody changes it."""
    return model.model_json_schema()


def _asked_for(schema: Any, without: Collection[str] = ()) -> Any:
    """The schema without the fields that no model is asked for. A field of one value has to be
    given, as it tells what the object is."""
    if isinstance(schema, list):
        return [_asked_for(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: value if key in _PROSE else _asked_for(value) for key, value in schema.items()}
    fields = made.get("properties")
    if not isinstance(fields, dict):
        return made
    kept = {
        name: each
        for name, each in fields.items()
        if name not in without and (not isinstance(each, dict) or each.get(REPLY) is not False)
    }
    fixed = [name for name, each in kept.items() if isinstance(each, dict) and "const" in each]
    needed = [*fixed, *(each for each in made.get("required", ()) if each not in fixed)]
    return {**made, "properties": kept, **({"required": needed} if needed else {})}


def _without_choices(schema: Schema) -> Schema:
    """The schema without references to definitions that no model is asked for."""
    definitions = schema.get("$defs")
    named = definitions.items() if isinstance(definitions, dict) else ()
    hidden = [{"$ref": _REFERENCE + name} for name, each in named
              if isinstance(each, dict) and each.get(REPLY) is False]  # fmt: skip

    def kept(value: JsonValue) -> JsonValue:
        if isinstance(value, list):
            return [kept(each) for each in value if each not in hidden]
        return (
            {key: kept(each) for key, each in value.items()} if isinstance(value, dict) else value
        )

    return {key: kept(each) for key, each in schema.items()}


def _named_unions(schema: Schema) -> Schema:
    """The schema with each union that has a name as one definition."""
    found: Schema = {}

    def replaced(value: JsonValue) -> JsonValue:
        if isinstance(value, list):
            return [replaced(each) for each in value]
        if not isinstance(value, dict):
            return value
        name = value.get(UNION)
        if not isinstance(name, str):
            return {key: replaced(each) for key, each in value.items()}
        found[name] = {"anyOf": value.get("oneOf", value.get("anyOf"))}
        return {"$ref": _REFERENCE + name}

    made = {key: replaced(value) for key, value in schema.items()}
    definitions = made.get("$defs")
    if not found:
        return made
    return {**made, "$defs": {**(definitions if isinstance(definitions, dict) else {}), **found}}


def _reached(schema: Schema) -> Schema:
    """The schema with those definitions alone that it uses."""
    definitions = schema.get("$defs")
    if not isinstance(definitions, dict):
        return schema
    rest = {key: value for key, value in schema.items() if key != "$defs"}
    used: dict[str, None] = {}
    left = list(_references(rest))
    while left:
        name = left.pop()
        if name not in used:
            used[name] = None
            left += _references(definitions[name])
    kept = {name: each for name, each in definitions.items() if name in used}
    return {**rest, "$defs": kept} if kept else rest


def _references(value: JsonValue) -> Iterator[str]:
    if isinstance(value, list):
        for each in value:
            yield from _references(each)
    elif isinstance(value, dict):
        reference = value.get("$ref")
        if isinstance(reference, str):
            yield reference.removeprefix(_REFERENCE)
        for each in value.values():
            yield from _references(each)


def _form(schema: Mapping[str, JsonValue]) -> Schema:
    """The schema without its prose."""
    return {
        keyword: _forms(value) if keyword in _BY_NAME else _form_in(value)
        for keyword, value in schema.items()
        if keyword not in _PROSE
    }


def _forms(value: JsonValue) -> JsonValue:
    named = value if isinstance(value, dict) else {}
    return {name: _form_in(each) for name, each in named.items()}


def _form_in(value: JsonValue) -> JsonValue:
    if isinstance(value, list):
        return [_form_in(each) for each in value]
    return _form(value) if isinstance(value, dict) else value
