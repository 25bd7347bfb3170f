"""What a client asked, and how it is answered: the words of the fake model's server."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Json = dict[str, Any]
Cut = Literal["no", "before", "json", "clean", "close", "reset"]


@dataclass(frozen=True, slots=True)
class ClientRequest:
    """What a client sent. The names of headers are in lower case; `body` is {} for no object."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Json

    @property
    def is_streamed(self) -> bool:
        return bool(self.body.get("stream"))

    def said(self, role: str | None = None) -> str:
        """The last message's text, or the last one's of a role; empty when there is none."""
        given = self.body.get("messages")
        for each in reversed(given if isinstance(given, list) else []):
            if isinstance(each, dict) and role in (None, each.get("role")):
                content = each.get("content")
                return content if isinstance(content, str) else json.dumps(content)
        return ""


@dataclass(frozen=True, slots=True)
class FakeCall:
    """A call of a function that a reply asks for; `arguments` are sent as they are. Without an id
    it gets one that no other call of the chat has."""

    name: str
    arguments: str = "{}"
    id: str = ""


@dataclass(frozen=True, slots=True)
class FakeAnswer:
    """How one chat request is answered. Times are seconds."""

    text: str = "hello"
    finish: str | None = "stop"
    usage: tuple[int, int] | None = (11, 7)
    """Prompt and completion tokens; None leaves the usage out."""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | str | list[Any] | Json | None = None
    """Sent as it is, instead of a completion."""
    delay: float = 0.0
    """Before the first byte."""
    pause: float = 0.0
    """Before each piece of a stream."""
    at_once: int = 0
    """Events of a stream that come without the pause; the first one has no text."""
    piece: int = 4
    """Characters in a piece of a stream."""
    pieces: tuple[str, ...] = ()
    """The pieces of a stream, where they are not cut from the text."""
    cut: Cut = "no"
    """Reset the connection `before` the first byte; or after the pieces: send half a `json` event,
    end the answer without finish reason and end marker, close the connection inside of the answer,
    or reset it."""
    stream_error: Any = None
    """After the pieces an error object; the whole answer where nothing is streamed."""
    end_marker: bool = True
    endless: bool = False
    """Repeats the pieces for ever."""
    choices: bool = True
    tool_calls: tuple[FakeCall, ...] = ()
    """Calls that come after the text, their arguments in pieces too."""
    message: Json | None = None
    """The message (or the delta) as it is, instead of the text."""
    note: str = ""
    """What a log calls it."""

    def in_pieces(self) -> tuple[str, ...]:
        """The text as a stream sends it."""
        return self.pieces or self.cut_up(self.text)

    def cut_up(self, text: str) -> tuple[str, ...]:
        """A text as a stream sends it, where its pieces are not given."""
        return tuple(text[at : at + self.piece] for at in range(0, len(text), self.piece))


Respond = Callable[[ClientRequest], FakeAnswer]


def echo(request: ClientRequest) -> FakeAnswer:
    """The last user message, or a JSON object with it when JSON mode is on."""
    last = request.said("user")
    return FakeAnswer(json.dumps({"echo": last}) if "response_format" in request.body else last)


def error_body(
    message: str, code: str | None, kind: str = "invalid_request_error", param: str | None = None
) -> Json:
    """An error as the protocol words it."""
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def refusal(status: int, message: str, code: str, param: str | None = None) -> FakeAnswer:
    """What the server itself has to say against a request."""
    return FakeAnswer(status=status, body=error_body(message, code, param=param), note=code)
