"""The shape of a reply: a pydantic model, and its JSON schema that goes with a request."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, JsonValue, model_validator
from pydantic_core import to_json

_NO_NAME: Final = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST_NAME: Final = 64
# What a model is asked for stands in the prompts' files; the schema only gives the form.
_PROSE: Final = frozenset({"title", "description", "examples", "default"})
# Keywords whose value maps names of the user's own choice to schemas.
_BY_NAME: Final = frozenset({"properties", "$defs"})


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
    """A JSON schema for replies. `name` is at most 64 letters, digits, `_` and `-`."""

    name: str
    schema: Mapping[str, JsonValue]

    @staticmethod
    @functools.cache
    def of(model: type[BaseModel]) -> ReplySchema:
        """The schema of a model: its form alone, without titles, descriptions and defaults."""
        name = _NO_NAME.sub("_", model.__name__)[:_LONGEST_NAME]
        return ReplySchema(name, _form(model.model_json_schema()))

    @property
    def size(self) -> int:
        """Bytes of the schema as JSON."""
        return len(to_json(self.schema))


def _form(schema: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
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
