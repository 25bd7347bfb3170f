"""Any chat model that LangChain's `init_chat_model` knows, with our limits and our errors."""

from __future__ import annotations

import asyncio
import json
import os
import warnings
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, ClassVar, cast

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from flows.config.packages import missing_package
from flows.config.redaction import remember, reveal
from flows.core.chat import ChatReply, ChatRequest, OnText
from flows.core.destination import Destination
from flows.core.providers import destination_of, provider_of
from flows.errors import ModelError, ModelRefused
from flows.models.abilities import inability
from flows.models.deadline import within
from flows.models.faults import error_from_vendor, scrub
from flows.models.langchain_reply import LangChainReply, model_with_tools
from flows.models.messages import sent_messages, tool_parameters
from flows.models.refusals import SCHEMA_REFUSED, known_refusals, refusal_in, without
from flows.models.response_format import response_format
from flows.models.retry import Retry, call_with_retry
from flows.models.text import ReplyText
from flows.models.tool_calls import ToolCallParts, check_choice
from flows.models.tool_names import ToolNames

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessageChunk
    from langchain_core.runnables import Runnable

# What LangChain warns of beside the error that says the same, which is dealt with.
_TOLD_BY_THE_ERROR = (
    "This model does not support OpenAI's structured output feature",
    "Invalid schema for OpenAI's structured output feature",
)


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

    A reply of a schema is asked for in the provider's own way (`with_structured_output`), which may
    be the arguments of a tool; JSON without a schema only of OpenAI, else by the prompt. What the
    provider refuses of this is remembered (`flows.models.refusals`). The provider's package decides
    how much memory a single event of a stream may take.
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
        return json.dumps(
            self._accepted(request), ensure_ascii=False, separators=(",", ":")
        ).encode()

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
        for told in _TOLD_BY_THE_ERROR:
            warnings.filterwarnings("ignore", told)
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
    def _provider(self) -> str:
        return self._config.model_provider or self._config.model.partition(":")[0]

    @property
    def _is_openai(self) -> bool:
        return self._provider == "openai"

    async def _attempt(
        self, model: BaseChatModel, request: ChatRequest, text: ReplyText
    ) -> ChatReply:
        names = ToolNames(request.tools)
        while True:
            accepted = self._accepted(request)
            try:
                reply = await self._ask(model, accepted, text, names)
                return check_choice(request, reply, self.name)
            except ModelRefused as error:
                if error.said is None or text.given:
                    raise
                refused = refusal_in(error.said, accepted)
                if refused is None and not self._is_openai and "response_format" in accepted:
                    refused = SCHEMA_REFUSED  # in words that are not known
                if refused is None:
                    raise inability(error, request, self.name) from error.__cause__
                self._refused.add(refused)

    async def _ask(
        self,
        model: BaseChatModel,
        accepted: Mapping[str, Any],
        text: ReplyText,
        names: ToolNames,
    ) -> ChatReply:
        from langsmith.run_helpers import tracing_context

        messages = accepted["messages"]
        asked = self._shaped(model, accepted)
        heard = LangChainReply(
            self.name, ToolCallParts(names, text, self.name) if len(names) else None
        )
        task = asyncio.current_task()
        assert task is not None
        cancelled = task.cancelling()
        with tracing_context(enabled=False):
            stream = asked.astream(messages, **self._overrides(accepted))
            async with aclosing(cast("AsyncGenerator[AIMessageChunk, None]", stream)) as chunks:
                while (chunk := await self._next(chunks, heard)) is not None:
                    if task.cancelling() > cancelled:
                        # A provider's package swallowed it, and would go on for ever.
                        raise asyncio.CancelledError
                    heard.add(chunk)
                    text.add(str(chunk.text) or heard.tool_reply(chunk))
        return heard.end(text.end(), self._config.model)

    @property
    def _refused(self) -> set[str]:
        return known_refusals(self._config.base_url or "", self.name)

    def _accepted(self, request: ChatRequest) -> dict[str, Any]:
        """The request in the words of OpenAI's protocol, without what is known to be refused."""
        parameters: dict[str, Any] = {
            "model": self.name,
            "messages": sent_messages(request),
            **tool_parameters(request),
        }
        if request.max_tokens is not None:
            parameters["max_tokens"] = request.max_tokens
        if request.temperature is not None:
            parameters["temperature"] = request.temperature
        if self._is_openai:
            parameters["stream_options"] = {"include_usage": True}
        # LangChain takes a schema of the reply for one of two things: this, or a tool.
        schema = None if request.tools else request.schema
        form = response_format(request.json_reply and self._is_openai, schema)
        if form is not None:
            parameters["response_format"] = form
        accepted = without(parameters, self._refused)
        if not self._is_openai and accepted.get("response_format", {}).get("type") == "json_object":
            del accepted["response_format"]
        return accepted

    def _shaped(
        self, model: BaseChatModel, accepted: Mapping[str, Any]
    ) -> Runnable[Any, AIMessageChunk]:
        """The model, told of functions, or of the schema of its reply, by its provider's own means.

        A provider without means for a schema, or whose package has none, goes by the prompt.
        Errors: `ModelRefused` where there are none for functions.
        """
        if "tools" in accepted:
            return model_with_tools(model, self.name, self._provider, accepted)
        form = accepted.get("response_format")
        if form is None or self._is_openai:
            return cast("Runnable[Any, AIMessageChunk]", model)
        schema = {"title": form["json_schema"]["name"], **form["json_schema"]["schema"]}
        try:
            parsed: Any = model.with_structured_output(schema, method="json_schema")
            # What comes behind the model would parse its reply, which is done elsewhere.
            return cast("Runnable[Any, AIMessageChunk]", parsed.first)
        except Exception:  # noqa: BLE001 - each provider's package says in its own way that it cannot
            self._refused.add(SCHEMA_REFUSED)
            return cast("Runnable[Any, AIMessageChunk]", model)

    def _overrides(self, accepted: Mapping[str, Any]) -> dict[str, Any]:
        names = ("temperature", "max_tokens", "max_completion_tokens")
        overrides = {name: accepted[name] for name in names if name in accepted}
        if self._is_openai:
            overrides["stream_usage"] = "stream_options" in accepted
            if form := accepted.get("response_format"):
                overrides["response_format"] = form
        return overrides

    async def _next(
        self, chunks: AsyncGenerator[AIMessageChunk, None], heard: LangChainReply
    ) -> AIMessageChunk | None:
        idle = self._config.timeout_idle
        try:
            async with within(
                idle, f"{self.name} was silent for longer than timeout_idle ({idle} s)"
            ):
                return await anext(chunks, None)
        except ModelError:
            raise
        except Exception as error:  # noqa: BLE001 - each provider raises errors of its own
            if heard.is_cut(error):
                return None
            # The cause is left out, because it may quote the key.
            raise error_from_vendor(error, where=self.name) from None
