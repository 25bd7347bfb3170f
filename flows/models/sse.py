"""Server-sent events as chat endpoints send them, read with a limit on size.

The openai client's own reader grows with the line it is given, without a limit.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

from flows.errors import ModelReplyInvalid


class EventDecoder:
    """Turns chunks of bytes into the data of each event. Keeps at most `max_bytes` of one event."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._rest = b""
        self._data: list[bytes] = []
        self._kept = 0

    def feed(self, chunk: bytes) -> list[str]:
        """The events that end within this chunk."""
        parts = (self._rest + chunk).replace(b"\r\n", b"\n").split(b"\n")
        self._rest = parts.pop()
        events = [event for line in parts if (event := self._line(line)) is not None]
        self._bound(len(self._rest) + self._kept)
        return events

    def end(self) -> str | None:
        """The last event of a sender that leaves out the final line break, if it is whole."""
        event = self._line(self._rest) or self._event()
        return event if event is not None and _is_whole(event) else None

    def _line(self, line: bytes) -> str | None:
        if not line.rstrip(b"\r"):
            return self._event()
        name, _, value = line.partition(b":")
        if name == b"data":
            self._kept += len(value)
            self._bound(self._kept)
            self._data.append(value.removeprefix(b" "))
        return None

    def _event(self) -> str | None:
        if not self._data:
            return None
        joined = b"\n".join(self._data)
        self._data, self._kept = [], 0
        try:
            return joined.decode().strip()
        except UnicodeDecodeError:
            raise ModelReplyInvalid("the endpoint's stream is not valid UTF-8") from None

    def _bound(self, size: int) -> None:
        if size > self._max_bytes:
            raise ModelReplyInvalid(
                f"one event of the stream is larger than the limit of {self._max_bytes} bytes "
                "that follows from max_reply_bytes"
            )


async def read_events(chunks: AsyncIterator[bytes], max_bytes: int) -> AsyncIterator[str]:
    """The data of each event, in order. Errors: ModelReplyInvalid beyond `max_bytes` an event."""
    decoder = EventDecoder(max_bytes)
    async for chunk in chunks:
        for event in decoder.feed(chunk):
            yield event
    last = decoder.end()
    if last is not None:
        yield last


def _is_whole(event: str) -> bool:
    if event == "[DONE]":
        return True
    try:
        json.loads(event)
    except (ValueError, RecursionError):
        return False
    return True
