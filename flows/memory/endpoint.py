"""The embedder behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
import math
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from pydantic import BaseModel, ConfigDict, Field, SecretStr
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt
from tenacity.wait import wait_random_exponential

from flows.config.redaction import as_cause, redact_pieces, remember, reveal
from flows.config.secret import masked
from flows.core.destination import Destination
from flows.core.providers import OPENAI, destination_of
from flows.errors import RecallError

if TYPE_CHECKING:
    import openai


class EndpointEmbedder:
    """Turns texts into vectors with a model behind an OpenAI-compatible `/embeddings` endpoint.

    `dimension` is known from the config or from the first reply. Errors: RecallError; a refused
    connection, a time limit, 429 and 5xx are tried again, a wrong key or request is not.
    """

    class Config(BaseModel):
        """Without `base_url` and `api_key`, the openai SDK's environment variables hold.

        With a `base_url` of its own, the key of the environment is not sent there.
        `dimension` is checked, and asked of the model only with `shorten`, since few models can
        shorten their vectors. Only the first `max_text_chars` of a text are embedded.
        """

        model_config = ConfigDict(frozen=True, extra="forbid")

        model: str = Field(min_length=1)
        base_url: str | None = None
        api_key: SecretStr | None = None
        dimension: int | None = Field(default=None, ge=1)
        shorten: bool = False
        timeout_s: float = Field(default=30.0, gt=0, allow_inf_nan=False)
        batch_size: int = Field(default=128, ge=1, le=2048)
        max_text_chars: int = Field(default=20_000, ge=100)
        attempts: int = Field(default=3, ge=1, le=20)
        wait_max: float = Field(default=20.0, ge=0, le=600, allow_inf_nan=False)

    @classmethod
    def destinations(cls, values: Mapping[str, Any]) -> tuple[Destination, ...]:
        """Where it sends its key. Errors: `ValueError` for a bad address."""
        return (destination_of("openai", values, provider=OPENAI, sends_own=False),)

    def __init__(self, config: EndpointEmbedder.Config) -> None:
        if config.shorten and config.dimension is None:
            raise RecallError("shorten: true needs the dimension to shorten to")
        self._config = config
        self._dimension = config.dimension
        # An HTTP client belongs to the event loop that opened its connections.
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, openai.AsyncOpenAI] = (
            WeakKeyDictionary()
        )

    @property
    def name(self) -> str:
        return f"endpoint:{self._config.model}"

    @property
    def dimension(self) -> int:
        if self._dimension is None:
            raise RecallError(
                f"the dimension of {self._config.model} is known after its first reply; name it in"
                " the config to know it before"
            )
        return self._dimension

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        vectors: list[list[float]] = []
        for start in range(0, len(texts), self._config.batch_size):
            batch = texts[start : start + self._config.batch_size]
            vectors += await self._with_retry(
                [text[: self._config.max_text_chars] for text in batch]
            )
        return vectors

    async def aclose(self) -> None:
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()

    async def _with_retry(self, batch: list[str]) -> list[list[float]]:
        import openai  # half a second, for who embeds

        attempts = AsyncRetrying(
            stop=stop_after_attempt(self._config.attempts),
            wait=self._wait,
            retry=retry_if_exception(_passes),
            reraise=True,
        )
        try:
            return await attempts(self._request, batch)
        except TimeoutError as error:
            raise RecallError(
                f"{self._where()} took longer than timeout_s ({self._config.timeout_s:g} s)"
            ) from error
        except openai.OpenAIError as error:
            raise RecallError(f"{self._where()}: {_reason(error)}") from as_cause(error)

    async def _request(self, batch: list[str]) -> list[list[float]]:
        import openai

        config = self._config
        # The SDK's own limit counts the silence between bytes, so a slow drip would never end.
        async with asyncio.timeout(config.timeout_s):
            reply = await self._client().embeddings.create(
                model=config.model,
                input=batch,
                encoding_format="float",
                dimensions=(config.dimension or openai.omit) if config.shorten else openai.omit,
            )
        # The SDK builds its objects without looking at what the server sent.
        rows = {getattr(row, "index", None): row for row in getattr(reply, "data", None) or ()}
        if set(rows) != set(range(len(batch))):
            raise RecallError(f"{self._where()} gave {len(rows)} vectors for {len(batch)} texts")
        return [self._checked(rows[index].embedding) for index in range(len(batch))]

    def _checked(self, vector: object) -> list[float]:
        if not isinstance(vector, list) or not vector or not all(map(_is_finite, vector)):
            raise RecallError(f"{self._where()} gave a vector that is empty or not finite numbers")
        if self._dimension is None:
            self._dimension = len(vector)
        if len(vector) != self._dimension:
            raise RecallError(
                f"{self._where()} gave {len(vector)} numbers for a text, not {self._dimension}"
            )
        return [float(value) for value in vector]

    def _client(self) -> openai.AsyncOpenAI:
        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            client = self._open_client()
            self._clients[loop] = client
        return client

    def _open_client(self) -> openai.AsyncOpenAI:
        import openai

        config = self._config
        key = reveal(config.api_key) if config.api_key else None
        if key is None and config.base_url is not None:
            key = "none"  # The SDK would send the environment's key to this address otherwise.
        elif key is None:
            remember(os.environ.get("OPENAI_API_KEY", ""))  # which the SDK will read
        return openai.AsyncOpenAI(
            api_key=key, base_url=config.base_url, timeout=config.timeout_s, max_retries=0
        )

    def _wait(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked = _retry_after(error)
        if asked is not None:
            return min(asked, self._config.wait_max)
        return wait_random_exponential(multiplier=0.5, max=self._config.wait_max)(state)

    def _where(self) -> str:
        at = f" {masked('base_url', self._config.base_url)}" if self._config.base_url else ""
        return f"the embedding endpoint{at} ({self._config.model})"


def _is_finite(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _passes(error: BaseException) -> bool:
    import openai

    if isinstance(error, openai.RateLimitError):
        return error.code != "insufficient_quota"
    return isinstance(error, TimeoutError | openai.APIConnectionError | openai.InternalServerError)


def _retry_after(error: BaseException | None) -> float | None:
    import openai

    if not isinstance(error, openai.APIStatusError):
        return None
    try:
        seconds = float(error.response.headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if 0 <= seconds < math.inf else None


def _reason(error: openai.OpenAIError) -> str:
    import openai

    if isinstance(error, openai.APIConnectionError):
        return f"no connection ({redact_pieces(str(error.__cause__ or error))[:300]})"
    if isinstance(error, openai.APIStatusError):
        return f"HTTP {error.status_code}: {redact_pieces(error.message)[:300]}"
    return redact_pieces(str(error))[:300]
