"""How far a run is, as notifications of the request that waits for it: progress, and log lines."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, Final, Self

from flows.services.hosting.events import ENDED
from flows.services.hosting.progress import progress_line
from flows.services.hosting.stream import StreamItem

_EVERY: Final = 0.1  # seconds between two notifications
_LAST_SECONDS: Final = 1.0  # how long the last log lines of a run are waited for

Report = Callable[[float, float | None, str | None], Awaitable[None]]
Log = Callable[[Mapping[str, Any]], Awaitable[None]]


class ProgressReport:
    """Reports the events of a run while it is entered; `begins` is told first. Of what comes in
    quick succession only the last is told; the number of steps that are done never falls. A `log`
    is given each event, also those that come last."""

    def __init__(
        self, events: AsyncIterator[StreamItem], report: Report, begins: str, log: Log | None = None
    ) -> None:
        self._events, self._report, self._log = events, report, log
        self._steps = 0
        self._message = begins
        self._changed = asyncio.Event()
        self._changed.set()
        self._tasks: tuple[asyncio.Task[None], ...] = ()

    async def __aenter__(self) -> Self:
        self._tasks = (asyncio.create_task(self._follow()), asyncio.create_task(self._tell()))
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._log is not None and kind is None:
            await asyncio.wait(self._tasks[:1], timeout=_LAST_SECONDS)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _follow(self) -> None:
        async for item in self._events:
            event = json.loads(item.text)
            if self._takes(event):
                self._changed.set()
            if self._log is not None:
                await self._log(event)
            if event["kind"] == ENDED:
                return

    def _takes(self, event: Mapping[str, Any]) -> bool:
        """Whether something is to be told after an event."""
        if event["kind"] == "step_finished":
            self._steps += 1
            return True
        line = progress_line(event)
        self._message = line or self._message
        return bool(line)

    async def _tell(self) -> None:
        told: tuple[int, str] | None = None
        while True:
            await self._changed.wait()
            self._changed.clear()
            now = (self._steps, self._message)
            if now != told:
                told = now
                await self._report(self._steps, None, self._message)
            await asyncio.sleep(_EVERY)
