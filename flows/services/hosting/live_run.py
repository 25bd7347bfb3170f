"""A run that a process runs or is about to, and one that was just asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from flows.core.events import Event
from flows.services.hosting.store import QUEUED

RUNNING: Final = "running"


class RunListener(Protocol):
    """What a run is given to tell its events to, in the thread of the runs. `close` is called when
    the run is over or was stopped."""

    def __call__(self, event: Event, /) -> None: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Started:
    """A run that was asked for. `is_new` is False when the same key had started it before."""

    run_id: str
    is_new: bool


@dataclass(eq=False, slots=True)
class LiveRun:
    """A run that this process runs, or is about to: `status` is `queued` or `running`."""

    run_id: str
    flow: str
    caller: str
    status: str = QUEUED
    task: asyncio.Task[None] | None = None
    listeners: Sequence[RunListener] = ()
    over: asyncio.Event = field(default_factory=asyncio.Event)
