"""A chat completion in OpenAI's JSON, whole or in chunks, becomes one ChatReply."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from flows.config.redaction import redact
from flows.core.chat import ChatReply, Finish, Usage
from flows.errors import ModelError, ModelReplyInvalid, ModelUnreachable
from flows.models.faults import error_from_object, not_a_reply
from flows.models.text import ReplyText, finish_from_word
from flows.models.tool_calls import ToolCallParts
from flows.models.tool_names import ToolNames


class Completion:
    """Adds up the chunks of one reply. A whole completion is added as its only chunk.

    `names` are the functions that were offered, `where` names the endpoint in errors.
    """

    def __init__(self, text: ReplyText, *, names: ToolNames, where: str) -> None:
        self._text = text
        self._where = where
        self._offers_tools = len(names) > 0
        self._calls = ToolCallParts(names, text, where)
        self._finish: Finish | None = None
        self._model = ""
        self._usage = Usage(model_calls=1)
        self._refusal = ""
        self._has_choice = False
        self.announced_end = False

    @property
    def finished(self) -> bool:
        """Whether the endpoint has said why the text ends, which makes it whole."""
        return self._finish is not None

    def add(self, data: str) -> None:
        """One chunk as JSON text, or the end marker of a stream.

        Errors: ModelReplyInvalid for what is not a completion; ModelUnreachable for JSON that is
        not whole; ModelError for an error object.
        """
        if data == "[DONE]":
            self.announced_end = True
            return
        chunk = self._object(data)
        if chunk.get("error"):
            raise self._error(chunk["error"])
        if isinstance(chunk.get("model"), str):
            self._model = redact(chunk["model"]) or self._model
        self._usage = _usage(chunk.get("usage")) or self._usage
        for choice in _mappings(chunk.get("choices")):
            if choice.get("index", 0) in (0, None):
                self._add_choice(choice)

    def add_whole(self, data: str) -> None:
        """A whole completion. Errors: as `add`, and ModelReplyInvalid when it has no choice."""
        chunk = self._object(data)
        if not chunk.get("error") and "choices" not in chunk:
            raise not_a_reply(self._where, data)
        if not chunk.get("error") and not _mappings(chunk["choices"]):
            raise self._no_choice()
        self.add(data)
        self.announced_end = True  # JSON that is whole was not cut

    def reply(self, asked_model: str) -> ChatReply:
        """The reply, at the end of the answer.

        Errors: ModelUnreachable when the answer was cut before its end was announced;
        ModelReplyInvalid when the end was announced without a reason, when there is neither text
        nor a call, and for a call that is not whole.
        """
        text = self._text.end()
        if self._finish is None:
            raise self._cut()
        finish = self._finish
        if not text and self._refusal:
            text, finish = self._refusal, "content_filter"
        calls, finish = self._calls.end(finish)
        if not text and finish == "stop":
            raise ModelReplyInvalid(f"{self._where} ended the reply without any text")
        model = self._model or asked_model
        return ChatReply(text=text, finish=finish, model=model, usage=self._usage, tool_calls=calls)

    def _no_choice(self) -> ModelError:
        return ModelReplyInvalid(f"{self._where} answered with no choice in its completion")

    def _cut(self) -> ModelError:
        if self.announced_end and not self._has_choice:
            return self._no_choice()
        if self.announced_end:
            return ModelReplyInvalid(
                f"{self._where} ended the reply without a finish reason, so it may be cut"
            )
        return ModelUnreachable(f"{self._where} cut the reply off before its end")

    def _object(self, data: str) -> Mapping[str, Any]:
        try:
            chunk = json.loads(data)
        except (ValueError, RecursionError):
            if data.lstrip().startswith("{"):
                raise ModelUnreachable(f"{self._where} sent JSON that is cut or damaged") from None
            raise not_a_reply(self._where, data) from None
        if not isinstance(chunk, dict):
            raise not_a_reply(self._where, data)
        return chunk

    def _error(self, error: object) -> ModelError:
        return error_from_object(error, where=self._where, default=ModelReplyInvalid)

    def _add_choice(self, choice: Mapping[str, Any]) -> None:
        self._has_choice = True
        if choice.get("error"):
            raise self._error(choice["error"])
        said = choice.get("delta") or choice.get("message") or {}
        if isinstance(said, Mapping):
            self._text.add(_content(said.get("content")))
            refusal = said.get("refusal")
            self._refusal += refusal if isinstance(refusal, str) else ""
            self._add_calls(said.get("tool_calls"), whole="message" in choice)
        word = choice.get("finish_reason")
        if isinstance(word, str) and word:
            self._finish = finish_from_word(word, self._where, offers_tools=self._offers_tools)

    def _add_calls(self, given: object, *, whole: bool) -> None:
        """The pieces of calls of a chunk, or the calls of a whole completion, without an index."""
        for number, each in enumerate(_mappings(given)):
            self._calls.add({**each, "index": number} if whole else each)


def _mappings(value: object) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def _content(content: object) -> str:
    """The text of a message's content; some providers send parts, of which thinking is no text."""
    if isinstance(content, str):
        return content
    parts = [each.get("text") for each in _mappings(content) if each.get("type") == "text"]
    return "".join(part for part in parts if isinstance(part, str))


def _usage(value: object) -> Usage | None:
    if not isinstance(value, Mapping):
        return None
    return Usage(
        model_calls=1,
        input_tokens=tokens(value.get("prompt_tokens")),
        output_tokens=tokens(value.get("completion_tokens")),
    )


def tokens(value: object) -> int | None:
    """A provider's token count, or None for what is not one."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        return None
    return value
