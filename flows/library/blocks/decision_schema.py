"""The shape of a controller's reply: one of the commands that there are, and its arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pydantic import JsonValue

from flows.core.command import Command
from flows.core.reply import ReplySchema

# The words by which commands name types that JSON has as well.
_TYPES: Final = {
    "string": "string", "str": "string", "text": "string", "integer": "integer",
    "number": "number", "boolean": "boolean", "true or false": "boolean",
}  # fmt: skip
Schema = dict[str, JsonValue]


def decision_schema(name: str, prose: Sequence[str], commands: Sequence[Command]) -> ReplySchema:
    """The schema `name` of a reply with these texts, then `command` and `command_args`.

    `command` is the name of one of the commands; `command_args` are the arguments of one of them.
    That both are of the same command is for who reads the reply: strict endpoints have no way to
    say it.
    """
    properties: Schema = {each: {"type": "string"} for each in prose}
    properties["command"] = {"type": "string", "enum": [each.name for each in commands]}
    choices: list[JsonValue] = []
    for each in map(_arguments, commands):
        if each not in choices:
            choices.append(each)
    properties["command_args"] = choices[0] if len(choices) == 1 else {"anyOf": choices}
    return ReplySchema(name, _object(properties, list(properties)))


def _arguments(command: Command) -> Schema:
    given = command.input_args
    needed = [each.name for each in given if each.required]
    return _object({each.name: _of_type(each.type) for each in given}, needed)


def _of_type(kind: str) -> Schema:
    """The schema of a type in words; of one that only the port can check, any value."""
    return {"type": _TYPES[kind]} if kind in _TYPES else {}


def _object(properties: Schema, needed: Sequence[str]) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(needed),
        "additionalProperties": False,
    }
