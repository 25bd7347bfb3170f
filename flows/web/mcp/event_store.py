"""What was sent on the streams of sessions, for clients that come back after one was cut."""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import Any, Final, NamedTuple

from mcp.server.lowlevel import Server
from mcp.server.streamable_http import EventCallback, EventId, EventMessage, EventStore, StreamId
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import (
    INTERNAL_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCResponse,
    RequestId,
)

MOST_EVENTS: Final = 10_000
MOST_BYTES: Final = 64 << 20
MOST_STREAMS: Final = 1_000  # of a session
RETRY_MS: Final = 1_000  # after which a client whose stream was cut comes back

GONE: Final = (
    "the answer was sent while you were away, and is not kept any more; flows://run/{run} tells "
    "what a run came to"
)
_ID: Final = re.compile(r"(?P<number>[0-9]{1,18})-(?P<stream>[0-9]{1,18})")


class SentEvent(NamedTuple):
    """A message as it was sent on a stream of a session; None is the event that opened it."""

    session: SessionEvents
    stream: StreamId
    message: JSONRPCMessage | None
    bytes: int


class RecentEvents:
    """The last messages of all sessions, in memory, by their numbers: at most so many, with about
    so many bytes together."""

    def __init__(self, most_events: int = MOST_EVENTS, most_bytes: int = MOST_BYTES) -> None:
        self._most_events, self._most_bytes = most_events, most_bytes
        self.events: OrderedDict[int, SentEvent] = OrderedDict()
        self._last = 0
        self._bytes = 0

    def add(self, event: SentEvent) -> int:
        """Keep an event; returns its number."""
        self._last += 1
        self.events[self._last] = event
        self._bytes += event.bytes
        while len(self.events) > self._most_events or self._bytes > self._most_bytes:
            _, gone = self.events.popitem(last=False)
            self._bytes -= gone.bytes
        return self._last


class SessionEvents(EventStore):
    """The events of one session. Streams are called by their requests' ids, which other sessions
    use too; the id of an event is its number, and that of its stream in the session.

    A client that was away for so long that events are gone gets those that are left, and what
    comes. Where the answer itself is gone it gets an error as the answer, and waits no longer.
    """

    def __init__(self, recent: RecentEvents) -> None:
        self._recent = recent
        self._streams: OrderedDict[StreamId, int] = OrderedDict()
        self._answered: dict[StreamId, RequestId] = {}
        self._count = 0

    async def store_event(self, stream_id: StreamId, message: JSONRPCMessage | None) -> EventId:
        if stream_id not in self._streams:
            self._count += 1
            self._streams[stream_id] = self._count
            if len(self._streams) > MOST_STREAMS:
                gone, _ = self._streams.popitem(last=False)
                self._answered.pop(gone, None)
        if isinstance(message, JSONRPCResponse | JSONRPCError) and message.id is not None:
            self._answered[stream_id] = message.id
        size = len(message.model_dump_json()) if message is not None else 0
        number = self._recent.add(SentEvent(self, stream_id, message, size))
        return f"{number}-{self._streams[stream_id]}"

    async def replay_events_after(
        self, last_event_id: EventId, send_callback: EventCallback
    ) -> StreamId | None:
        found = _ID.fullmatch(last_event_id)
        numbers = {each: stream_id for stream_id, each in self._streams.items()}
        stream = numbers.get(int(found["stream"])) if found is not None else None
        if found is None or stream is None:
            return None
        number, last = int(found["number"]), self._recent.events.get(int(found["number"]))
        if last is not None and (last.session is not self or last.stream != stream):
            return None
        left = self._after(number, stream)
        for at, message in left:
            await send_callback(EventMessage(message, f"{at}-{self._streams[stream]}"))
        answers = [each for _, each in left if isinstance(each, JSONRPCResponse | JSONRPCError)]
        if last is None and stream in self._answered and not answers:
            error = ErrorData(code=INTERNAL_ERROR, message=GONE)
            answer = JSONRPCError(jsonrpc="2.0", id=self._answered[stream], error=error)
            await send_callback(EventMessage(answer))
            return None
        return stream

    def _after(self, number: int, stream: StreamId) -> list[tuple[int, JSONRPCMessage]]:
        """The events of a stream after a number, as far as they are kept."""
        return [
            (at, each.message)
            for at, each in self._recent.events.items()
            if at > number
            and each.session is self
            and each.stream == stream
            and each.message is not None
        ]


class ResumableSessions(StreamableHTTPSessionManager):
    """Sessions over HTTP whose streams are taken up again after a cut."""

    def __init__(self, server: Server[Any], max_request_body_size: int) -> None:
        self._recent = RecentEvents()
        super().__init__(
            server, retry_interval=RETRY_MS, max_request_body_size=max_request_body_size
        )

    @property
    def event_store(self) -> EventStore:
        """A store for a session that begins: each has its own."""
        return SessionEvents(self._recent)

    @event_store.setter
    def event_store(self, given: EventStore | None) -> None:
        """The package sets none."""
