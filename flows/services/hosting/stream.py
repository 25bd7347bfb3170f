"""The events of runs for those who watch them: one reader a run, however many watch it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from flows.core.events import Event
from flows.core.rows import Row
from flows.errors import JournalError
from flows.records.lookup import RunPlace
from flows.records.tail import RowTail
from flows.services.hosting.events import ENDED, event_json, exact_time, live_event, row_event
from flows.services.hosting.live_run import LiveRun

POLL_SECONDS: Final = 0.25  # how often a run is looked at that another process may write
SOON_SECONDS: Final = 0.03
SOON_READS: Final = 4
GATHER_SECONDS: Final = 0.01  # how long the first event waits for those right after it
IDLE_READS: Final = 8  # after so many that found nothing the file is closed
MOST_WAITING: Final = 2_000  # events that a subscriber may be behind before it is cut

Locate = Callable[[], RunPlace | None]


@dataclass(frozen=True, slots=True)
class StreamItem:
    """An event as JSON. `id` is that of its row, None for a live one; `last` says that the run is
    over with it."""

    id: int | None
    text: str
    last: bool = False


@dataclass(eq=False, slots=True)
class Subscriber:
    """Someone who watches. One that does not take its events in time is `cut`: it can come back and
    read on from the last row that it had."""

    waiting: deque[StreamItem] = field(default_factory=deque)
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    cut: bool = False

    def give(self, items: Sequence[StreamItem]) -> None:
        if len(self.waiting) + len(items) > MOST_WAITING:
            self.cut = True
        else:
            self.waiting.extend(items)
        self.wake.set()


class RunStream:
    """The events of one run while anybody watches it. Belongs to one event loop; only `hear` may be
    called from other threads. `locate` finds the run's journal, once there is one; `find_live` the
    run, if this process runs it or is about to."""

    def __init__(self, locate: Locate, find_live: Callable[[], LiveRun | None]) -> None:
        self._locate, self._find_live = locate, find_live
        self._loop = asyncio.get_running_loop()
        self._subscribers: set[Subscriber] = set()
        self._heard: deque[StreamItem] = deque()
        self._woken = False
        self._wake = asyncio.Event()
        self._reader: asyncio.Task[None] | None = None
        self._placed = asyncio.Event()
        self._soon = 0

    @property
    def is_watched(self) -> bool:
        return bool(self._subscribers)

    def hear(self, event: Event) -> None:
        """Take an event of the run, in the thread of the runs: a reason to look for rows."""
        told = live_event(event)
        if told is not None:
            self._heard.append(StreamItem(None, event_json(told)))
        if not self._woken:
            self._woken = True
            self._loop.call_soon_threadsafe(self._wake.set)

    def tell(self, item: StreamItem) -> None:
        """Give an event that no row holds to all that watch."""
        for each in self._subscribers:
            each.give((item,))

    def end(self) -> None:
        """Send all away: they can come back and read on."""
        for each in self._subscribers:
            each.cut = True
            each.wake.set()

    async def watch(
        self, after: int = 0, last: StreamItem | None = None
    ) -> AsyncGenerator[StreamItem, None]:
        """The events of the rows after that number, and then those that come, until the run is
        over. A run that waits for a person is not. `last` says that it is over without a row."""
        subscriber = Subscriber()
        self._subscribers.add(subscriber)
        if self._reader is None:
            self._placed.clear()
            self._reader = asyncio.create_task(self._read())
        try:
            await (
                self._placed.wait()
            )  # what comes after the past that is read now, the reader gives
            items = await asyncio.to_thread(self._past, after)
            for item in items:
                yield item
                after = item.id or after
            if last is not None:
                yield last
                return
            live = self._find_live()
            if items and items[-1].last and live is None:
                return
            for item in current_steps(live):
                yield item
            while not subscriber.cut:
                while subscriber.waiting:
                    item = subscriber.waiting.popleft()
                    if item.id is None or item.id > after:
                        yield item
                        after = item.id or after
                    if item.last:
                        return
                subscriber.wake.clear()
                await subscriber.wake.wait()
        finally:
            self._subscribers.discard(subscriber)
            if not self._subscribers and self._reader is not None:
                self._reader.cancel()
                self._reader = None

    def _past(self, after: int) -> list[StreamItem]:
        place = self._locate()
        if place is None:
            return []
        rows = _read_past(RowTail(place))
        past = [item_of(row) for row in rows if row.seq > after]
        if rows and not past and is_last(rows[-1]):
            return [item_of(rows[-1])]
        return past

    async def _read(self) -> None:
        """Give the rows that come to all that watch. What stands there before, each reads for
        itself."""
        tail: RowTail | None = None
        idle = 0
        try:
            if (place := self._locate()) is not None:
                tail = RowTail(place)
                await asyncio.to_thread(_read_past, tail)
            self._placed.set()
            while True:
                if tail is None and (place := self._locate()) is not None:
                    tail = RowTail(place)
                items = [item_of(row) for row in tail.read()] if tail is not None else []
                self._give(items)
                idle = 0 if items else idle + 1
                if tail is not None and idle > IDLE_READS:
                    tail.rest()
                await self._woken_or_late()
        except (JournalError, OSError) as error:
            self._placed.set()
            told = event_json({"kind": "damaged", "what": str(error)})
            self._give([StreamItem(None, told, last=True)])
        finally:
            if tail is not None:
                tail.rest()

    def _give(self, items: list[StreamItem]) -> None:
        """Live events first: they were told before the rows that were found after them."""
        live = []
        while self._heard:
            live.append(self._heard.popleft())
        if live or items:
            for each in self._subscribers:
                each.give([*live, *items])

    async def _woken_or_late(self) -> None:
        """Wait for an event, or until it is time to look. A row may be written a moment after its
        event was told: then it is looked for more often."""
        seconds = SOON_SECONDS if self._soon else POLL_SECONDS
        try:
            async with asyncio.timeout(seconds):
                await self._wake.wait()
            await asyncio.sleep(GATHER_SECONDS)
            self._soon = SOON_READS
        except TimeoutError:
            self._soon = max(0, self._soon - 1)
        self._wake.clear()
        self._woken = False


def _read_past(tail: RowTail) -> list[Row]:
    """The rows there are, in a thread that does not go on with them."""
    try:
        return tail.read()
    finally:
        tail.rest()


def current_steps(live: LiveRun | None) -> list[StreamItem]:
    """What tells someone who comes late that these steps run now."""
    begun = list(live.current.values()) if live is not None else []
    told = [{**(live_event(event) or {}), "at": exact_time(at)} for event, at in begun]
    return [StreamItem(None, event_json(each)) for each in told]


def item_of(row: Row) -> StreamItem:
    """The public event of a row."""
    return StreamItem(row.seq, event_json(row_event(row)), is_last(row))


def is_last(row: Row) -> bool:
    """Whether a run is over with this row."""
    return row.kind == "end" and row.data()["status"] != "waiting"


def over_item(status: str, reason: str = "") -> StreamItem:
    """What is told of a run that is over, where no row says so."""
    event = {"kind": ENDED, "status": status, "reason": reason}
    return StreamItem(None, event_json(event), last=True)
