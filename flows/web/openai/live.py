"""A turn while it goes on: what is being done, and the reply as a model writes it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Final, NamedTuple

from flows.config.redaction import RedactedStream
from flows.core.events import (
    Event,
    Notice,
    Retrying,
    RoundStarted,
    StepErred,
    StepStarted,
    TextArrived,
)
from flows.records.steps import flow_path
from flows.services.hosting.events import live_event
from flows.services.hosting.progress import progress_line
from flows.services.hosting.service import RunService

_TOLD: Final = (StepStarted, RoundStarted, Retrying, Notice)
_LOOK_SECONDS: Final = 0.5


class LivePart(NamedTuple):
    """A line of what is being done, or a piece of the reply."""

    text: str
    is_reply: bool


class LiveReply:
    """The text that one step streams, as far as it can be shown: `path` is that of its flow.

    What a model writes is shown once, as it comes. Where the step is done again, or another one of
    that flow begins, no more is shown before the reply is there.
    """

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._address: str | None = None
        self._ended = path is None
        self._redacted = RedactedStream()
        self._blanks = ""
        self.shown = ""

    def take(self, event: Event) -> str:
        """The piece that can be shown after an event."""
        if self._ended or flow_path(event.address) != self._path:
            return ""
        if isinstance(event, TextArrived):
            if self._address in (None, event.address):
                self._address = event.address
                return self._show(self._redacted.add(event.text))
            self._ended = True
        elif isinstance(event, Retrying | StepErred) and self._address is not None:
            self._ended = True
        return ""

    def rest(self, text: str) -> str:
        """What is to be shown yet of the reply that came of it: where that is another one, all."""
        if text.startswith(self.shown):
            return text[len(self.shown) :]
        return f"\n\n{text}"

    def _show(self, piece: str) -> str:
        """A reply has no blanks around it: those at its end wait for what comes after them."""
        whole = f"{self._blanks}{piece}"
        whole = whole if self.shown else whole.lstrip()
        told = whole.rstrip()
        self._blanks = whole[len(told) :]
        self.shown += told
        return told


class LiveTurn:
    """Hears the events of a run from its beginning. Made before the run begins, on the event loop
    that asks for its `parts`."""

    def __init__(self, path: str | None, *, progress: bool) -> None:
        self.reply = LiveReply(path)
        self._progress = progress
        self._loop = asyncio.get_running_loop()
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()

    def __call__(self, event: Event) -> None:
        """Take an event, in the thread of the runs."""
        if isinstance(event, (TextArrived, StepErred, *_TOLD)):
            self._put(event)

    def close(self) -> None:
        """No more events come."""
        self._put(None)

    def _put(self, event: Event | None) -> None:
        with suppress(RuntimeError):  # the loop has ended: nobody listens any more
            self._loop.call_soon_threadsafe(self._events.put_nowait, event)

    async def parts(self, service: RunService, run_id: str) -> AsyncGenerator[LivePart, None]:
        """What there is to show, until the run is over or asks."""
        while True:
            try:
                async with asyncio.timeout(_LOOK_SECONDS):
                    event = await self._events.get()
            except TimeoutError:
                if run_id in service.live:
                    continue
                return
            if event is None:
                return
            if piece := self.reply.take(event):
                yield LivePart(piece, is_reply=True)
            elif self._progress and not self.reply.shown and isinstance(event, _TOLD):
                told = live_event(event)
                if told is not None and (line := progress_line(told)):
                    yield LivePart(line, is_reply=False)
