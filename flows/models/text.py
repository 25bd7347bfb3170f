"""The text of a reply while it arrives: bounded, valid Unicode, handed on piece by piece."""

from __future__ import annotations

import codecs

from flows.config.redaction import RedactedStream, redact
from flows.core.chat import Finish, OnText
from flows.errors import ModelReplyInvalid

_FINISHES: dict[str, Finish] = {
    "stop": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "eos": "stop",
    "eos_token": "stop",
    "complete": "stop",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "content_filter",
    "content_filtered": "content_filter",
    "guardrail_intervened": "content_filter",
    "refusal": "content_filter",
    "safety": "content_filter",
}

_TOOL_ENDS = frozenset({"tool_calls", "tool_call", "tool_use", "function_call"})


def finish_from_word(word: str, where: str, *, offers_tools: bool = False) -> Finish:
    """A provider's finish reason in our words; `tool_calls` only where functions were offered.

    Errors: ModelReplyInvalid for any other, because an end of unknown kind may be a cut.
    """
    if offers_tools and word.casefold() in _TOOL_ENDS:
        return "tool_calls"
    finish = _FINISHES.get(word.casefold())
    if finish is None:
        raise ModelReplyInvalid(
            f"{where} ended the reply for a reason that is not an answer: {redact(word)[:60]!r}"
        )
    return finish


def valid_text(text: str) -> str:
    """The text with lone surrogates replaced, so that it can be encoded anywhere."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class ReplyText:
    """Collects the pieces of one reply and hands them on.

    JSON may escape one character as two halves and a provider may put the halves into two pieces,
    so a half is held back until the other arrives. So is what a secret begins with: a reply that
    says one is handed on without it. Errors: ModelReplyInvalid beyond `max_bytes`
    of UTF-8.
    """

    def __init__(self, max_bytes: int, on_text: OnText | None = None) -> None:
        self._max_bytes = max_bytes
        self._on_text = on_text
        self._halves = codecs.getincrementaldecoder("utf-16-le")("replace")
        self._redacted = RedactedStream()
        self._pieces: list[str] = []
        self._bytes = 0
        self.given = False

    def add(self, piece: str) -> None:
        whole = self._halves.decode(piece.encode("utf-16-le", "surrogatepass"))
        self._take(self._redacted.add(whole))

    def end(self) -> str:
        """The whole text. Called once, after the last piece."""
        self._take(self._redacted.add(self._halves.decode(b"", final=True)))
        self._take(self._redacted.end())
        return "".join(self._pieces)

    def count(self, piece: str) -> None:
        """Count what is said beside the text: the calls that the reply asks for."""
        self._bytes += len(piece.encode("utf-8", "surrogatepass"))
        if self._bytes > self._max_bytes:
            raise ModelReplyInvalid(
                f"the reply is larger than max_reply_bytes allows ({self._max_bytes} bytes)"
            )

    def _take(self, piece: str) -> None:
        if not piece:
            return
        self.count(piece)
        self._pieces.append(piece)
        if self._on_text is not None:
            self.given = True
            self._on_text(piece)
