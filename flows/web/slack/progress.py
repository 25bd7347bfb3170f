"""How far a run is, shown by editing one message: seldom enough for Slack's limits."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from flows.config.redaction import redact
from flows.core.events import Event, Retrying, StepFinished, StepStarted

BEGUN: Final = "Working on it…"
_SHOWN_STEPS: Final = 4
_DEPTH: Final = 2
_GOAL_CHARACTERS: Final = 120

Edit = Callable[[str], Awaitable[float]]


class ProgressMessage:
    """Listens to a run, in its thread, and edits a message about it, on the loop that made it.

    `edit` writes the text and returns the seconds to wait before the next, beyond `every`: what
    Slack asks for when it is asked too often. Only the last state is written.
    """

    def __init__(self, edit: Edit, *, every: float) -> None:
        self._edit = edit
        self._every = every
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()
        self._ended = asyncio.Event()
        self._done: list[str] = []
        self._goal = ""
        self._goals: dict[str, str] = {}
        self._began = time.monotonic()
        self._task: asyncio.Task[None] | None = None

    def __call__(self, event: Event) -> None:
        self._loop.call_soon_threadsafe(self._take, event)

    def begin(self) -> None:
        """Begin to edit."""
        self._task = asyncio.create_task(self._follow())

    async def end(self) -> None:
        """Edit no more: the message is the answer's now. An edit that has begun is waited for, so
        that it does not come after the answer."""
        task, self._task = self._task, None
        if task is not None:
            self._ended.set()
            self._changed.set()
            await task

    def _take(self, event: Event) -> None:
        if isinstance(event, StepStarted) and event.address.count("/") < _DEPTH and event.goal:
            if event.address and self._goals.get(event.address) is None:
                self._goals[event.address] = self._goal = event.goal
        elif isinstance(event, StepFinished):
            goal = self._goals.get(event.address)
            if goal is not None and not event.reused and goal not in self._done:
                self._done = [*self._done, goal][-_SHOWN_STEPS:]
        elif isinstance(event, Retrying):
            self._goal = f"Trying again in {event.wait_s:.0f} s: {event.message}"
        else:
            return
        self._changed.set()

    async def _follow(self) -> None:
        shown = BEGUN
        while not self._ended.is_set():
            await self._changed.wait()
            self._changed.clear()
            if not self._ended.is_set() and (text := self.text()) != shown:
                shown = text
                pause = self._every + await self._edit(text)
                with suppress(TimeoutError):  # the pause is over; it ends early with the run
                    await asyncio.wait_for(self._ended.wait(), pause)

    def text(self) -> str:
        """What is done and what goes on, in lines."""
        if not self._goal:
            return BEGUN
        seconds = time.monotonic() - self._began
        done = [f"✓ {_short(each)}" for each in self._done if each != self._goal]
        return "\n".join([*done, f"… {_short(self._goal)} ({seconds:.0f} s)"])


def _short(goal: str) -> str:
    line = " ".join(redact(goal).split())
    return line if len(line) <= _GOAL_CHARACTERS else f"{line[: _GOAL_CHARACTERS - 1]}…"
