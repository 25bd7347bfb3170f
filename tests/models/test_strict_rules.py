"""The schemas of replies against OpenAI's documented rules for strict structured outputs, walked.

The rules: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import pytest

from flows.core.reply import ReplySchema
from flows.library.analyst.replies import REPLIES
from flows.library.ask.proposal import schema_by
from flows.library.blocks.python import CodeReply
from flows.library.blocks.sql import By
from flows.models.strict_schema import strict_schema

KEYWORDS = {"type", "properties", "required", "additionalProperties", "items", "anyOf", "enum",
            "$ref", "$defs"}  # fmt: skip
TYPES = {"string", "number", "boolean", "integer", "object", "array", "null"}
PROPERTIES, LEVELS, CHARACTERS, VALUES = 5_000, 10, 120_000, 1_000
LONG_ENUM, LONG_ENUM_CHARACTERS = 250, 15_000
ASKED = {f"ask by {way}": schema_by(way) for way in get_args(By)}
ALL = {**ASKED, "python": ReplySchema.of(CodeReply),
       **{name: ReplySchema.of(each) for name, each in REPLIES.items()}}  # fmt: skip
STRICT = {name: made for name, each in ALL.items() if (made := strict_schema(each.schema))}


def test_all_that_can_be_asked_for_has_a_strict_form() -> None:
    assert set(ASKED) <= set(STRICT)
    assert len(STRICT) > len(ASKED)


def walk(schema: Any) -> Iterator[dict[str, Any]]:
    """Each schema in a schema; the names of properties and definitions are no keywords."""
    assert isinstance(schema, dict), schema
    yield schema
    for keyword in ("properties", "$defs"):
        for each in schema.get(keyword, {}).values():
            yield from walk(each)
    for each in schema.get("anyOf", []):
        yield from walk(each)
    if "items" in schema:
        yield from walk(schema["items"])


@pytest.mark.parametrize("name", STRICT)
def test_a_schema_has_known_keywords_alone(name: str) -> None:
    whole: Any = STRICT[name]
    assert whole["type"] == "object"
    assert "anyOf" not in whole
    for each in walk(whole):
        assert set(each) <= KEYWORDS
        assert each.get("type", "object") in TYPES
        assert "$defs" not in each or each is whole
        if "$ref" in each:
            assert set(each) == {"$ref"}
            assert each["$ref"].removeprefix("#/$defs/") in whole["$defs"]
        else:
            assert "type" in each or "anyOf" in each or "enum" in each


@pytest.mark.parametrize("name", STRICT)
def test_an_object_demands_each_key_and_takes_no_other(name: str) -> None:
    for each in walk(STRICT[name]):
        if each.get("type") == "object":
            assert each["additionalProperties"] is False
            assert each["required"] == list(each["properties"])


@pytest.mark.parametrize("name", STRICT)
def test_a_schema_is_within_the_bounds(name: str) -> None:
    whole: Any = STRICT[name]
    every = list(walk(whole))
    named = [key for each in every for key in each.get("properties", {})]
    values = [value for each in every for value in each.get("enum", [])]
    assert len(named) <= PROPERTIES
    assert len(values) <= VALUES
    assert sum(map(len, [*named, *whole.get("$defs", {}), *map(str, values)])) <= CHARACTERS
    for each in every:
        longest = each.get("enum", [])
        assert len(longest) <= LONG_ENUM or sum(map(len, longest)) <= LONG_ENUM_CHARACTERS
    assert max(map(levels, (whole, *whole.get("$defs", {}).values()))) <= LEVELS


def levels(schema: Any) -> int:
    """How deep objects stand in each other; a definition may hold itself, and is counted alone."""
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", [])]
    items = [schema["items"]] if "items" in schema else []
    below = max(map(levels, [*inner, *items]), default=0)
    return below + int(schema.get("type") == "object")


@pytest.mark.parametrize("name", STRICT)
def test_the_choices_of_a_union_are_told_apart_by_their_first_key(name: str) -> None:
    """The endpoint refuses objects of one union that begin alike."""
    whole: Any = STRICT[name]
    for each in walk(whole):
        first = [begun for one in each.get("anyOf", []) for begun in beginnings(one, whole)]
        assert len(first) == len(set(first)), first


def beginnings(schema: Any, whole: Any) -> Iterator[tuple[str, str]]:
    """The first key of each object that a choice stands for, with the only value it may have."""
    if "$ref" in schema:
        yield from beginnings(whole["$defs"][schema["$ref"].removeprefix("#/$defs/")], whole)
    for each in schema.get("anyOf", []):
        yield from beginnings(each, whole)
    if schema.get("type") == "object":
        key, value = next(iter(schema["properties"].items()))
        yield key, str(value.get("enum", ""))
