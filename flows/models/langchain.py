"""Any chat model that LangChain's `init_chat_model` knows, with our limits and our errors."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, ClassVar, cast

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from flows.config.packages import missing_package
from flows.config.redaction import redact, remember, reveal
from flows.core.chat import ChatReply, ChatRequest, OnText, Usage
from flows.core.destination import Destination
from flows.core.providers import destination_of, provider_of
from flows.errors import ModelError, ModelRefused, ModelReplyInvalid, ModelUnreachable
from flows.models.completion import tokens
from flows.models.deadline import within
from flows.models.faults import BadRequest, error_from_vendor, scrub
from flows.models.retry import Retry, call_with_retry
from flows.models.text import ReplyText, finish_from_word, valid_text

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessageChunk

# The names under which providers put the reason why a reply ended into its metadata.
_FINISH_NAMES = ("finish_reason", "stop_reason", "done_reason", "finishReason", "stopReason")


class LangChainConfig(BaseModel):
    """Which provider and model, and how long and how much it may answer. Times are seconds.

    `model` is `provider:name`, or a name with `model_provider` beside it. Without `api_key` the
    provider's own environment variable is used.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str = Field(min_length=1)
    model_provider: str | None = None
    api_key: SecretStr | None = None
    base_url: str | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, ge=1)
    timeout_total: float = Field(default=300.0, gt=0, allow_inf_nan=False)
    timeout_idle: float = Field(default=90.0, gt=0, allow_inf_nan=False)
    max_reply_bytes: int = Field(default=1_000_000, ge=1)
    retry: Retry = Retry()


class LangChainModel:
    """A chat model through LangChain. Sends nothing to LangSmith, whatever the environment says.

    `json_reply` is left to the prompt: LangChain has no word for it that all providers know.
    The provider's package decides how much memory a single event of a stream may take.
    """

    Config: ClassVar[type[LangChainConfig]] = LangChainConfig

    @classmethod
    def destinations(cls, values: Mapping[str, Any]) -> tuple[Destination, ...]:
        """Where it sends its key. Errors: `ValueError` for a bad address."""
        provider = provider_of(str(values.get("model", "")), values.get("model_provider"))
        return (destination_of(provider, values),)

    def __init__(self, config: LangChainConfig) -> None:
        self._config = config
        self._model: BaseChatModel | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._http_client: Any = None
        self._asks_for_usage = True

    @property
    def name(self) -> str:
        provider = self._config.model_provider
        return f"{provider}:{self._config.model}" if provider else self._config.model

    @property
    def free(self) -> bool:
        return False

    @property
    def max_tokens(self) -> int | None:
        return self._config.max_tokens

    def body(self, request: ChatRequest) -> bytes:
        """What is handed to LangChain, as JSON; its provider's own form is not known here."""
        messages = [{"role": m.role, "content": valid_text(m.content)} for m in request.messages]
        given = {"model": self.name, "messages": messages, **self._overrides(request)}
        return json.dumps(given, ensure_ascii=False).encode()

    async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        model = await self._connect()
        text = ReplyText(self._config.max_reply_bytes, on_text)

        async def attempt() -> ChatReply:
            nonlocal text
            text = ReplyText(self._config.max_reply_bytes, on_text)
            return await self._attempt(model, request, text)

        total = self._config.timeout_total
        late = f"{self.name} gave no whole reply within timeout_total ({total} s)"
        async with within(total, late):
            return await call_with_retry(self._config.retry, attempt, lambda: not text.given)

    async def aclose(self) -> None:
        client, self._http_client, self._model = self._http_client, None, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.aclose()

    async def _connect(self) -> BaseChatModel:
        """The model for the running event loop; its connections cannot move to another loop."""
        loop = asyncio.get_running_loop()
        if self._model is None or self._loop is not loop:
            self._model, self._loop = self._make(), loop
        return self._model

    def _make(self) -> BaseChatModel:
        from langchain.chat_models import init_chat_model

        config = self._config
        for name, value in os.environ.items():
            if name.endswith("API_KEY"):  # without one in the config, a provider may find it here
                remember(value)
        try:
            model: BaseChatModel = init_chat_model(
                config.model, model_provider=config.model_provider, **self._parameters()
            )
        except ImportError as error:
            raise ModelRefused(missing_package(self.name, error)) from error
        except Exception as error:  # noqa: BLE001 - each provider raises errors of its own
            # The cause is left out, because it may quote the parameters and with them the key.
            problem = scrub(str(error))
            raise ModelRefused(f"{self.name} could not be set up: {problem}") from None
        return model

    def _parameters(self) -> dict[str, Any]:
        config = self._config
        given = {
            "api_key": reveal(config.api_key) if config.api_key else None,
            "base_url": config.base_url,
            "temperature": config.temperature,
            "max_tokens": config.max_tokens,
            "max_retries": 0,
        }
        parameters = {name: each for name, each in given.items() if each is not None}
        if self._is_openai:
            import openai

            # LangChain's own client is shared by all event loops of the process, never closed.
            self._http_client = openai.DefaultAsyncHttpxClient()
            parameters["http_async_client"] = self._http_client
        return parameters

    @property
    def _is_openai(self) -> bool:
        provider = self._config.model_provider or self._config.model.partition(":")[0]
        return provider == "openai"

    async def _attempt(
        self, model: BaseChatModel, request: ChatRequest, text: ReplyText
    ) -> ChatReply:
        try:
            return await self._ask(model, request, text)
        except BadRequest as error:
            refused = "stream_options" in error.said or "include_usage" in error.said
            if not (self._is_openai and self._asks_for_usage and refused) or text.given:
                raise
        self._asks_for_usage = False
        return await self._ask(model, request, text)

    async def _ask(self, model: BaseChatModel, request: ChatRequest, text: ReplyText) -> ChatReply:
        from langsmith.run_helpers import tracing_context

        messages = [(each.role, valid_text(each.content)) for each in request.messages]
        heard = _Heard()
        task = asyncio.current_task()
        assert task is not None
        cancelled = task.cancelling()
        with tracing_context(enabled=False):
            stream = model.astream(messages, **self._overrides(request))
            async with aclosing(cast("AsyncGenerator[AIMessageChunk, None]", stream)) as chunks:
                while (chunk := await self._next(chunks)) is not None:
                    if task.cancelling() > cancelled:
                        # A provider's package swallowed it, and would go on for ever.
                        raise asyncio.CancelledError
                    heard.add(chunk)
                    text.add(str(chunk.text))
        return self._whole(heard, text.end())

    def _overrides(self, request: ChatRequest) -> dict[str, Any]:
        overrides: dict[str, Any] = {}
        if request.temperature is not None:
            overrides["temperature"] = request.temperature
        if request.max_tokens is not None:
            overrides["max_tokens"] = request.max_tokens
        if self._is_openai:
            overrides["stream_usage"] = self._asks_for_usage
        return overrides

    async def _next(self, chunks: AsyncGenerator[AIMessageChunk, None]) -> AIMessageChunk | None:
        idle = self._config.timeout_idle
        try:
            async with within(
                idle, f"{self.name} was silent for longer than timeout_idle ({idle} s)"
            ):
                return await anext(chunks, None)
        except ModelError:
            raise
        except Exception as error:  # noqa: BLE001 - each provider raises errors of its own
            # The cause is left out, because it may quote the key.
            raise error_from_vendor(error, where=self.name) from None

    def _whole(self, heard: _Heard, text: str) -> ChatReply:
        if not heard.finish_word:
            raise ModelUnreachable(f"{self.name} cut the reply off before its end")
        finish = finish_from_word(heard.finish_word, self.name)
        if not text and heard.refusal:
            text, finish = heard.refusal, "content_filter"
        if not text and finish == "stop":
            raise ModelReplyInvalid(f"{self.name} ended the reply without any text")
        return ChatReply(
            text=text, finish=finish, model=heard.model or self._config.model, usage=heard.usage
        )


class _Heard:
    """What the chunks said beside the text."""

    def __init__(self) -> None:
        self.finish_word = ""
        self.model = ""
        self.refusal = ""
        self.usage = Usage(model_calls=1)

    def add(self, chunk: AIMessageChunk) -> None:
        metadata = chunk.response_metadata
        self.finish_word = _first_text(metadata, _FINISH_NAMES) or self.finish_word
        self.model = redact(_first_text(metadata, ("model_name", "model"))) or self.model
        self.refusal += _first_text(chunk.additional_kwargs, ("refusal",))
        if chunk.usage_metadata:
            # Some providers count the input in the first chunk and the output in the last.
            self.usage += Usage(
                input_tokens=tokens(chunk.usage_metadata["input_tokens"]),
                output_tokens=tokens(chunk.usage_metadata["output_tokens"]),
            )


def _first_text(metadata: Mapping[str, Any], names: tuple[str, ...]) -> str:
    found = [metadata[name] for name in names if isinstance(metadata.get(name), str)]
    return found[0] if found else ""
