"""The model of an MCP client: what a served flow asks its model, the client's model answers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import ClassVar, Protocol

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import to_json

from flows.core.chat import ChatReply, ChatRequest, OnText
from flows.errors import ModelRefused


class ModelClient(Protocol):
    """A client that has a model of its own. Errors: `ModelError` and its children."""

    async def sample(self, request: ChatRequest, max_tokens: int) -> ChatReply:
        """What the client's model replies, in at most so many tokens."""
        ...


_client: ContextVar[ModelClient | None] = ContextVar("client", default=None)


@contextmanager
def answered_by(client: ModelClient) -> Iterator[None]:
    """The runs that are begun in here have the model of this client."""
    token = _client.set(client)
    try:
        yield
    finally:
        _client.reset(token)


class ClientModelConfig(BaseModel):
    """The keys of the client's model. Which one it is, the client says."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_tokens: int = Field(default=4_096, ge=1, description="the most tokens of a reply")


class ClientModel:
    """Asks the model of the client that called the flow as a tool (`sampling/createMessage`).

    The client pays for it, and may ask its person first. It counts no tokens, is offered no
    functions, and is told the shape of a reply by the prompt alone. Errors: `ModelRefused` where
    no client is there that has a model.
    """

    Config: ClassVar[type[ClientModelConfig]] = ClientModelConfig

    def __init__(self, config: ClientModelConfig) -> None:
        self._config = config

    @property
    def name(self) -> str:
        return "client"

    @property
    def free(self) -> bool:
        return False

    @property
    def max_tokens(self) -> int | None:
        return self._config.max_tokens

    def body(self, request: ChatRequest) -> bytes:
        messages = [each.model_dump(mode="json") for each in request.messages]
        return to_json({"messages": messages, "max_tokens": self._most(request)})

    async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        client = _client.get()
        if client is None:
            raise ModelRefused(
                "model=client is the model of the client that calls the flow as a tool of flows "
                "mcp, and no client waits for this run; name another one, such as model=openai"
            )
        if request.tools:
            raise ModelRefused("the model of an MCP client is offered no functions")
        reply = await client.sample(request, self._most(request))
        if on_text is not None and reply.text:
            on_text(reply.text)
        return reply

    async def aclose(self) -> None:
        """Nothing is open."""

    def _most(self, request: ChatRequest) -> int:
        return request.max_tokens or self._config.max_tokens
