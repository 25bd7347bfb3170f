"""The tool calls of one reply, put together from its pieces. None is guessed."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from flows.config.redaction import redact
from flows.core.chat import ChatReply, ChatRequest, Finish, ToolCall
from flows.errors import ModelReplyInvalid
from flows.models.text import ReplyText, valid_text
from flows.models.tool_names import ToolNames

MAX_CALLS: Final = 128
MAX_DEPTH: Final = 32
_SHOWN_CHARACTERS: Final = 80


@dataclass(slots=True)
class _Parts:
    """What has arrived of one call."""

    id: str = ""
    name: str = ""
    arguments: str = ""


class ToolCallParts:
    """Adds up the pieces of calls, in OpenAI's form: `{index, id, function: {name, arguments}}`.

    Their size counts as that of the reply's text. `where` names the endpoint in errors. Errors:
    `ModelReplyInvalid`.
    """

    def __init__(self, names: ToolNames, text: ReplyText, where: str) -> None:
        self._names = names
        self._text = text
        self._where = where
        self._calls: list[_Parts] = []
        self._by_index: dict[object, _Parts] = {}

    def add(self, piece: Mapping[str, Any]) -> None:
        """One piece: the beginning of a call, or more of it."""
        function = piece.get("function")
        given = function if isinstance(function, Mapping) else {}
        name, arguments = _text_of(given.get("name")), _arguments_of(given.get("arguments"))
        call = self._call_of(piece.get("index"), _text_of(piece.get("id")), name)
        self._text.count(name + arguments)
        if call.name != name:
            call.name += name
        call.arguments += arguments

    def end(self, finish: Finish) -> tuple[tuple[ToolCall, ...], Finish]:
        """The calls of the reply that ended so, and its finish: `tool_calls` if there are any.

        A reply that was cut has none, as its last may not be whole.
        """
        if finish not in ("stop", "tool_calls"):
            return (), finish
        calls = self._whole()
        if finish == "tool_calls" and not calls:
            raise self._invalid("tool calls, and named none")
        return calls, "tool_calls" if calls else finish

    def _whole(self) -> tuple[ToolCall, ...]:
        if self._calls and not len(self._names):
            name = self._calls[0].name[:_SHOWN_CHARACTERS]
            raise self._invalid(f"a call of {name!r}, and no function was offered")
        made: list[ToolCall] = []
        for number, each in enumerate(self._calls, start=1):
            unique = each.id and all(each.id != other.id for other in made)
            made.append(self._made(each, each.id if unique else f"call_{number}"))
        return tuple(made)

    def _call_of(self, index: object, identity: str, name: str) -> _Parts:
        """The call that a piece belongs to. Some endpoints leave out the index, or repeat it and
        tell the calls apart by their ids."""
        if index is not None:
            call = self._by_index.get(index)
        else:
            call = self._calls[-1] if self._calls else None
            if call is not None and not identity and name and call.name:
                call = None
        if call is None or (identity and call.id and identity != call.id):
            if len(self._calls) == MAX_CALLS:
                raise self._invalid(f"more than {MAX_CALLS} calls at once")
            call = _Parts()
            self._calls.append(call)
        if index is not None:
            self._by_index[index] = call
        call.id = call.id or identity
        return call

    def _made(self, parts: _Parts, identity: str) -> ToolCall:
        if not parts.name:
            raise self._invalid("a call without the name of a function")
        name = redact(valid_text(self._names.name_of(parts.name)))
        try:
            arguments = read_arguments(parts.arguments)
        except ValueError as error:
            shown = redact(valid_text(parts.arguments))[:_SHOWN_CHARACTERS]
            raise self._invalid(
                f"a call of {name[:_SHOWN_CHARACTERS]!r} whose arguments are not one JSON object: "
                f"{redact(str(error))}: {shown!r}"
            ) from None
        return ToolCall(id=redact(valid_text(identity)), name=name, arguments=arguments)

    def _invalid(self, problem: str) -> ModelReplyInvalid:
        return ModelReplyInvalid(f"{self._where} asked for {problem}")


def check_choice(request: ChatRequest, reply: ChatReply, where: str) -> ChatReply:
    """The reply, if it calls what it must. Errors: `ModelReplyInvalid`."""
    choice = request.tool_choice
    if not request.tools or choice == "auto" or reply.finish not in ("stop", "tool_calls"):
        return reply
    called = [each.name for each in reply.tool_calls]
    if choice == "none":
        wrong = f"called {called[0]!r}, and was told to call no function" if called else ""
    elif choice == "required":
        wrong = "" if called else "called no function, and was told to call one"
    else:
        wrong = "" if set(called) == {choice} else f"was told to call {choice!r}, and did not"
    if wrong:
        raise ModelReplyInvalid(f"{where} {wrong}")
    return reply


def read_arguments(text: str) -> dict[str, Any]:
    """The arguments of a call, without secrets; no text at all is a call without arguments.

    Errors: `ValueError` for what is not one JSON object with each key once, for numbers that JSON
    does not have, and for more than `MAX_DEPTH` levels.
    """
    if not text.strip():
        return {}
    try:
        value = _STRICT.decode(text)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    if not isinstance(value, dict):
        raise ValueError("it is no object")  # noqa: TRY004 - a text of a wrong content
    return {_clean_text(name): _clean(each, 1) for name, each in value.items()}


def _clean(value: Any, depth: int) -> Any:
    """The value with whole characters and without secrets."""
    if depth > MAX_DEPTH:
        raise ValueError(f"it is nested more than {MAX_DEPTH} deep")
    if isinstance(value, str):
        return _clean_text(value)
    if isinstance(value, dict):
        return {_clean_text(name): _clean(each, depth + 1) for name, each in value.items()}
    return [_clean(each, depth + 1) for each in value] if isinstance(value, list) else value


def _clean_text(text: str) -> str:
    return redact(valid_text(text))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice[:_SHOWN_CHARACTERS]!r} stands in it twice")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON value")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"the number {text[:20]} is too large")
    return number


_STRICT: Final = json.JSONDecoder(
    object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite
)


def _text_of(value: object) -> str:
    return value if isinstance(value, str) else ""


def _arguments_of(value: object) -> str:
    """The arguments as text; some endpoints send them as an object."""
    return json.dumps(value) if isinstance(value, Mapping) else _text_of(value)
