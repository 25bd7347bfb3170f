"""The messages of an interpreter's chat, compressed by reference where they get too long."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from flows.core.chat import Message, ToolCall
from flows.library.interpreter.results import ResultSummary, ToolResult

BYTES_PER_TOKEN: Final = 4
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


def messages_of(
    exchanges: Sequence[Exchange],
    context_tokens: int,
    summaries: Sequence[ResultSummary] = (),
) -> tuple[Message, ...]:
    """The messages of the exchanges; the last one is open. A result that has a summary is told by
    it. Where the messages are longer than the budget all the same, a reference stands for a result,
    for the oldest first; those of the last exchange stay."""
    shown = _shown(exchanges, summaries)
    made = _messages(exchanges, shown)
    size = sum(each.size for each in made)
    for each in _older_results(exchanges):
        if size <= context_tokens * BYTES_PER_TOKEN:
            break
        saved = len(shown.get(each.number, each.told).encode()) - len(each.reference.encode())
        if saved > 0:
            shown[each.number] = each.reference
            size -= saved
            made = ()
    return made or _messages(exchanges, shown)


def size_of(exchanges: Sequence[Exchange], summaries: Sequence[ResultSummary] = ()) -> int:
    """Bytes of the messages of the exchanges, with nothing left out."""
    made = _messages(exchanges, _shown(exchanges, summaries))
    return sum(each.size for each in made)


def _shown(exchanges: Sequence[Exchange], summaries: Sequence[ResultSummary]) -> dict[int, str]:
    """What stands for results by the numbers of their calls, where it is a summary."""
    known = {each.call: each.text for each in summaries}
    return {
        each.number: each.summarized(known[each.number])
        for each in _older_results(exchanges)
        if each.number in known
    }


def _older_results(exchanges: Sequence[Exchange]) -> Iterator[ToolResult]:
    """The numbered results that the model has seen before."""
    for exchange in exchanges[:-1]:
        yield from (each for each in exchange.results if each.number)


def _messages(exchanges: Sequence[Exchange], shown: Mapping[int, str]) -> tuple[Message, ...]:
    found: list[Message] = []
    native: tuple[str, ...] = ()
    for number, exchange in enumerate(exchanges):
        answered = {each.call_id: shown.get(each.number, each.told) for each in exchange.results}
        # Providers refuse a call without a result; one that a limit has kept off has none.
        said = [
            Message(role="tool", content=answered.get(each, _NOT_MADE), tool_call_id=each)
            for each in native
        ]
        rest = [
            shown.get(each.number, each.told)
            for each in exchange.results
            if each.call_id not in native
        ]
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
