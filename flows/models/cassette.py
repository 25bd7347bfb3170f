"""The file of recorded replies: one JSON object a line, `{digest, request, reply}`."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from dataclasses import dataclass
from difflib import SequenceMatcher
from operator import not_
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from flows.core.chat import ChatReply, ChatRequest, Message, ToolCall
from flows.errors import ConfigError, Place
from flows.models.text import valid_text

_SHOWN_CHARACTERS = 60
_COMPARED = (
    "role", "json_reply", "temperature", "max_tokens", "schema_digest", "tools_digest",
    "tool_choice",
)  # fmt: skip


class AskedRequest(BaseModel):
    """The part of a request that a reply depends on, and that its digest covers."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    role: str
    messages: tuple[Message, ...]
    json_reply: bool
    temperature: float | None
    max_tokens: int | None
    schema_digest: str = ""
    # Cassettes that were recorded before there were tools keep their digests.
    tools_digest: str = Field(default="", exclude_if=not_)
    tool_choice: str = Field(default="", exclude_if=not_)

    @classmethod
    def of(cls, request: ChatRequest) -> AskedRequest:
        return cls(
            role=request.role,
            messages=tuple(map(_valid, request.messages)),
            json_reply=request.json_reply,
            temperature=request.temperature,
            max_tokens=request.max_tokens,
            schema_digest=_digest(request.schema.schema) if request.schema else "",
            tools_digest=_tools_digest(request),
            tool_choice=request.tool_choice if request.tools else "",
        )

    @property
    def digest(self) -> str:
        """SHA-256 in hexadecimal."""
        # Cassettes that were recorded before there were schemas keep their digests.
        return _digest(self.model_dump(exclude=None if self.schema_digest else {"schema_digest"}))


def _valid(message: Message) -> Message:
    """The message with whole characters, as it can be written."""
    calls = tuple(map(_valid_call, message.tool_calls))
    return message.model_copy(update={"content": valid_text(message.content), "tool_calls": calls})


def _valid_call(call: ToolCall) -> ToolCall:
    arguments = json.loads(valid_text(json.dumps(dict(call.arguments), ensure_ascii=False)))
    return call.model_copy(update={"arguments": arguments})


def _tools_digest(request: ChatRequest) -> str:
    return _digest([each.function_dict() for each in request.tools]) if request.tools else ""


def _digest(value: object) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


class CassetteLine(BaseModel):
    """One line of a cassette."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    digest: str
    request: AskedRequest
    reply: ChatReply


def read_cassette(path: Path) -> list[CassetteLine]:
    """The recorded replies in their order.

    Errors: ConfigError with file and line for a file that cannot be read, a line that is cut off
    or is not a recording, and a request that was changed after it was recorded.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"the cassette cannot be read: {error.strerror}", place=Place(str(path))
        ) from error
    lines = raw.split(b"\n")
    if lines.pop():
        raise _damaged(path, len(lines) + 1, "the line is cut off; remove it to use the others")
    return [_recorded(path, number, line) for number, line in enumerate(lines, start=1)]


def _recorded(path: Path, number: int, line: bytes) -> CassetteLine:
    try:
        recorded = CassetteLine.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(each) for each in first["loc"])
        raise _damaged(path, number, f"{where}: {first['msg']}".removeprefix(": ")) from None
    if recorded.request.digest != recorded.digest:
        raise _damaged(path, number, "the request does not fit its digest; record it again")
    return recorded


def _damaged(path: Path, number: int, problem: str) -> ConfigError:
    return ConfigError(f"damaged cassette: {problem}", place=Place(str(path), number))


@dataclass(frozen=True, slots=True)
class CassetteWriter:
    """Appends whole lines, each on the disk before the call returns. Made by `open_cassette`."""

    path: Path
    lock: threading.Lock

    def append(self, request: ChatRequest, reply: ChatReply) -> None:
        """Errors: OSError."""
        asked = AskedRequest.of(request)
        calls = tuple(map(_valid_call, reply.tool_calls))
        kept = reply.model_copy(update={"text": valid_text(reply.text), "tool_calls": calls})
        recorded = CassetteLine(digest=asked.digest, request=asked, reply=kept)
        line = (json.dumps(recorded.model_dump(mode="json")) + "\n").encode()
        with self.lock:
            descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            with os.fdopen(descriptor, "ab", buffering=0) as file:
                file.write(line)
                os.fsync(file.fileno())


def open_cassette(path: Path) -> CassetteWriter:
    """A writer that goes on at the end of the file, which may not exist yet.

    Errors: ConfigError, as `read_cassette`, so that nothing is written behind a damaged line.
    """
    if path.exists():
        read_cassette(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    return CassetteWriter(path, threading.Lock())


def nearest_difference(asked: AskedRequest, recorded: list[CassetteLine]) -> str:
    """Where the most similar recorded request first differs, with its line number."""
    if not recorded:
        return "the cassette is empty"
    text = _text(asked)
    matcher = SequenceMatcher(autojunk=False, b=text)
    scores: list[tuple[bool, float]] = []
    for each in recorded:
        matcher.set_seq1(_text(each.request))
        scores.append((each.request.role == asked.role, matcher.quick_ratio()))
    best = max(range(len(recorded)), key=lambda index: scores[index])
    return f"the nearest is line {best + 1}: {_difference(asked, recorded[best].request)}"


def _text(request: AskedRequest) -> str:
    return "\n".join(f"{each.role}: {each.content}" for each in request.messages)


def _difference(asked: AskedRequest, other: AskedRequest) -> str:
    for name in _COMPARED:
        mine, theirs = getattr(asked, name), getattr(other, name)
        if mine != theirs:
            return _differs(name, mine, theirs)
    for index, (one, two) in enumerate(zip(asked.messages, other.messages, strict=False)):
        if one.role != two.role:
            return _differs(f"messages[{index}].role", one.role, two.role)
        if one.content != two.content:
            at = _first_difference(one.content, two.content)
            mine, theirs = _around(one.content, at), _around(two.content, at)
            return _differs(f"messages[{index}].content from character {at}", mine, theirs)
        for name in ("tool_calls", "tool_call_id", "images"):
            if getattr(one, name) != getattr(two, name):
                return _differs(f"messages[{index}].{name}", getattr(one, name), getattr(two, name))
    return _differs("the number of messages", len(asked.messages), len(other.messages))


def _differs(name: str, asked: Any, recorded: Any) -> str:
    return f"{name} is {asked!r}, recorded is {recorded!r}"


def _first_difference(one: str, two: str) -> int:
    pairs = enumerate(zip(one, two, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(two)))


def _around(text: str, at: int) -> str:
    return text[at : at + _SHOWN_CHARACTERS]
