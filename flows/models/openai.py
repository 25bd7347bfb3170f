"""Any endpoint that speaks OpenAI's chat completions: OpenAI, Ollama, vLLM, llama.cpp, others."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator

from flows.config.environment import read_variable
from flows.config.redaction import remember, reveal
from flows.core.chat import ChatReply, ChatRequest, OnText
from flows.core.destination import Destination
from flows.core.providers import OPENAI, destination_of
from flows.errors import ConfigError, ModelRefused
from flows.models.abilities import inability
from flows.models.address import Address, EndpointBounds, check_address, host_of
from flows.models.deadline import within
from flows.models.messages import sent_messages, tool_parameters
from flows.models.refusals import JSON_MODE_REFUSED, known_refusals, refusal_in, without
from flows.models.response_format import response_format
from flows.models.retry import Retry, call_with_retry
from flows.models.text import ReplyText
from flows.models.tool_calls import check_choice
from flows.models.tool_names import ToolNames

if TYPE_CHECKING:
    from flows.models.endpoint import Endpoint

PUBLIC_ENDPOINT = "https://api.openai.com/v1"
# The order in which the openai client writes them.
_BODY_ORDER = (
    "model", "stream", "messages", "frequency_penalty", "max_completion_tokens", "max_tokens",
    "presence_penalty", "response_format", "stream_options", "temperature", "tool_choice", "tools",
    "top_p",
)  # fmt: skip


class OpenAIConfig(BaseModel):
    """Where the endpoint is, what is asked of it, and how long and how much it may answer.

    Times are seconds. `base_url` and `api_key` fall back on OPENAI_BASE_URL and OPENAI_API_KEY.
    `json_mode: on` does without JSON mode never, `auto` where it is refused; `json_schema: off`
    sends no schema of the reply.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str = Field(min_length=1)
    base_url: str | None = None
    api_key: SecretStr | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, ge=1)
    top_p: float | None = Field(default=None, ge=0, le=1)
    frequency_penalty: float | None = Field(default=None, ge=-2, le=2)
    presence_penalty: float | None = Field(default=None, ge=-2, le=2)
    json_mode: Literal["auto", "on", "off"] = "auto"
    json_schema: Literal["auto", "off"] = "auto"
    stream: bool = True
    timeout_total: float = Field(default=300.0, gt=0, allow_inf_nan=False)
    timeout_idle: float = Field(default=90.0, gt=0, allow_inf_nan=False)
    timeout_connect: float = Field(default=10.0, gt=0, allow_inf_nan=False)
    max_reply_bytes: int = Field(default=1_000_000, ge=1)
    retry: Retry = Retry()

    @field_validator("base_url")
    @classmethod
    def _is_an_address(cls, value: str | None) -> str | None:
        if value is not None:
            check_address(value)
        return value


class OpenAIModel:
    """A chat model behind an OpenAI-compatible endpoint.

    A request is made as if the endpoint took all of it: the schema of the reply, usage in streams.
    What it refuses and can be asked without is left out, and remembered for the life of the
    process (`flows.models.refusals`). Makes no connection before the first reply.
    """

    Config: ClassVar[type[OpenAIConfig]] = OpenAIConfig

    @classmethod
    def destinations(cls, values: Mapping[str, Any]) -> tuple[Destination, ...]:
        """Where it sends its key. Errors: `ValueError` for a bad address."""
        return (destination_of("openai", values, provider=OPENAI),)

    def __init__(self, config: OpenAIConfig) -> None:
        self._config = config
        self._endpoint: Endpoint | None = None

    @property
    def name(self) -> str:
        return self._config.model

    @property
    def free(self) -> bool:
        return False

    @property
    def max_tokens(self) -> int | None:
        return self._config.max_tokens

    def prepare(self) -> None:
        """Import what the first reply needs, which takes half a second."""
        importlib.import_module("flows.models.endpoint")

    def body(self, request: ChatRequest) -> bytes:
        """The JSON of the request's first attempt, to the byte."""
        parameters = self._accepted(request)
        ordered = {name: parameters[name] for name in _BODY_ORDER if name in parameters}
        return json.dumps(ordered, ensure_ascii=False, separators=(",", ":")).encode()

    def check_settings(self) -> None:
        """Errors: `ConfigError` for a key that is missing or cannot be one, or a bad address."""
        try:
            self._address()
        except ModelRefused as error:
            raise ConfigError(str(error), path="model") from error

    async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        endpoint = self._connect()
        text = ReplyText(self._config.max_reply_bytes, on_text)

        async def attempt() -> ChatReply:
            nonlocal text
            text = ReplyText(self._config.max_reply_bytes, on_text)
            return await self._attempt(endpoint, request, text)

        total = self._config.timeout_total
        host = self._address().host
        async with within(total, f"{host} gave no whole reply within timeout_total ({total} s)"):
            return await call_with_retry(self._config.retry, attempt, lambda: not text.given)

    async def aclose(self) -> None:
        endpoint, self._endpoint = self._endpoint, None
        if endpoint is not None:
            await endpoint.aclose()

    def _connect(self) -> Endpoint:
        if self._endpoint is None or not self._endpoint.is_usable:
            from flows.models.endpoint import Endpoint  # half a second, for who asks a model

            config = self._config
            bounds = EndpointBounds(
                config.timeout_connect, config.timeout_idle, config.max_reply_bytes
            )
            self._endpoint = Endpoint(self._address(), bounds)
        return self._endpoint

    @property
    def _url(self) -> str:
        return self._config.base_url or os.environ.get("OPENAI_BASE_URL") or PUBLIC_ENDPOINT

    @property
    def _refused(self) -> set[str]:
        return known_refusals(self._url, self._config.model)

    def _address(self) -> Address:
        """The address and its key; a placeholder for an endpoint that may need none.

        Errors: ModelRefused for a key that is missing or cannot be one, or a bad address.
        """
        url = self._url
        try:
            check_address(url)
        except ValueError as error:
            raise ModelRefused(f"{error} (from OPENAI_BASE_URL)") from None
        given = self._config.api_key
        key = reveal(given) if given else remember(read_variable("OPENAI_API_KEY") or "")
        key = key.strip()
        if not key and host_of(url) == host_of(PUBLIC_ENDPOINT):
            raise ModelRefused(
                f"no key for {host_of(url)}: set the environment variable OPENAI_API_KEY or the "
                "model's api_key, or name an endpoint of your own with base_url (OPENAI_BASE_URL)"
            )
        if not key.isascii() or not key.isprintable() or " " in key:
            raise ModelRefused(
                "the key (api_key or OPENAI_API_KEY) holds a character that no key can have, "
                "such as a line break or a blank"
            )
        return Address(url, key or "none")

    async def _attempt(
        self, endpoint: Endpoint, request: ChatRequest, text: ReplyText
    ) -> ChatReply:
        """One attempt, and at once another for each parameter that turns out to be refused."""
        names = ToolNames(request.tools)
        while True:
            parameters = self._accepted(request)
            try:
                reply = await endpoint.ask(parameters, text, names)
                return check_choice(request, reply, self._address().host)
            except ModelRefused as error:
                if error.said is None or text.given:
                    raise
                refused = refusal_in(error.said, parameters)
                if refused is None or (self._demands_json and refused == JSON_MODE_REFUSED):
                    raise inability(error, request, self.name) from error.__cause__
                self._refused.add(refused)

    @property
    def _demands_json(self) -> bool:
        return self._config.json_mode == "on"

    def _accepted(self, request: ChatRequest) -> dict[str, Any]:
        """The parameters without those that the endpoint is known to refuse."""
        parameters = self._parameters(request)
        return without(parameters, self._refused, demands_json=self._demands_json)

    def _parameters(self, request: ChatRequest) -> dict[str, Any]:
        config = self._config
        temperature = config.temperature if request.temperature is None else request.temperature
        max_tokens = config.max_tokens if request.max_tokens is None else request.max_tokens
        parameters: dict[str, Any] = {
            "model": config.model,
            "messages": sent_messages(request),
            "stream": config.stream,
            **tool_parameters(request),
        }
        for name in ("top_p", "frequency_penalty", "presence_penalty"):
            if (value := getattr(config, name)) is not None:
                parameters[name] = value
        if temperature is not None:
            parameters["temperature"] = temperature
        if max_tokens is not None:
            parameters["max_tokens"] = max_tokens
        if config.stream:
            parameters["stream_options"] = {"include_usage": True}
        if config.json_mode != "off":
            schema = request.schema if config.json_schema == "auto" else None
            form = response_format(request.json_reply, schema)
            if form is not None:
                parameters["response_format"] = form
        return parameters
