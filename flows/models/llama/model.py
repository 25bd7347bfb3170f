"""A language model in a GGUF file: model=llama model.path=FILE."""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path
from typing import ClassVar, Final

from pydantic import BaseModel, ConfigDict, Field

from flows.core.chat import ChatReply, ChatRequest, OnText
from flows.errors import ConfigError, ModelRefused, ModelUnreachable
from flows.models.address import Address
from flows.models.llama.gguf import ModelFile, NotGGUF, read_model_file
from flows.models.llama.memory import available, needed
from flows.models.llama.messages import ServerSettings
from flows.models.llama.server import LlamaProcess, LlamaServer, shared_server, size_of
from flows.models.openai import OpenAIConfig, OpenAIModel
from flows.models.retry import Retry

# Of a file whose head names no context, and the most that is taken without being asked for.
_USUAL_CONTEXT: Final = 8192
_GB: Final = 1e9
# A process that was killed has closed its connections a moment before it is gone.
_MOMENT: Final = 2.0
_TOO_LONG: Final = re.compile(r"\((\d+) tokens\) exceeds the available context size \((\d+)")


class LlamaConfig(BaseModel):
    """A GGUF file and how it is run. Times are seconds, sizes are tokens.

    `context_length` holds prompt and reply; `threads` are all cores without it; `parallel` is how
    many requests are answered at the same time; `gpu_layers` wants a wheel that was built for the
    graphics card; `keep_alive` is how long the process waits for the next run of this process.
    Without a `temperature` the likeliest token is taken, so that the same request gets the same
    reply.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: Path
    context_length: int | None = Field(
        default=None, ge=256, description="the model's own without it, up to 8192"
    )
    threads: int | None = Field(default=None, ge=1, le=512)
    gpu_layers: int = Field(default=0, ge=0)
    parallel: int = Field(default=1, ge=1, le=64)
    temperature: float = Field(default=0.0, ge=0, le=2)
    max_tokens: int | None = Field(default=1024, ge=1)
    keep_alive: float = Field(default=60.0, ge=0, le=86_400)
    timeout_load: float = Field(default=300.0, gt=0, allow_inf_nan=False)
    timeout_total: float = Field(default=600.0, gt=0, allow_inf_nan=False)
    max_reply_bytes: int = Field(default=1_000_000, ge=1)


class LlamaModel:
    """A chat model that llama.cpp runs in a child process, on the loopback and with a key.

    The process is started by the first request and shared by all runs of this process. A reply
    that is asked for by a schema cannot be of another form. When the process dies under a request,
    another is started and asked once more.

    Errors at construction: `ConfigError` for a file that is missing, no GGUF or cut, and for a
    context that the model does not have.
    """

    Config: ClassVar[type[LlamaConfig]] = LlamaConfig
    modules: ClassVar[tuple[str, ...]] = ("xllamacpp",)

    def __init__(self, config: LlamaConfig) -> None:
        self._config = config
        self._file = _checked_file(config)
        self._context = config.context_length or min(
            self._file.context or _USUAL_CONTEXT, _USUAL_CONTEXT
        )
        self._server: LlamaServer | None = None
        self._client = self._client_of(Address("http://127.0.0.1/v1", "none"))
        self._process: LlamaProcess | None = None

    @property
    def name(self) -> str:
        return self._file.path.stem

    @property
    def free(self) -> bool:
        return True

    @property
    def max_tokens(self) -> int | None:
        return self._config.max_tokens

    def body(self, request: ChatRequest) -> bytes:
        """The JSON of the request, to the byte."""
        return self._client.body(request)

    async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        heard = HeardText(on_text)
        for tries_left in (1, 0):
            process = await self._started()
            try:
                reply = await self._client.reply(request, heard.take if on_text else None)
                return reply.model_copy(update={"model": self.name})
            except ModelUnreachable as error:
                if not await asyncio.to_thread(process.wait, _MOMENT):
                    raise
                if not tries_left:
                    raise ModelUnreachable(f"{process.ending()}, twice") from error
                heard.begin_again()
            except ModelRefused as error:
                raise self._too_long(error) from error.__cause__
        raise AssertionError("a loop of two tries returns or raises")

    async def aclose(self) -> None:
        await self._client.aclose()
        server, self._server = self._server, None
        if server is not None:
            await asyncio.to_thread(server.release, self._config.keep_alive)

    async def _started(self) -> LlamaProcess:
        """The process that answers, with a client of ours for it."""
        if self._server is None:
            self._check_memory()
            self._server = shared_server(self._settings())
        process = await asyncio.to_thread(self._server.process, self._config.timeout_load)
        if process is not self._process:
            await self._client.aclose()
            self._process, self._client = process, self._client_of(process.address)
        return process

    def _settings(self) -> ServerSettings:
        config = self._config
        size, changed = size_of(self._file.path)
        return ServerSettings(
            path=self._file.path, size=size, changed=changed, context=self._context,
            parallel=config.parallel, threads=config.threads or _cores(),
            gpu_layers=config.gpu_layers,
        )  # fmt: skip

    def _client_of(self, address: Address) -> OpenAIModel:
        config = self._config
        return OpenAIModel(OpenAIConfig.model_validate({
            "model": self.name, "base_url": address.base_url, "api_key": address.key,
            "temperature": config.temperature, "max_tokens": config.max_tokens,
            "timeout_total": config.timeout_total, "timeout_idle": config.timeout_total,
            "max_reply_bytes": config.max_reply_bytes, "retry": Retry(attempts=1),
        }))  # fmt: skip

    def _check_memory(self) -> None:
        """Errors: `ModelRefused` when there is less memory than the model takes."""
        there = available()
        tokens = self._context * self._config.parallel
        takes = needed(self._file, tokens)
        if there is not None and takes > there and not self._config.gpu_layers:
            raise ModelRefused(
                f"{self._file.path.name} takes about {takes / _GB:,.1f} GB of memory with a "
                f"context of {tokens} tokens, and {there / _GB:,.1f} GB are free: take a smaller "
                "file, or a smaller context_length"
            )

    def _too_long(self, error: ModelRefused) -> ModelRefused:
        """The refusal in our words, if it is of a prompt that does not fit."""
        found = _TOO_LONG.search(error.problem)
        if found is None:
            return error
        return ModelRefused(
            f"the prompt has {found[1]} tokens, and the context of {self.name} {found[2]} "
            f"(context_length; the model was made for {self._file.context or 'no known number'})"
        )


class HeardText:
    """Hands the text of a reply on; of one that is asked for again, what has not been said yet.

    Errors: `ModelUnreachable` when the second reply begins otherwise than the first, since what was
    said cannot be taken back.
    """

    def __init__(self, on_text: OnText | None) -> None:
        self._on_text = on_text
        self._said = ""
        self._again = ""
        self._repeating = False

    def begin_again(self) -> None:
        self._again, self._repeating = "", True

    def take(self, piece: str) -> None:
        if not self._repeating:
            self._give(piece)
            return
        self._again += piece
        common = min(len(self._again), len(self._said))
        if self._again[:common] != self._said[:common]:
            raise ModelUnreachable(
                "llama.cpp died in the middle of its reply, and began another when asked again"
            )
        if len(self._again) > len(self._said):
            self._repeating = False
            self._give(self._again[len(self._said) :])

    def _give(self, piece: str) -> None:
        self._said += piece
        if self._on_text is not None:
            self._on_text(piece)


def _checked_file(config: LlamaConfig) -> ModelFile:
    """What the head of the file says. Errors: `ConfigError`."""
    path = config.path.expanduser().absolute()
    try:
        found = read_model_file(path)
    except NotGGUF as error:
        raise ConfigError(f"{path} {error}") from error
    except FileNotFoundError:
        raise ConfigError(f"there is no file {path}") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    asked = config.context_length
    if asked is not None and found.context is not None and asked > found.context:
        raise ConfigError(
            f"context_length is {asked}, and {path.name} was made for {found.context} tokens"
        )
    return found


def _cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
