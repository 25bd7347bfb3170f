"""Recorded replies instead of a model, and the recording of them."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from flows.core.chat import ChatModel, ChatReply, ChatRequest, OnText
from flows.errors import ModelError, ModelRefused
from flows.models.cassette import (
    AskedRequest,
    CassetteLine,
    nearest_difference,
    open_cassette,
    read_cassette,
)


class ReplayConfig(BaseModel):
    """Which cassette is played."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: Path


class RecordConfig(BaseModel):
    """Which cassette is recorded, and of which model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: Path
    model: Mapping[str, Any]


class ReplayModel:
    """Plays a cassette: equal requests get the replies recorded for them, in their order.

    Keeps count of what it played, so one object serves one run. Errors at construction:
    ConfigError with file and line for a damaged cassette.
    """

    Config: ClassVar[type[ReplayConfig]] = ReplayConfig

    def __init__(self, config: ReplayConfig) -> None:
        self._path = config.path
        self._recorded = read_cassette(config.path)
        self._replies: dict[str, list[ChatReply]] = defaultdict(list)
        for each in self._recorded:
            self._replies[each.digest].append(each.reply)
        self._played: dict[str, int] = defaultdict(int)

    @property
    def name(self) -> str:
        return f"replay of {self._path.name}"

    @property
    def free(self) -> bool:
        return True

    @property
    def max_tokens(self) -> None:
        return None

    def body(self, request: ChatRequest) -> bytes:
        return AskedRequest.of(request).model_dump_json().encode()

    async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        asked = AskedRequest.of(request)
        replies = self._replies.get(asked.digest, [])
        played = self._played[asked.digest]
        if played == len(replies):
            raise self._unknown(asked, played)
        self._played[asked.digest] += 1
        reply = replies[played]
        if on_text is not None and reply.text:
            on_text(reply.text)
        return reply

    async def aclose(self) -> None:
        """Nothing is open."""

    def _unknown(self, asked: AskedRequest, played: int) -> ModelRefused:
        head = f"{self._path}: no recorded reply is left for this request of role {asked.role!r}"
        if played:
            return ModelRefused(f"{head}: it was recorded {played} times and asked once more")
        others: list[CassetteLine] = self._recorded
        return ModelRefused(f"{head}; {nearest_difference(asked, others)}")


class RecordingModel:
    """Asks another model and keeps each reply in a cassette. Errors are not recorded."""

    needs: ClassVar[Mapping[str, str]] = {"model": "model"}
    Config: ClassVar[type[RecordConfig]] = RecordConfig

    def __init__(self, config: RecordConfig, model: ChatModel) -> None:
        self._inner = model
        self._writer = open_cassette(config.path)

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def free(self) -> bool:
        return self._inner.free

    @property
    def max_tokens(self) -> int | None:
        return self._inner.max_tokens

    def body(self, request: ChatRequest) -> bytes:
        return self._inner.body(request)

    async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        reply = await self._inner.reply(request, on_text)
        try:
            await asyncio.to_thread(self._writer.append, request, reply)
        except OSError as error:
            raise ModelError(
                f"the reply could not be recorded in {self._writer.path}: {error.strerror}"
            ) from error
        return reply

    async def aclose(self) -> None:
        await self._inner.aclose()
