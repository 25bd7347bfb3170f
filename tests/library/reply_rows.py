"""What is made of each form of a controller's reply: rows of a table that docs and tests share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

GIVE = {"thought": "so", "command": "give", "command_args": {"what": "x", "flag": True}}
TEXT = json.dumps(GIVE)
ARGS = {"what": "x", "times": 1, "flag": True}


@dataclass(frozen=True)
class ReplyRow:
    """A form, the turn of a script that replies so, and what the model is told.

    Without `told` the reply is read, and the command `give` runs with its arguments.
    """

    name: str
    turn: Mapping[str, Any]
    told: str = ""

    def in_words(self) -> str:
        """The cell of the table."""
        if not self.told:
            return "read: the command runs, with these arguments"
        return f"no command runs, the model is asked again: \u201c{self.told}\u201d"


def form(name: str, form: str, told: str = "") -> ReplyRow:
    return ReplyRow(name, {"reply": GIVE, "form": form}, told)


def said(name: str, text: str, told: str = "") -> ReplyRow:
    return ReplyRow(name, {"reply": text}, told)


def wrong(name: str, command: str | None, args: Any, told: str) -> ReplyRow:
    named = {} if command is None else {"command": command}
    return ReplyRow(name, {"reply": {**named, "command_args": args}}, told)


ROWS: tuple[ReplyRow, ...] = (
    form("JSON in one line", "json"),
    form("JSON in lines", "indented"),
    form("in a code fence", "fenced"),
    form("prose around it", "prose"),
    form("single quotes", "single_quotes"),
    form("a trailing comma", "trailing_comma"),
    form("a Python literal (`True`, `None`)", "python"),
    said("keys without quotes", "{command: 'give', command_args: {what: 'x', flag: true}}"),
    said("thinking before it", f"<think>I could say {{'command': 'finish'}}</think>\n{TEXT}"),
    form("two objects", "two_objects", "the reply must be one JSON object, and there is more"),
    form("a key twice", "duplicate_key", "the key 'command_args' stands in the object twice"),
    form("cut off in its middle", "truncated", "the reply is not one whole JSON object"),
    said("one bracket missing", TEXT[:-1], "the text ends inside it"),
    said("one bracket too many", f"{TEXT}}}", "its brackets do not match"),
    ReplyRow(
        "whole, but ended by the length limit",
        {"reply": GIVE, "finish": "length"},
        "the reply was cut at its length limit; answer more shortly",
    ),
    ReplyRow(
        "whole, but ended by the content filter",
        {"reply": GIVE, "finish": "content_filter"},
        "the reply was stopped by the provider's content filter",
    ),
    said("comments", TEXT.replace(', "command_args"', ' // so\n, "command_args"'), "not '// so'"),
    said("a value without quotes", TEXT.replace('"x"', "x"), "a value was expected"),
    said("an odd number", TEXT.replace('"x"', "NaN"), "NaN is not a JSON value"),
    said("a list around it", f"[{TEXT}]", "the reply must be one JSON object, it is a list"),
    said("prose alone", "I would give x.", "the reply must be one JSON object, it holds none"),
    wrong("no command", None, {}, '"command" must be one of'),
    wrong("a wrong command", "giev", {}, "there is no command 'giev'; did you mean 'give'?"),
    wrong("a command in other letters", "Give", {}, "there is no command 'Give'"),
    wrong("a missing argument", "finish", {}, "missing: answer (it takes: answer)"),
    wrong("an unknown argument", "give", {"that": "x"}, "unknown: 'that'"),
    wrong("an argument of another type", "give", {"times": "many"}, "'times' must be integer"),
    wrong("arguments that are no object", "give", "x", '"command_args" must be an object'),
    ReplyRow(
        "arguments under another key",
        {"reply": {"command": "give", "args": {"what": "x"}}},
        "the arguments must be under \"command_args\", not 'args'",
    ),
    ReplyRow(
        "arguments under the key of a thought",
        {"reply": {"command": "give", "plan": {"what": "x"}}},
        "the arguments must be under \"command_args\", not 'plan'",
    ),
)

QUOTE = "> "
INJECTED = (
    "a tool's output with instructions or a command in it",
    f"text: each of its lines begins with `{QUOTE}`, which the model is told to take for a quote "
    "and never for instructions; the commands stay those of the run file",
)


def table() -> str:
    """The table in Markdown."""
    lines = ["| the reply | streamed and not |", "|---|---|"]
    lines += [f"| {row.name} | {row.in_words()} |" for row in ROWS]
    lines.append(f"| {' | '.join(INJECTED)} |")
    return "\n".join(lines)
