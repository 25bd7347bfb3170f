"""Reading the one JSON object of a model's reply, in layers that never guess."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, TypeVar

from pydantic import BeforeValidator, ValidationError

from flows.core.chat import CUTS, Finish
from flows.core.reply import Reply
from flows.errors import FlowsError
from flows.library.blocks.lenient_json import MAX_DEPTH, UnreadableJson, read_value

_ADVICE: Final[Mapping[Finish, str]] = {"length": "; answer more shortly"}
_THINKING = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
_THOUGHT = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
# Some servers leave the opening tag out. A tag inside of a string does not begin a line.
_THOUGHT_ALONE = re.compile(r"^\s*</think(?:ing)?>", re.IGNORECASE | re.MULTILINE)
_QUOTED_KEY = re.compile(r"""(["'])\w+\1\s*:""")
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


R = TypeVar("R", bound=Reply)


def _prose(value: Any) -> Any:
    if isinstance(value, list):
        return "\n".join(f"- {each}" for each in value)
    return value if isinstance(value, str) else str(value)


# Text that is told and not acted upon: a list is taken for its lines.
Prose = Annotated[str, BeforeValidator(_prose, json_schema_input_type=str)]


def without_nulls(value: Any) -> Any:
    """A request of a reply without what is null, which strict endpoints write for what is left out;
    a constant may be null."""
    if isinstance(value, list):
        return [without_nulls(each) for each in value]
    if not isinstance(value, dict):
        return value
    constant = value.get("kind") == "constant"
    return {
        name: without_nulls(each)
        for name, each in value.items()
        if each is not None or (constant and name == "value")
    }


# A reply of a model: what stands under which key, its reader has to find out.
JsonObject = dict[str, Any]


class ReplyProblem(FlowsError):
    """A reply cannot be used. The message is written for the model that sent it."""


def short(value: object) -> str:
    """A value of a reply, as it is shown to the model that sent it."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def cut_words(finish: Finish) -> str:
    """How a reply that ended so was cut, as its model is told it; "" for a whole one."""
    return "" if finish == "stop" else f"the reply {CUTS[finish]}{_ADVICE.get(finish, '')}"


def read_object(text: str, finish: Finish) -> JsonObject:
    """The one JSON object of a reply. Errors: `ReplyProblem` with the exact fault.

    A code fence, prose or a thinking block around the object is left out. What is no JSON is read
    by the wider grammar of `relaxed`. A reply that was cut never becomes an object.
    """
    if cut := cut_words(finish):
        raise ReplyProblem(cut)
    body = _after_thinking(text.strip())
    start = body.find("{")
    if start < 0:
        raise ReplyProblem(_no_object(body))
    value, end = _read(body, start)
    _check_around(body[:start].rstrip(), body[end:].lstrip())
    _check(value)
    return value


def reader_of(model: type[R]) -> Callable[[str, Finish], R]:
    """What reads replies of a shape. Errors of the reader: `ReplyProblem` with the first fault."""

    def read(text: str, finish: Finish) -> R:
        return fit(model, read_object(text, finish))

    return read


def fit(model: type[R], reply: Mapping[str, Any]) -> R:
    """The object of a reply in a shape. Errors: `ReplyProblem` with the first key that is wrong."""
    try:
        return model.model_validate(reply)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        where = ".".join(str(each) for each in first["loc"])
        given = "" if first["type"] == "missing" else f" (it is {short(first['input'])})"
        raise ReplyProblem(f'"{where}" does not fit: {first["msg"]}{given}') from error


def _after_thinking(text: str) -> str:
    """The reply without the thinking that some models write before it."""
    if text.startswith("{"):
        return text
    is_thinking = _THINKING.match(text)
    end = (_THOUGHT if is_thinking else _THOUGHT_ALONE).search(text)
    if end is not None:
        return text[end.end() :].strip()
    if is_thinking:
        raise ReplyProblem("the reply ends inside its thinking; after it, give the JSON object")
    return text


def _no_object(body: str) -> str:
    if not body:
        return "the reply is empty; it must be one JSON object"
    kind = "it is a list" if body.startswith("[") else "it holds none"
    return f"the reply must be one JSON object, {kind}"


def _read(body: str, start: int) -> tuple[JsonObject, int]:
    """The object at `start` and the place after it: as JSON, else by the wider grammar."""
    try:
        value, end = _STRICT.raw_decode(body, start)
    except (ValueError, RecursionError):
        try:
            value, end = read_value(body, start)
        except UnreadableJson as fault:
            raise ReplyProblem(f"the reply is not one whole JSON object: {fault}") from fault
    return value, end


def _unique(pairs: list[tuple[str, Any]]) -> JsonObject:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = next(name for name, count in Counter(n for n, _ in pairs).items() if count > 1)
        raise ReplyProblem(f"the key {short(twice)} stands in the object twice")
    return found


def _no_constant(name: str) -> Any:
    raise ReplyProblem(f"{name} is not a JSON value")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ReplyProblem(f"the number {text[:20]} is too large")
    return number


_STRICT = json.JSONDecoder(
    object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite
)


def _check_around(before: str, after: str) -> None:
    """Errors: `ReplyProblem` when the object is one of several, or a part of something else."""
    if before.endswith("["):
        raise ReplyProblem("the reply must be one JSON object, it is a list")
    if "{" in after:
        raise ReplyProblem("the reply must be one JSON object, and there is more than one")
    outer = "}" in before or "}" in after or _QUOTED_KEY.search(before) or _QUOTED_KEY.search(after)
    if outer or after.startswith((",", "]", ":")):
        raise ReplyProblem("the reply is not one whole JSON object: its brackets do not match")


def _check(value: object, depth: int = 0) -> None:
    """Errors: `ReplyProblem` for what JSON allows and nothing here can use."""
    if depth > MAX_DEPTH:
        raise ReplyProblem(f"the object is nested more than {MAX_DEPTH} deep")
    if isinstance(value, str):
        if _HALF_CHARACTER.search(value):
            raise ReplyProblem("a string holds half of a surrogate pair, which is no character")
    elif isinstance(value, dict):
        for name, each in value.items():
            _check(name, depth + 1)
            _check(each, depth + 1)
    elif isinstance(value, list):
        for each in value:
            _check(each, depth + 1)
