"""The client's model as the model of a run: each call is a request that the client answers."""

from __future__ import annotations

import asyncio
import base64
from dataclasses import dataclass, field
from typing import Final

from mcp.server import ServerRequestContext
from mcp_types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    CreateMessageResultWithTools,
    ImageContent,
    SamplingMessage,
    SamplingMessageContentBlock,
    TextContent,
)

from flows.config.redaction import redact
from flows.core.chat import ChatReply, ChatRequest, Finish, Message, Usage
from flows.core.pictures import check_picture
from flows.errors import ModelRefused, ModelReplyInvalid, ModelUnreachable

Sampled = CreateMessageResult | CreateMessageResultWithTools

_WAIT_SECONDS: Final = 3_600.0  # how long a run waits for the client's model
_FINISHES: Final[dict[str, Finish]] = {"maxTokens": "length", "toolUse": "tool_calls"}


@dataclass(eq=False, slots=True)
class ModelCall:
    """A call of the client's model that a run waits for; `key` tells it from the run's others."""

    key: str
    params: CreateMessageRequestParams
    result: asyncio.Future[Sampled] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )

    @property
    def id(self) -> str:
        return self.key

    def request(self) -> CreateMessageRequest:
        return CreateMessageRequest(params=self.params)

    def take(self, result: Sampled) -> None:
        """Go on with what the client's model replied."""
        if not self.result.done():
            self.result.set_result(result)

    def refuse(self, why: str) -> None:
        """Go on without a reply."""
        if not self.result.done():
            self.result.set_exception(ModelRefused(f"the client's model gave no reply: {why}"))


class ModelCalls:
    """The calls of its client's model that a run makes, of which `open` ones wait for an answer.
    Belongs to the event loop that serves the client; only `sample` is called in other threads."""

    def __init__(self) -> None:
        self.open: dict[str, ModelCall] = {}
        self.asked = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._number = 0

    async def sample(self, request: ChatRequest, max_tokens: int) -> ChatReply:
        """What the client's model replies. Errors: `ModelError` and its children."""
        answer = self._answer(sampling_params(request, max_tokens))
        waiting = asyncio.run_coroutine_threadsafe(answer, self._loop)
        return sampled_reply(await asyncio.wrap_future(waiting))

    async def _answer(self, params: CreateMessageRequestParams) -> Sampled:
        self._number += 1
        call = ModelCall(f"model_{self._number}", params)
        self.open[call.key] = call
        self.asked.set()
        try:
            async with asyncio.timeout(_WAIT_SECONDS):
                return await call.result
        except TimeoutError as error:
            raise ModelUnreachable(
                f"the client gave no reply of its model within {_WAIT_SECONDS:.0f} s"
            ) from error
        finally:
            del self.open[call.key]
            if not self.open:
                self.asked.clear()


def can_sample(context: ServerRequestContext[object, object]) -> bool:
    """Whether the client lets its model be asked."""
    capabilities = context.session.client_capabilities
    return capabilities is not None and capabilities.sampling is not None


def sampling_params(request: ChatRequest, max_tokens: int) -> CreateMessageRequestParams:
    """A request as the protocol has it. Errors: `ModelRefused` for a picture at an address."""
    system = "\n\n".join(each.content for each in request.messages if each.role == "system")
    return CreateMessageRequestParams(
        messages=[_message(each, request) for each in request.messages if each.role != "system"],
        system_prompt=redact(system) if system else None,
        temperature=request.temperature,
        max_tokens=max_tokens,
    )


def sampled_reply(result: Sampled) -> ChatReply:
    """What came back as a reply. Errors: `ModelReplyInvalid` for one without a text."""
    blocks = result.content if isinstance(result.content, list) else [result.content]
    texts = [each.text for each in blocks if isinstance(each, TextContent)]
    if not texts:
        raise ModelReplyInvalid("the client's model replied without a text")
    finish = _FINISHES.get(result.stop_reason or "", "stop")
    return ChatReply(
        text="\n".join(texts), finish=finish, model=result.model, usage=Usage(model_calls=1)
    )


def _message(message: Message, request: ChatRequest) -> SamplingMessage:
    content: list[SamplingMessageContentBlock] = [TextContent(text=redact(message.content))]
    for image in message.images:
        picture = request.pictures.get(image.artifact)
        if picture is None:
            raise ModelRefused(f"an MCP client's model takes no picture at {image.url}")
        data = base64.b64encode(picture).decode()
        kind = check_picture(image.artifact, picture)
        content.append(ImageContent(data=data, mime_type=kind))
    return SamplingMessage(
        role="assistant" if message.role == "assistant" else "user",
        content=content if message.images else content[0],
    )
