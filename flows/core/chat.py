"""The protocol of chat models: one request, one reply, text on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from operator import not_
from typing import Any, Final, Literal, Protocol, TypeVar, get_args, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import to_json

from flows.core.function_description import FunctionDescription
from flows.core.reply import ReplySchema

N = TypeVar("N", int, float)
MessageRole = Literal["system", "user", "assistant", "tool"]
Finish = Literal["stop", "length", "content_filter", "tool_calls"]
MediaType = Literal["image/png", "image/jpeg", "image/gif", "image/webp"]
# How a reply ended that is not whole.
CUTS: Final[Mapping[Finish, str]] = {
    "length": "was cut at its length limit",
    "content_filter": "was stopped by the provider's content filter",
}


class ToolCall(BaseModel):
    """A call that a model asks for.

    Nothing of it is checked yet: `name` may be one that was not offered, and `arguments`, one
    object of JSON as the model wrote it, may not fit the function's schema. `id` is unique in its
    reply. Where several functions of one name were offered, `name` is the id of the function.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    name: str
    arguments: Mapping[str, Any]

    @property
    def size(self) -> int:
        """Bytes of the call as text."""
        return len(self.id) + len(self.name.encode()) + len(to_json(self.arguments))


class ImagePart(BaseModel):
    """A picture beside the text of a message: an address, or an artifact of the run by its name.

    An artifact may be a PNG, JPEG, GIF or WebP by its content, whatever it is called; its bytes
    are in no message and no journal (`flows.core.pictures`).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: str = ""
    artifact: str = ""


class Message(BaseModel):
    """One message of a chat, as every provider knows it.

    One of the assistant may hold the `tool_calls` that it asked for; the result of each is a
    message of the role `tool` with its `tool_call_id`. `images` stand beside the text of a user.
    `role_name` is what the provider is told in the place of the role, such as `developer`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    role: MessageRole
    content: str
    # Left out of what is written where there are none: digests of older messages stay the same.
    tool_calls: tuple[ToolCall, ...] = Field(default=(), exclude_if=not_)
    tool_call_id: str = Field(default="", exclude_if=not_)
    images: tuple[ImagePart, ...] = Field(default=(), exclude_if=not_)
    role_name: str = Field(default="", exclude_if=not_)

    @property
    def sent_role(self) -> str:
        """The role as the provider is told it."""
        return self.role_name or self.role

    @property
    def size(self) -> int:
        """Bytes of its text and of its tool calls; pictures are not counted."""
        calls = sum(each.size for each in self.tool_calls)
        return len(self.content.encode()) + len(self.tool_call_id) + calls


def named_message(name: str, content: str) -> Message:
    """A message of the role of that name; of the user, if the protocol has no such role, who is
    then called so."""
    for role in get_args(MessageRole):
        if name == role:
            return Message(role=role, content=content)
    return Message(role="user", content=content, role_name=name)


class Usage(BaseModel):
    """What was spent. Tokens are the provider's count; None where it does not count.

    `cost` is in US dollars, of the calls whose price is known; the others are `unpriced_calls`.
    `possibly_billed` are calls that were sent and whose reply was lost with a killed process.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    model_calls: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    unpriced_calls: int = 0
    possibly_billed: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            model_calls=self.model_calls + other.model_calls,
            input_tokens=_plus(self.input_tokens, other.input_tokens),
            output_tokens=_plus(self.output_tokens, other.output_tokens),
            cost=_plus(self.cost, other.cost),
            unpriced_calls=self.unpriced_calls + other.unpriced_calls,
            possibly_billed=self.possibly_billed + other.possibly_billed,
        )


UNUSED: Final = Usage()


def _plus(one: N | None, other: N | None) -> N | None:
    return one if other is None else other if one is None else one + other


class ChatReply(BaseModel):
    """A whole reply. `finish` is why it ended; only `stop` means that it is complete, and
    `tool_calls` that the model waits for the results of what it asks for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    finish: Finish
    model: str
    usage: Usage
    tool_calls: tuple[ToolCall, ...] = Field(default=(), exclude_if=not_)


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier exchange with the same flow: the values its prompt was made from, and the reply.

    `inputs` are plain data (what JSON can hold), because a turn may come from the journal.
    """

    inputs: Mapping[str, Any]
    reply: str


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """What a model is asked.

    `messages` is what a language model reads. `role`, `inputs` and `turns` say the same as typed
    values, for a model that does not read prose: `role` is the part that the model plays
    (`controller`, `sql`, ...), `inputs` the values that the last user message was rendered from,
    `turns` the earlier exchanges, oldest first. `json_reply` asks for one JSON object, `schema` for
    one of this shape; a model without a way to say so goes by its prompt alone. `tools` are the
    functions that it may ask to call; `tool_choice` is "auto", "none", "required" or the name of
    the one that it must call. `pictures` are the bytes of the artifacts that `images` of messages
    name, which `Work.ask_model` reads.
    """

    messages: tuple[Message, ...]
    role: str = "chat"
    inputs: Mapping[str, Any] = field(default_factory=dict)
    turns: tuple[Turn, ...] = ()
    json_reply: bool = False
    schema: ReplySchema | None = None
    tools: tuple[FunctionDescription, ...] = ()
    tool_choice: str = "auto"
    pictures: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    temperature: float | None = None
    max_tokens: int | None = None

    def bounded(self, max_tokens: int) -> ChatRequest:
        """The same with a limit on the reply."""
        return replace(self, max_tokens=max_tokens)


OnText = Callable[[str], None]


@runtime_checkable
class PreparedModel(Protocol):
    """A model whose first reply takes longer than others, unless it is prepared."""

    def prepare(self) -> None:
        """Do beforehand what the first reply would do first; nothing is sent."""
        ...


@runtime_checkable
class ChatModel(Protocol):
    """Any chat model. Errors: `flows.errors.ModelError` and its children, nothing else."""

    @property
    def name(self) -> str:
        """The model's name as the user knows it, for events, prices and reports."""
        ...

    @property
    def free(self) -> bool:
        """Whether a call costs neither money nor a provider's tokens."""
        ...

    @property
    def max_tokens(self) -> int | None:
        """The most tokens of a reply, unless a request says otherwise; None is the provider's."""
        ...

    def body(self, request: ChatRequest) -> bytes:
        """The request as the model gets it: for a provider, the JSON that is sent to it."""
        ...

    async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        """Answer. `on_text` is given each piece of the text as it arrives, in order."""
        ...

    async def aclose(self) -> None:
        """Give up connections. Called once, at the end of a run."""
        ...
