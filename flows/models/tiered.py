"""Rules first, a language model for the rest: model=tiered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Final

from pydantic import BaseModel, ConfigDict, Field

from flows.config.prompts import load_prompt
from flows.core.chat import ChatModel, ChatReply, ChatRequest, OnText
from flows.core.values import Values
from flows.errors import ModelRefused

PROMPTS: Final = Path(__file__).parent / "prompts"
# What no model by rules can do: a conversation about anything.
_FREE: Final = "chat"
# Its decisions say in percent how sure they are.
_IN_PERCENT: Final = frozenset({"interpreter"})
# What a reply says instead of an answer.
_NO_ANSWER: Final = ("cannot", "clarify")
# How each word was read says nothing to who reads the question anew.
_NOT_SHOWN: Final = frozenset({"words", "warnings", "read_as", "request"})


class TieredConfig(BaseModel):
    """The two models, and how sure the first has to be to be the one that answers."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    first: Mapping[str, Any]
    then: Mapping[str, Any]
    threshold: float = Field(default=0.5, ge=0, le=1)


class TieredModel:
    """Asks one model, and another where the first is not sure.

    The first is not sure of a reply that says so (`confidence` below the threshold), that asks back
    or that says that it cannot; nor of a free conversation, nor where its reply had to be
    corrected. The other is then asked the same, with what the first would have replied. A reply
    without a word on how sure it is, such as a text that tells a result, is the first's.

    For budgets and prices it goes by the name of the other, which is the one that costs something.
    """

    needs: ClassVar[Mapping[str, str]] = {"first": "model", "then": "model"}
    Config: ClassVar[type[TieredConfig]] = TieredConfig

    def __init__(self, config: TieredConfig, first: ChatModel, then: ChatModel) -> None:
        self._threshold = config.threshold
        self._first, self._then = first, then
        self._prompt = load_prompt("tiered.reading", [PROMPTS])

    @property
    def name(self) -> str:
        return self._then.name

    @property
    def free(self) -> bool:
        return self._first.free and self._then.free

    @property
    def max_tokens(self) -> int | None:
        return self._then.max_tokens

    def body(self, request: ChatRequest) -> bytes:
        """The request as the other model would get it, without what the first would have said."""
        return self._then.body(request)

    async def reply(self, request: ChatRequest, on_text: OnText | None = None) -> ChatReply:
        if request.role == _FREE or request.inputs.get("correction"):
            return await self._then.reply(request, on_text)
        try:
            first = await self._first.reply(request)
        except ModelRefused:  # a role that it does not know, or pictures
            return await self._then.reply(request, on_text)
        said = _object(first.text)
        if said is None or self._is_sure(request.role, said):
            if on_text is not None and first.text:
                on_text(first.text)
            return first
        reply = await self._then.reply(self._with_reading(request, said), on_text)
        return reply.model_copy(update={"usage": first.usage + reply.usage})

    async def aclose(self) -> None:
        try:
            await self._first.aclose()
        finally:
            await self._then.aclose()

    def _is_sure(self, role: str, said: Values) -> bool:
        if any(said.get(each) for each in _NO_ANSWER):
            return False
        confidence = said.get("confidence")
        if isinstance(confidence, bool) or not isinstance(confidence, int | float):
            return True
        return confidence / (100 if role in _IN_PERCENT else 1) >= self._threshold

    def _with_reading(self, request: ChatRequest, said: Values) -> ChatRequest:
        """The request with what the first would have said, at the end of its last message."""
        shown = {name: each for name, each in said.items() if each and name not in _NOT_SHOWN}
        if reading := said.get("read_as") or said.get("request"):
            shown["request"] = reading
        *before, last = request.messages
        told = self._prompt.render({"reading": json.dumps(shown, ensure_ascii=False)})
        last = last.model_copy(update={"content": f"{last.content}\n\n{told}"})
        return replace(request, messages=(*before, last))


def _object(text: str) -> Values | None:
    """The JSON object that a reply is; None for one that is prose."""
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
