"""The messages of an interpreter's chat, compressed by reference where they get too long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from flows.core.chat import Message, ToolCall
from flows.library.interpreter.results import ToolResult

_BYTES_PER_TOKEN: Final = 4
_NOT_MADE: Final = "error: this call was not made"


class ChatPhrases(NamedTuple):
    """What is said beside results: the question at first, what was wrong with the last reply, and
    that the answer has to come now."""

    question: str = ""
    correction: str = ""
    last: str = ""


@dataclass(frozen=True, slots=True)
class Exchange:
    """What the model was told, and what it replied; the one that is open has no reply yet."""

    phrases: ChatPhrases
    results: tuple[ToolResult, ...] = ()
    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()


def messages_of(exchanges: Sequence[Exchange], context_tokens: int) -> tuple[Message, ...]:
    """The messages of the exchanges; the last one is open. Where they are longer than the budget, a
    reference stands for a result, for the oldest first; those of the last exchange stay."""
    numbered = [
        (len(each.told.encode()) - len(each.reference.encode()), each.number)
        for exchange in exchanges[:-1]
        for each in exchange.results
        if each.number
    ]
    made = _messages(exchanges, frozenset())
    size = sum(each.size for each in made)
    left_out: set[int] = set()
    for saved, number in numbered:
        if size <= context_tokens * _BYTES_PER_TOKEN:
            break
        if saved > 0:
            left_out.add(number)
            size -= saved
    return _messages(exchanges, frozenset(left_out)) if left_out else made


def _messages(exchanges: Sequence[Exchange], left_out: frozenset[int]) -> tuple[Message, ...]:
    found: list[Message] = []
    native: tuple[str, ...] = ()
    for number, exchange in enumerate(exchanges):
        answered = {each.call_id: _told(each, left_out) for each in exchange.results}
        # Providers refuse a call without a result; one that a limit has kept off has none.
        said = [
            Message(role="tool", content=answered.get(each, _NOT_MADE), tool_call_id=each)
            for each in native
        ]
        rest = [_told(each, left_out) for each in exchange.results if each.call_id not in native]
        words = [*rest, *(each for each in exchange.phrases if each)]
        found += said
        if words:
            found.append(Message(role="user", content="\n\n".join(words)))
        if number < len(exchanges) - 1:
            found.append(
                Message(role="assistant", content=exchange.text, tool_calls=exchange.tool_calls)
            )
        native = tuple(each.id for each in exchange.tool_calls)
    return tuple(found)


def _told(result: ToolResult, left_out: frozenset[int]) -> str:
    return result.reference if result.number in left_out else result.told
