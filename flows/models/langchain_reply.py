"""How LangChain is told of functions, and what the chunks of its replies come to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from flows.config.redaction import redact
from flows.core.chat import ChatReply, Usage
from flows.errors import ModelRefused, ModelReplyInvalid, ModelUnreachable
from flows.models.completion import tokens
from flows.models.faults import scrub
from flows.models.text import finish_from_word
from flows.models.tool_calls import ToolCallParts

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessageChunk
    from langchain_core.runnables import Runnable

# The names under which providers put the reason why a reply ended into its metadata.
_FINISH_NAMES = ("finish_reason", "stop_reason", "done_reason", "finishReason", "stopReason")

_CUT_ERRORS = {
    "LengthFinishReasonError": "length", "ContentFilterFinishReasonError": "content_filter",
}  # fmt: skip


def model_with_tools(
    model: BaseChatModel, name: str, provider: str, accepted: Mapping[str, Any]
) -> Runnable[Any, AIMessageChunk]:
    """The model, told of the functions of a request in OpenAI's words.

    Errors: `ModelRefused` where the provider's package takes none, or not these.
    """
    choice: Any = accepted.get("tool_choice")
    if choice == "required":
        choice = "any"  # LangChain's word, which each provider knows
    elif choice == "none" and provider == "anthropic":
        choice = {"type": "none"}  # a text would be a tool's name
    elif isinstance(choice, Mapping):
        choice = choice["function"]["name"]
    try:
        bound = model.bind_tools(accepted["tools"], tool_choice=choice)
    except NotImplementedError:
        raise ModelRefused(f"LangChain's package for {name} takes no functions") from None
    except Exception as error:  # noqa: BLE001 - each provider's package raises its own
        problem = scrub(str(error))
        raise ModelRefused(f"{name} does not take the functions: {problem}") from None
    return cast("Runnable[Any, AIMessageChunk]", bound)


class LangChainReply:
    """What the chunks of a reply say beside its text.

    `calls` puts together those of functions that were offered; `name` is the model's, for errors.
    """

    def __init__(self, name: str, calls: ToolCallParts | None) -> None:
        self._name = name
        self._calls = calls
        self.finish_word = ""
        self.model = ""
        self.refusal = ""
        self.usage = Usage(model_calls=1)
        self.is_tool_reply = False

    def is_cut(self, error: Exception) -> bool:
        """Whether the error is how OpenAI's client says that a reply of a schema was cut."""
        word = _CUT_ERRORS.get(type(error).__name__, "")
        self.finish_word = word or self.finish_word
        counted = getattr(getattr(error, "completion", None), "usage", None)
        if word and counted is not None:
            self.usage += Usage(
                input_tokens=tokens(counted.prompt_tokens),
                output_tokens=tokens(counted.completion_tokens),
            )
        return bool(word)

    def tool_reply(self, chunk: AIMessageChunk) -> str:
        """What a chunk holds of a reply that is given as the arguments of a tool; no functions
        were offered then."""
        if self._calls is not None:
            return ""
        pieces = [each["function"]["arguments"] for each in _call_pieces(chunk)]
        self.is_tool_reply |= bool(pieces)
        return "".join(json.dumps(each) if isinstance(each, dict) else each for each in pieces)

    def add(self, chunk: AIMessageChunk) -> None:
        if self._calls is not None:
            for each in _call_pieces(chunk):
                self._calls.add(each)
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

    def end(self, text: str, asked: str) -> ChatReply:
        """The whole reply; `asked` is the name of the model that was asked.

        Errors: `ModelUnreachable` for one that was cut, `ModelReplyInvalid` for one that says
        nothing or whose end is unknown.
        """
        if not self.finish_word:
            raise ModelUnreachable(f"{self._name} cut the reply off before its end")
        takes_tools = self._calls is not None or self.is_tool_reply
        finish = finish_from_word(self.finish_word, self._name, offers_tools=takes_tools)
        if self.is_tool_reply and finish == "tool_calls":
            finish = "stop"
        if not text and self.refusal:
            text, finish = self.refusal, "content_filter"
        calls, finish = self._calls.end(finish) if self._calls is not None else ((), finish)
        if not text and finish == "stop":
            raise ModelReplyInvalid(f"{self._name} ended the reply without any text")
        model = self.model or asked
        return ChatReply(text=text, finish=finish, model=model, usage=self.usage, tool_calls=calls)


def _call_pieces(chunk: AIMessageChunk) -> list[dict[str, Any]]:
    """The pieces of calls in OpenAI's form. A provider that does not stream sends a whole message,
    which has calls instead."""
    given: Any = getattr(chunk, "tool_call_chunks", None)
    if given is None:
        given = [{**each, "index": n} for n, each in enumerate(chunk.tool_calls)]
    return [
        {
            "index": each["index"],
            "id": each["id"],
            "function": {"name": each["name"] or "", "arguments": each["args"] or ""},
        }
        for each in given
    ]


def _first_text(metadata: Mapping[str, Any], names: tuple[str, ...]) -> str:
    found = [metadata[name] for name in names if isinstance(metadata.get(name), str)]
    return found[0] if found else ""
