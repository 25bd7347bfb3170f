"""How far a run is, as progress notifications of the request that waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from flows.config.redaction import redact
from flows.core.events import Event, Notice, Retrying, RoundStarted, StepFinished, StepStarted

_EVERY: Final = 0.1  # seconds between two notifications
_DEPTH: Final = 2
_CHARACTERS: Final = 300

Report = Callable[[float, float | None, str | None], Awaitable[None]]


class ProgressReport:
    """Listens to a run, in its thread, and reports on the loop that made it; `begins` is told
    first. Of what comes in quick
    succession only the last is told; the number of steps that are done never falls."""

    def __init__(self, report: Report, begins: str) -> None:
        self._report = report
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()
        self._changed.set()
        self._steps = 0
        self._message = begins
        self._task = asyncio.create_task(self._follow())

    def __call__(self, event: Event) -> None:
        self._loop.call_soon_threadsafe(self._take, event)

    async def aclose(self) -> None:
        """Report no more: the result comes next."""
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    def _take(self, event: Event) -> None:
        match event:
            case StepFinished(reused=False):
                self._steps += 1
            case StepStarted(address=address, goal=goal) if address and goal:
                if address.count("/") >= _DEPTH:
                    return
                self._message = goal
            case RoundStarted(round=number, max_rounds=most):
                self._message = f"Round {number} of {most}" if most else f"Round {number}"
            case Retrying(wait_s=seconds, message=message):
                self._message = f"Trying again in {seconds:.0f} s: {message}"
            case Notice(text=text):
                self._message = text
            case _:
                return
        self._changed.set()

    async def _follow(self) -> None:
        told: tuple[int, str] | None = None
        while True:
            await self._changed.wait()
            self._changed.clear()
            now = (self._steps, self._message)
            if now != told and self._message:
                told = now
                await self._report(self._steps, None, _short(self._message))
            await asyncio.sleep(_EVERY)


def _short(text: str) -> str:
    line = " ".join(redact(text).split())
    return line if len(line) <= _CHARACTERS else f"{line[: _CHARACTERS - 1]}…"
