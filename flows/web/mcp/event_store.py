"""What was sent on the streams of sessions, for clients that come back after one was cut."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Final, NamedTuple

from mcp.server.lowlevel import Server
from mcp.server.streamable_http import EventCallback, EventId, EventMessage, EventStore, StreamId
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import JSONRPCMessage

MOST_EVENTS: Final = 10_000
MOST_BYTES: Final = 64 << 20
RETRY_MS: Final = 1_000  # after which a client whose stream was cut comes back


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
    """The events of one session: streams are called by the numbers of their requests, which other
    sessions use too. A client that was away for so long that its last event is gone gets nothing
    of what it has missed."""

    def __init__(self, recent: RecentEvents) -> None:
        self._recent = recent

    async def store_event(self, stream_id: StreamId, message: JSONRPCMessage | None) -> EventId:
        size = len(message.model_dump_json()) if message is not None else 0
        return str(self._recent.add(SentEvent(self, stream_id, message, size)))

    async def replay_events_after(
        self, last_event_id: EventId, send_callback: EventCallback
    ) -> StreamId | None:
        if not (last_event_id.isascii() and last_event_id.isdigit() and len(last_event_id) < 20):
            return None
        number, events = int(last_event_id), self._recent.events
        last = events.get(number)
        if last is None or last.session is not self:
            return None
        missed = [
            EventMessage(each.message, str(at))
            for at, each in events.items()
            if at > number
            and each.session is self
            and each.stream == last.stream
            and each.message is not None
        ]
        for each in missed:
            await send_callback(each)
        return last.stream


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
