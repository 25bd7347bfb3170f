"""LiteLLM's way to name a model, as configs of aiflows have it, over OpenAI-compatible endpoints.

`model_name` is `gpt-4`, `azure/my-deployment`, `groq/llama-3.1-8b-instant`, or one name for each
backend. Which of them is asked is decided by the keys there are: those of `api_infos`, else those
of the environment. Without any the run's own model answers.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from flows.config.environment import read_variable
from flows.config.no_effect import NoEffect
from flows.core.chat import ChatReply, ChatRequest, OnText
from flows.core.destination import Destination, origin_of
from flows.errors import ConfigError, ModelOverloaded, ModelRefused
from flows.models.openai import OpenAIConfig, OpenAIModel
from flows.models.retry import Retry


@dataclass(frozen=True, slots=True)
class Compatible:
    """A provider whose endpoint speaks OpenAI's chat completions: its address, and the
    environment variables that hold its key and another address."""

    address: str
    key: str = ""
    addresses: tuple[str, ...] = ()

    def named_address(self) -> str:
        named = (os.environ.get(name) for name in self.addresses)
        return next((each for each in named if each), self.address)


AZURE: Final = "azure"
# By the prefixes of LiteLLM.
COMPATIBLE: Final[Mapping[str, Compatible]] = {
    "openai": Compatible(
        "https://api.openai.com/v1", "OPENAI_API_KEY", ("OPENAI_BASE_URL", "OPENAI_API_BASE")
    ),
    AZURE: Compatible("", "AZURE_API_KEY", ("AZURE_API_BASE",)),
    "deepseek": Compatible("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
    "fireworks_ai": Compatible("https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY"),
    "groq": Compatible("https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    "mistral": Compatible("https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    "nvidia_nim": Compatible("https://integrate.api.nvidia.com/v1", "NVIDIA_API_KEY"),
    "ollama": Compatible("http://localhost:11434/v1", "", ("OLLAMA_API_BASE",)),
    "openrouter": Compatible("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    "perplexity": Compatible("https://api.perplexity.ai", "PERPLEXITY_API_KEY"),
    "together_ai": Compatible("https://api.together.xyz/v1", "TOGETHER_API_KEY"),
    "xai": Compatible("https://api.x.ai/v1", "XAI_API_KEY"),
}


class ApiInfo(BaseModel):
    """A key for a backend, as aiflows' `ApiInfo`; `api_base` is the address of an endpoint."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    target: str | None = Field(default=None, alias="_target_")
    backend_used: str = "openai"
    api_key: SecretStr | None = None
    api_base: str | None = None
    api_version: Annotated[
        str | None, NoEffect("Azure's endpoint of version 1 is asked, which takes none")
    ] = None


class LiteLLMConfig(BaseModel):
    """The keys of a `LiteLLMBackend`. `api_infos` is null for the keys of the environment.

    `n`, `wait_time_per_key`, `embeddings_call` and `api_version` are taken as they are written;
    one answer is made, keys are used in turn, and Azure's endpoint of version 1 is asked.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    api_infos: tuple[ApiInfo, ...] | ApiInfo | None = None
    model_name: str | dict[str, str] = "gpt-3.5-turbo"
    n: int = Field(default=1, ge=1, le=1, description="answers of a call: one")
    max_tokens: int | None = Field(default=None, ge=1)
    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, ge=0, le=1)
    frequency_penalty: float | None = Field(default=None, ge=-2, le=2)
    presence_penalty: float | None = Field(default=None, ge=-2, le=2)
    stream: bool = True
    wait_time_per_key: Annotated[
        float, NoEffect("an endpoint that is overloaded says itself how long to wait")
    ] = Field(default=6, ge=0)
    embeddings_call: Annotated[bool, NoEffect("it answers messages alone")] = False
    attempts: int = Field(default=3, ge=1, le=20, description="tries of a call")
    wait_max: float = Field(
        default=20, ge=0, le=600, description="seconds between two tries, at most"
    )


@dataclass(frozen=True, slots=True)
class Route:
    """One endpoint that a call can go to: provider, model and key; "" is that of the environment.

    `usual` says that the key belongs to the address: both are the environment's or the provider's.
    """

    provider: str
    model: str
    url: str
    key: SecretStr | None
    variable: str

    def settings(self, config: LiteLLMConfig) -> OpenAIConfig:
        key = self.key or SecretStr(read_variable(self.variable) or "none")
        sampling = {
            name: value
            for name in ("temperature", "max_tokens", "top_p", "frequency_penalty",
                         "presence_penalty")
            if (value := getattr(config, name)) is not None
        }  # fmt: skip
        return OpenAIConfig(
            model=self.model, base_url=self.url, api_key=key, stream=config.stream,
            retry=Retry(attempts=config.attempts, wait_max=config.wait_max), **sampling,
        )  # fmt: skip


def routes_of(config: LiteLLMConfig) -> list[Route]:
    """The endpoints that there are keys for, in the order of `api_infos`, else of the providers
    that `model_name` names. Errors: `ConfigError` for a provider that speaks another protocol."""
    named = dict(_models(config.model_name))
    infos = config.api_infos
    if infos is None:
        found = (_of_environment(provider, model) for provider, model in named.items())
        return [each for each in found if each is not None]
    routes = []
    for info in (infos,) if isinstance(infos, ApiInfo) else infos:
        provider = info.backend_used
        if provider not in named:
            known = ", ".join(named)
            raise ConfigError(f"model_name has no model for the backend {provider!r} ({known})")
        url = _url(provider, info.api_base or _compatible(provider).named_address())
        variable = "" if info.api_key else _compatible(provider).key
        routes.append(Route(provider, named[provider], url, info.api_key, variable))
    return routes


def written_routes(config: LiteLLMConfig) -> list[Route]:
    """The same as far as the config says it, whatever keys the environment has; an address is ""
    where only the environment knows it. Errors: `ConfigError`."""
    if config.api_infos is not None:
        return routes_of(config)
    found = []
    for provider, model in _models(config.model_name):
        if provider not in _OTHERS:
            known = _compatible(provider)
            url = _url(provider, known.address) if known.address else ""
            found.append(Route(provider, model, url, None, known.key))
    return found


def _models(names: str | Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Provider and model of each name: by its prefix, else by its backend."""
    for backend, name in ({"": names} if isinstance(names, str) else names).items():
        prefix, slash, rest = name.partition("/")
        if slash and (prefix in COMPATIBLE or prefix in _OTHERS):
            yield prefix, rest
        else:
            yield backend or "openai", name


_OTHERS: Final = frozenset({"anthropic", "bedrock", "cohere", "gemini", "vertex_ai", "sagemaker"})


def _compatible(provider: str) -> Compatible:
    found = COMPATIBLE.get(provider)
    if found is None:
        raise ConfigError(
            f"the backend {provider!r} does not speak OpenAI's protocol: use model=langchain for "
            "it, and leave api_infos empty",
            allowed=tuple(COMPATIBLE),
        )
    return found


def _of_environment(provider: str, model: str) -> Route | None:
    if provider in _OTHERS:
        return None
    known = _compatible(provider)
    address = known.named_address()
    wanted = (known.key,) if known.key else known.addresses
    if not address or not any(read_variable(name) for name in wanted):
        return None
    return Route(provider, model, _url(provider, address), None, known.key)


def _url(provider: str, address: str) -> str:
    if provider == AZURE and "/openai" not in address:
        return f"{address.rstrip('/')}/openai/v1"
    return address


class LiteLLMModel:
    """Asks the endpoints that it has keys for, in turn: one that is overloaded hands the call on to
    the next. `filled` says that the config holds the keys; without any key at all, in the config or
    the environment, there is no endpoint to ask, and `answers` is false."""

    Config: ClassVar[type[LiteLLMConfig]] = LiteLLMConfig

    @classmethod
    def destinations(cls, values: Mapping[str, Any]) -> tuple[Destination, ...]:
        """Where it sends its keys. Errors: `ValueError` for a bad address."""
        found = []
        for route in routes_of(LiteLLMConfig.model_validate(dict(values))):
            known = COMPATIBLE[route.provider]
            own = origin_of(route.url) in {origin_of(each) for each in _addresses(known)}
            written = route.key is not None
            at = ("api_infos",) if written else ()
            found.append(
                Destination(
                    origin_of(route.url), "api_key" if written else route.variable,
                    own and not written, (), at, written=written,
                )
            )  # fmt: skip
        return tuple(found)

    def __init__(self, config: LiteLLMConfig) -> None:
        routes = routes_of(config)
        self.filled = config.api_infos is not None
        self._config = config
        self._models = [OpenAIModel(each.settings(config)) for each in routes]
        self._next = 0

    @property
    def answers(self) -> bool:
        return bool(self._models)

    @property
    def _model(self) -> OpenAIModel:
        """The one whose turn it is. Errors: `ModelRefused` where no key is set."""
        if not self._models:
            keys = ", ".join(sorted({each.key for each in COMPATIBLE.values() if each.key}))
            raise ModelRefused(f"no key is set for {self._config.model_name!r} (one of {keys})")
        return self._models[self._next]

    @property
    def name(self) -> str:
        return self._model.name if self._models else str(self._config.model_name)

    @property
    def free(self) -> bool:
        return False

    @property
    def max_tokens(self) -> int | None:
        return self._config.max_tokens

    def body(self, request: ChatRequest) -> bytes:
        return self._model.body(request)

    async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        for _ in self._models[1:]:
            try:
                return await self._take().reply(request, on_text)
            except ModelOverloaded:
                continue  # the next one may be free
        return await self._take().reply(request, on_text)

    def _take(self) -> OpenAIModel:
        model = self._model
        self._next = (self._next + 1) % len(self._models)
        return model

    async def aclose(self) -> None:
        for model in self._models:
            await model.aclose()


def _addresses(known: Compatible) -> list[str]:
    return [each for each in (known.address, known.named_address()) if each]
