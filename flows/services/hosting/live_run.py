"""A run that a process runs or is about to, and one that was just asked for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from flows.core.events import Event, RunStarted, StepErred, StepFinished, StepStarted
from flows.errors import StateConflict
from flows.services.hosting.store import QUEUED, StoredRun

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

    @classmethod
    def before(cls, run: StoredRun, digest: str) -> Started:
        """The run that a key started before. Errors: `StateConflict` if that was another request
        than the one of the digest."""
        if run.digest != digest:
            raise StateConflict(
                f"this key was used before for another request: the run {run.run_id}"
            )
        return cls(run.run_id, False)


@dataclass(eq=False, slots=True)
class LiveRun:
    """A run that this process runs, or is about to: `status` is `queued` or `running`, `current`
    has the steps that run now, by their addresses, and since when (in seconds since 1970)."""

    run_id: str
    flow: str
    caller: str
    status: str = QUEUED
    task: asyncio.Task[None] | None = None
    listeners: Sequence[RunListener] = ()
    current: dict[str, tuple[StepStarted, float]] = field(default_factory=dict)
    over: asyncio.Event = field(default_factory=asyncio.Event)

    def note(self, event: Event) -> None:
        """Keep what an event of the run says of how it stands. Called in the thread of the runs."""
        if isinstance(event, RunStarted):
            self.status = RUNNING
        elif isinstance(event, StepStarted):
            self.current[event.address] = (event, time.time())
        elif isinstance(event, StepFinished | StepErred):
            self.current.pop(event.address, None)
