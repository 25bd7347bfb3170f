"""Reading one JSON object out of a model's reply: strictly, then with a gated repair."""

from __future__ import annotations

import json
import re
from typing import Any

from flows.errors import FlowsError

MAX_DEPTH = 20


class ReplyProblem(FlowsError):
    """A reply cannot be used. The message is written for the model that sent it."""


def read_object(text: str, finish: str) -> dict[str, Any]:
    """The one JSON object of a reply. Errors: `ReplyProblem` with the exact fault.

    A code fence or prose around the object is taken away. Small faults of form (single quotes, a
    trailing comma, Python's literals) are repaired, but only in a reply that ended by itself and
    whose brackets balance: a cut reply never becomes a command.
    """
    if finish != "stop":
        raise ReplyProblem(f"the reply did not come to its end ({finish}); answer more shortly")
    body = _unwrapped(text)
    try:
        value = _strict(body)
    except (ValueError, RecursionError) as fault:
        value = _repaired(body, fault)
    if not isinstance(value, dict):
        raise ReplyProblem(f"the reply must be one JSON object, it is a {_kind(value)}")
    _check_depth(value)
    return value


def _unwrapped(text: str) -> str:
    """The reply without a fence and prose around its only object."""
    stripped = text.strip()
    fence = re.search(r"```(?:json)?\s*\n(.*?)```", stripped, re.DOTALL | re.IGNORECASE)
    if fence and not stripped.startswith("{"):
        stripped = fence.group(1).strip()
    if stripped.startswith("{"):
        return stripped
    start = stripped.find("{")
    if start < 0:
        raise ReplyProblem("the reply holds no JSON object")
    return stripped[start : stripped.rfind("}") + 1]


def _strict(body: str) -> Any:
    return json.loads(body, object_pairs_hook=_unique, parse_constant=_no_constant)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ReplyProblem(f"the key {twice!r} stands in the object twice")
    return found


def _no_constant(name: str) -> Any:
    raise ReplyProblem(f"{name} is not a JSON value")


def _repaired(body: str, fault: Exception) -> Any:
    """The object after a repair, if the repair cannot have changed what was meant."""
    if not _balanced(body):
        raise ReplyProblem(f"the reply is not one whole JSON object: {fault}")
    from json_repair import repair_json

    repaired = repair_json(body, return_objects=False, ensure_ascii=False)
    try:
        value = _strict(str(repaired))
    except (ValueError, RecursionError):
        raise ReplyProblem(f"the reply is not JSON: {fault}") from fault
    if _content(str(repaired)) != _content(body):
        raise ReplyProblem(f"the reply is not JSON: {fault}")
    return value


_PYTHON = {"True": "true", "False": "false", "None": "null"}


def _content(text: str) -> list[str]:
    """The words and signs of a text that carry meaning, without quotes, commas and blanks."""
    words = re.findall(r"[^\s\"'`,\\]+", re.sub(r"([{}\[\]:])", r" \1 ", text))
    return [_PYTHON.get(word, word) for word in words]


def _balanced(body: str) -> bool:
    """Whether the text is exactly one bracketed object: it closes once, at its very end."""
    depth, quote, escaped = 0, "", False
    for place, sign in enumerate(body):
        if escaped:
            escaped = False
        elif quote:
            escaped = sign == "\\"
            quote = "" if sign == quote else quote
        elif sign == '"' or (sign == "'" and body[:place].rstrip()[-1:] in "{[:,"):
            quote = sign
        elif sign in "{[":
            depth += 1
        elif sign in "}]":
            depth -= 1
            if depth <= 0:
                return depth == 0 and not body[place + 1 :].strip()
    return False


def _check_depth(value: Any, depth: int = 0) -> None:
    if depth > MAX_DEPTH:
        raise ReplyProblem(f"the object is nested more than {MAX_DEPTH} deep")
    for inner in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        _check_depth(inner, depth + 1)


def _kind(value: object) -> str:
    return {list: "list", str: "text", type(None): "null"}.get(type(value), type(value).__name__)
