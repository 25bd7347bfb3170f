"""What clients send, as far as a flow can do it; what it cannot do is refused by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from flows.core.values import Values
from flows.errors import ConfigError

# What says how a language model writes: a flow writes as it does, whatever it says.
NO_EFFECT: Final = frozenset({
    "temperature", "top_p", "top_k", "min_p", "seed", "presence_penalty", "frequency_penalty",
    "repetition_penalty", "logit_bias", "max_tokens", "max_completion_tokens", "max_output_tokens",
    "user", "metadata", "store", "service_tier", "parallel_tool_calls", "reasoning_effort",
    "reasoning", "verbosity", "truncation", "include", "safety_identifier", "prompt_cache_key",
    "prompt_cache_retention", "keep_alive",
})  # fmt: skip
# What asks for something that no flow gives, with the values that ask for nothing.
_REFUSED: Final[Mapping[str, tuple[object, ...]]] = {
    "tools": ([],), "functions": ([],), "tool_choice": ("none", "auto"),
    "function_call": ("none", "auto"), "response_format": ({"type": "text"},),
    "text": ({"format": {"type": "text"}}, {}), "n": (1,), "stop": ([],), "logprobs": (False,),
    "top_logprobs": (0,), "modalities": (["text"],), "audio": (), "prediction": (),
    "web_search_options": (), "background": (False,), "conversation": (), "prompt": (),
    "max_tool_calls": (), "moderation": (),
}  # fmt: skip
_TEXTS: Final = ("text", "input_text", "output_text")

Role = Literal["system", "developer", "user", "assistant"]
Progress = Literal["none", "content", "reasoning"]


@dataclass(frozen=True, slots=True)
class Said:
    """A message of a conversation."""

    role: str
    text: str


class _Sent(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SentMessage(BaseModel):
    """A message: a text, or the parts of one."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    role: Role
    content: str | tuple[Values, ...] | None = None
    tool_calls: tuple[Values, ...] | None = None


class StreamOptions(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    include_usage: bool = False


class CompletionRequest(_Sent):
    """A conversation, and the flow that goes on with it. `inputs` are inputs of the flow that are
    no text of the conversation; `progress` is where a stream tells what is being done."""

    model: str = Field(min_length=1)
    messages: tuple[SentMessage, ...] = Field(min_length=1, max_length=2_000)
    stream: bool = False
    stream_options: StreamOptions | None = None
    inputs: Values = {}
    progress: Progress = "none"


class ResponseRequest(_Sent):
    """The same, as the API of responses has it."""

    model: str = Field(min_length=1)
    input: str | tuple[Values, ...]
    instructions: str | None = None
    previous_response_id: str | None = None
    stream: bool = False
    stream_options: Values | None = None
    inputs: Values = {}


def without_effect(values: Any) -> Any:
    """What was sent without what has no effect here.

    Errors: `ConfigError` for what asks for something that no flow gives.
    """
    if not isinstance(values, Mapping):
        return values
    for name, nothing in _REFUSED.items():
        if values.get(name) is not None and values[name] not in nothing:
            raise ConfigError(f"{name} is not offered: a model here is a flow", path=name)
    return {key: each for key, each in values.items() if key not in {*NO_EFFECT, *_REFUSED}}


def said_in(messages: Sequence[SentMessage]) -> tuple[Said, ...]:
    """The conversation in words. Errors: `ConfigError` for what is no text."""
    found = []
    for number, each in enumerate(messages):
        if each.tool_calls:
            raise ConfigError("calls of tools are not taken", path=f"messages.{number}.tool_calls")
        found.append(Said(each.role, _text(each.content, f"messages.{number}.content")))
    return tuple(found)


def said_in_input(sent: ResponseRequest) -> tuple[Said, ...]:
    """The conversation of a request for a response. Errors: `ConfigError`."""
    if isinstance(sent.input, str):
        return (Said("user", sent.input),)
    found = []
    for number, item in enumerate(sent.input):
        where = f"input.{number}"
        if item.get("type", "message") != "message":
            raise ConfigError(f"{item['type']!r} is not taken", path=where, allowed=["message"])
        role = item.get("role")
        if role not in ("system", "developer", "user", "assistant"):
            raise ConfigError(f"{role!r} is no role", path=f"{where}.role")
        content = item.get("content")
        parts = tuple(content) if isinstance(content, list | tuple) else content
        found.append(Said(role, _text(parts, f"{where}.content")))
    return tuple(found)


def _text(content: Any, where: str) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    texts = []
    for part in content if isinstance(content, tuple) else ():
        kind = part.get("type") if isinstance(part, Mapping) else None
        if kind not in _TEXTS or not isinstance(part.get("text"), str):
            raise ConfigError(f"{kind or part!r} is not taken", path=where, allowed=["text"])
        texts.append(part["text"])
    if not isinstance(content, tuple):
        raise ConfigError("it is no text", path=where, allowed=["text"])
    return "\n".join(texts)
