"""Schemas of pydantic models as OpenAI's strict mode takes them, judged by the local server."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, JsonValue

from flows.core.reply import Reply, ReplySchema
from flows.models.fake.answer import ClientRequest
from flows.models.fake.endpoints import refused_form
from flows.models.response_format import response_format
from flows.models.strict_schema import strict_schema


class Unit(StrEnum):
    METRES = "m"
    FEET = "ft"


class Leaf(Reply):
    title: str
    description: str = ""


class Tree(Reply):
    leaf: Leaf
    below: tuple[Leaf, ...] = ()
    chosen: Leaf | None = None


class Node(Reply):
    name: str
    children: tuple[Node, ...] = ()


class Values(Reply):
    """A docstring that is no prompt."""

    number: int = Field(ge=0, le=10, description="no prompt either")
    share: float | None = None
    word: str = Field(default="", min_length=1, max_length=5, pattern="a+")
    kind: Literal["a", "b"] = "a"
    one: Literal["only"] = "only"
    unit: Unit = Unit.METRES
    either: int | str | None = None
    many: list[str] = Field(default=[], min_length=1, max_length=3)


class Cat(Reply):
    kind: Literal["cat"]


class Dog(Reply):
    kind: Literal["dog"]


class Owner(Reply):
    pet: Annotated[Cat | Dog, Field(discriminator="kind")]


class Open(Reply):
    name: str
    arguments: dict[str, Any] = Field(default={})


class Anything(Reply):
    value: JsonValue


class Place(Reply):
    point: tuple[int, str]


def strict(model: type[BaseModel]) -> Any:
    return strict_schema(ReplySchema.of(model).schema)


@pytest.mark.parametrize("model", [Leaf, Tree, Node, Values, Owner])
def test_a_schema_is_made_strict_and_is_taken(model: type[BaseModel]) -> None:
    form = response_format(True, ReplySchema.of(model))
    assert form is not None
    assert form["json_schema"]["strict"] is True
    assert form["json_schema"]["name"] == model.__name__
    request = ClientRequest("POST", "/", {}, {"response_format": form})
    assert refused_form("openai", request) is None


@pytest.mark.parametrize("model", [Open, Anything, Place])
def test_a_schema_that_cannot_be_strict_is_sent_as_it_is(model: type[BaseModel]) -> None:
    form = response_format(True, ReplySchema.of(model))
    assert form is not None
    assert form["json_schema"] == {
        "name": model.__name__, "schema": ReplySchema.of(model).schema, "strict": False,
    }  # fmt: skip


def test_every_property_is_required_and_what_was_optional_may_be_null() -> None:
    assert strict(Leaf) == {
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "description": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        },
        "required": ["title", "description"],
        "additionalProperties": False,
    }
    assert strict(Values)["properties"]["share"] == {
        "anyOf": [{"type": "number"}, {"type": "null"}]
    }


def test_references_stay_references_and_what_they_name_is_strict() -> None:
    schema = strict(Node)
    for each in (schema, schema["$defs"]["Node"]):
        assert each["properties"]["children"]["anyOf"][0]["items"] == {"$ref": "#/$defs/Node"}
        assert each["additionalProperties"] is False


def test_prose_and_bounds_are_left_out() -> None:
    text = str(ReplySchema.of(Values).schema)
    assert "prompt" not in text
    assert "minimum" in text
    assert not any(each in str(strict(Values)) for each in ("minimum", "maxLength", "pattern"))
    # Properties that are called like keywords stay.
    assert set(ReplySchema.of(Leaf).schema["properties"]) == {"title", "description"}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string"},
        {"anyOf": [{"type": "object", "properties": {}}]},
        {"type": "object"},
        {"type": "object", "properties": {"a": {}}},
        {"type": "object", "properties": {"a": {"type": "array"}}},
        {"type": "object", "properties": {"a": {"not": {"type": "string"}}}},
        {"type": "object", "properties": {"a": True}},
        {"type": "object", "properties": {}, "patternProperties": {"a": {}}},
        {"type": "object", "properties": {"a": {"allOf": [{"type": "string"}, {"enum": ["a"]}]}}},
    ],
)
def test_what_strict_mode_has_no_words_for(schema: Any) -> None:
    assert strict_schema(schema) is None


def test_a_null_is_read_as_left_out() -> None:
    read = Tree.model_validate({"leaf": {"title": "a", "description": None}, "below": None})
    assert (read.leaf.description, read.below) == ("", ())
    with pytest.raises(ValueError, match="title"):
        Leaf.model_validate({"title": None})
