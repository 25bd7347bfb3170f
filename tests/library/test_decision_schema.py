"""What a controller may reply: a command that there is, with the arguments of one."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from flows.core.command import Command, CommandArgument
from flows.library.autogpt.controller import read_decision
from flows.library.blocks.decision_schema import decision_schema
from flows.models.strict_schema import strict_schema

COMMANDS = (
    Command(
        name="sql",
        description="Answers a question.",
        input_args=(CommandArgument(name="question", type="text"),),
    ),
    Command(
        name="search",
        description="Searches.",
        input_args=(
            CommandArgument(name="query"),
            CommandArgument(name="most", type="integer", required=False),
        ),
    ),
    Command(name="describe", description="Describes the data."),
)
SCHEMA = decision_schema("ControllerReply", ("thought",), COMMANDS).schema


def fits(schema: Any, reply: dict[str, Any]) -> bool:
    return bool(jsonschema.Draft202012Validator(schema).is_valid(reply))


@pytest.mark.parametrize(
    ("command", "arguments"),
    [("sql", {"question": "How many?"}), ("search", {"query": "cows"}),
     ("search", {"query": "cows", "most": 3}), ("describe", {})],
)  # fmt: skip
def test_each_command_with_its_arguments_fits_and_is_read(
    command: str, arguments: dict[str, Any]
) -> None:
    reply = {"thought": "so", "command": command, "command_args": arguments}
    assert fits(SCHEMA, reply)
    decision = read_decision(json.dumps(reply), "stop", COMMANDS)
    assert (decision.command, decision.command_args) == (command, arguments)


@pytest.mark.parametrize(
    "reply",
    [
        {"thought": "so", "command": "The total revenue is 38.25", "command_args": {}},
        {"thought": "so", "command": "sql", "command_args": {"cri": "38.25"}},
        {"thought": "so", "command": "search", "command_args": {"query": "cows", "most": "three"}},
        {"command": "describe", "command_args": {}},
        {"thought": "so", "command": "describe"},
    ],
)
def test_what_is_no_command_does_not_fit(reply: dict[str, Any]) -> None:
    assert not fits(SCHEMA, reply)


def test_strict_endpoints_take_it_and_null_leaves_an_argument_out() -> None:
    strict = strict_schema(SCHEMA)
    reply = {"thought": "", "command": "search", "command_args": {"query": "cows", "most": None}}
    assert strict is not None
    assert fits(strict, reply)
    assert read_decision(json.dumps(reply), "stop", COMMANDS).command_args == {"query": "cows"}


def test_an_argument_of_another_type_is_left_to_its_port() -> None:
    listed = CommandArgument(name="rows", type="list of text")
    command = Command(name="keep", description="Keeps.", input_args=(listed,))
    schema = decision_schema("ControllerReply", (), (command,)).schema
    assert fits(schema, {"command": "keep", "command_args": {"rows": ["a", 1]}})
    assert strict_schema(schema) is None
