"""A script for the fake model: a YAML file with a list of turns.

turns:
  - fault: rate_limited
    retry_after: 2
  - reply: {command: sql, command_args: {question: "Which region sold most?"}}
  - match: {system_contains: "SQL query"}
    reply: {sql: "SELECT 1", explanation: "as asked", cannot: null}
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from flows.config.composition import Composed
from flows.config.read import read
from flows.config.validate import validate
from flows.models.fake.answer import ClientRequest, FakeAnswer, FakeCall
from flows.models.fake.endpoints import EndpointName
from flows.models.fake.faults import FAULTS, FaultName
from flows.models.fake.forms import FORMS, FormName
from flows.models.fake.tools import offered_names, results_of

_ANSWERS = ("reply", "chunks", "tool_calls", "fault", "status", "body")
_APART = (
    ("reply", "chunks"),
    ("error", "body"),
    *(
        (one, other)
        for one in ("status", "body")
        for other in ("reply", "chunks", "tool_calls", "fault")
    ),
)
_HEADER = re.compile(r"[A-Za-z0-9-]+: [\x20-\x7e]*")


class ScriptPart(BaseModel):
    """A part of a script: its keys are fixed."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class RequestMatch(ScriptPart):
    """The requests that a turn is for: by texts that their last message, their system message or
    one of the results of the last calls holds, and by a function that they offer."""

    contains: str = ""
    system_contains: str = ""
    result_contains: str | None = None
    offers: str | None = None

    def takes(self, request: ClientRequest) -> bool:
        wanted, offered = self.result_contains, self.offers
        return (
            self.contains in request.said()
            and self.system_contains in request.said("system")
            and (wanted is None or any(wanted in each for each in results_of(request)))
            and (offered is None or offered in offered_names(request))
        )


class ScriptCall(ScriptPart):
    """A call of a function that a reply asks for."""

    name: str
    arguments: dict[str, Any] | str = Field(default={}, description="a text is sent as it is")
    id: str = Field(default="", description="one that no other call has, without it")

    def fake(self) -> FakeCall:
        given = self.arguments
        text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
        return FakeCall(self.name, text, self.id)


class Tokens(ScriptPart):
    """What a reply says that it cost."""

    prompt_tokens: int = Field(default=11, ge=0)
    completion_tokens: int = Field(default=7, ge=0)

    @property
    def counts(self) -> tuple[int, int]:
        return self.prompt_tokens, self.completion_tokens


class ScriptTurn(ScriptPart):
    """How one request is answered; what may be said together is checked. Times are seconds."""

    match: RequestMatch = RequestMatch()
    reply: str | dict[str, Any] | None = Field(
        default=None, description="an object is sent as JSON"
    )
    form: FormName = Field(default="json", description="how an object is written")
    chunks: tuple[str, ...] = Field(default=(), description="a reply, as the pieces of its stream")
    tool_calls: tuple[ScriptCall, ...] = Field(
        default=(),
        description="functions that the reply asks to call, after its text if it has any",
    )
    fault: FaultName | None = None
    error: str | dict[str, Any] | None = Field(default=None, description="an error object")
    status: int | None = Field(default=None, ge=400, le=599)
    body: str | list[Any] | dict[str, Any] | None = Field(default=None, description="as it is sent")
    headers: dict[str, str | int | float] = {}
    retry_after: float | None = Field(default=None, ge=0, le=1e6)
    finish: str | None = "stop"
    usage: Tokens | None = Tokens()
    delay: float = Field(default=0.0, ge=0, le=86_400, description="before the first byte")
    pause: float = Field(default=0.0, ge=0, le=86_400, description="before each piece of a stream")
    repeat: int | Literal["always"] = 1

    @field_validator("repeat")
    @classmethod
    def _is_a_number_of_times(cls, value: int | str) -> int | str:
        if isinstance(value, int) and value < 1:
            raise ValueError("must be a whole number from 1, or always")
        return value

    @field_validator("chunks")
    @classmethod
    def _have_text(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if "" in value:
            raise ValueError("a piece of a stream cannot be empty")
        return value

    @field_validator("headers")
    @classmethod
    def _can_be_sent(cls, value: dict[str, str | int | float]) -> dict[str, str | int | float]:
        for name, each in value.items():
            if not _HEADER.fullmatch(f"{name}: {each}"):
                raise ValueError(f"the header {name!r} is not one that can be sent")
        return value

    @model_validator(mode="after")
    def _is_one_answer(self) -> Self:
        if not any(self._has(name) for name in _ANSWERS):
            raise ValueError(f"a turn must have one of: {', '.join(_ANSWERS)}")
        for one, other in _APART:
            if self._has(one) and self._has(other):
                raise ValueError(f"a turn cannot have both {one} and {other}")
        if self._has("error") and not (self.status or self.fault == "error_in_stream"):
            raise ValueError("error goes with a status, or with the fault error_in_stream")
        if self.retry_after is not None and self._status() < 400:
            raise ValueError("retry_after goes with a status, or with a fault that has one")
        if self.form != "json" and not (isinstance(self.reply, dict) and self.reply):
            raise ValueError("form goes with a reply that is an object with keys")
        if self.fault and FAULTS[self.fault].answer.endless and self.reply == "":
            raise ValueError(f"{self.fault} repeats its reply for ever, which cannot be empty")
        return self

    def _has(self, name: str) -> bool:
        return getattr(self, name) not in (None, ())

    def _status(self) -> int:
        return self.status or (FAULTS[self.fault].answer.status if self.fault else 200)

    @property
    def label(self) -> str:
        """The turn in a word or two."""
        if self.fault or self.status:
            return self.fault or f"status {self.status}"
        if self.tool_calls:
            return f"calls {', '.join(each.name for each in self.tool_calls)}"
        return next(name for name in ("reply", "chunks", "body") if self._has(name))

    def answer(self) -> FakeAnswer:
        """The turn as it goes over the wire: a fault's answer, with all that the turn says."""
        answer = FAULTS[self.fault].answer if self.fault else FakeAnswer()
        named = self.model_fields_set & {"finish", "delay", "pause"}
        answer = replace(answer, **{name: getattr(self, name) for name in named})
        if "usage" in self.model_fields_set:
            answer = replace(answer, usage=self.usage.counts if self.usage else None)
        if self._has("reply") or self.chunks:
            answer = replace(answer, text=self._text(), pieces=self.chunks)
        if self.tool_calls:
            answer = self._calling(answer)
        if self.error is not None and self.fault:
            answer = replace(answer, stream_error=self.error)
        elif self.status or self._has("body"):
            body = self.body if self.error is None else {"error": self.error}
            answer = replace(answer, status=self.status or 200, body=body)
        return replace(answer, headers=self._headers())

    def _calling(self, answer: FakeAnswer) -> FakeAnswer:
        calls = tuple(each.fake() for each in self.tool_calls)
        if not (self._has("reply") or self.chunks):
            answer = replace(answer, text="")
        if not (self.fault or "finish" in self.model_fields_set):
            answer = replace(answer, finish="tool_calls")
        return replace(answer, tool_calls=calls)

    def _text(self) -> str:
        if isinstance(self.reply, dict):
            return FORMS[self.form](self.reply)
        return "".join(self.chunks) if self.reply is None else self.reply

    def _headers(self) -> dict[str, str]:
        headers = {name: str(each) for name, each in self.headers.items()}
        if self.retry_after is None:
            return headers
        return {**headers, "Retry-After": f"{self.retry_after:.3f}".rstrip("0").rstrip(".")}


class Script(ScriptPart):
    """The turns, what a request gets when there is none for it, and which forms of reply the server
    refuses before it comes to a turn: those that an endpoint of that kind does not take."""

    turns: tuple[ScriptTurn, ...]
    endpoint: EndpointName = "openai"
    on_end: Literal["error", "repeat"] = "error"

    @field_validator("turns")
    @classmethod
    def _are_some(cls, value: tuple[ScriptTurn, ...]) -> tuple[ScriptTurn, ...]:
        if not value:
            raise ValueError("a script must have a turn")
        return value


def read_script(file: Path) -> Script:
    """The script in a file. Errors: ConfigError with file, line and column, or several of them."""
    document = read(file)
    return validate(Script, document.values, Composed(document.tree, file), ())
