"""What the scopes of one run share: journal, events, limits, states, artifacts."""

from __future__ import annotations

import logging
from pathlib import Path
from time import perf_counter
from typing import Any

from flows.core.artifacts import Artifacts
from flows.core.events import Event, Listener, Notice
from flows.core.flow import Flow
from flows.core.journal import Journal
from flows.core.limits import Limits, Meter

log = logging.getLogger(__name__)


class Session:
    """One run from its beginning, or its resumption, to its end."""

    def __init__(
        self,
        run_id: str,
        folder: Path,
        *,
        journal: Journal | None = None,
        limits: Limits | None = None,
        used_seconds: float = 0.0,
        listeners: tuple[Listener, ...] = (),
    ) -> None:
        self.run_id = run_id
        self.folder = folder
        self.journal = journal
        self.meter = Meter(limits or Limits(), used_seconds)
        self.listeners = list(listeners)
        self.tell = self._teller()
        self.deadline = self.meter.deadline
        self.artifacts = Artifacts(folder)
        self.states: dict[str, Any] = {}
        self.seq = 0
        self.yielded = perf_counter()
        self.unfinished = ""
        self.commands: dict[str, int] = {"ok": 0, "empty": 0, "error": 0}

    def next_seq(self) -> int:
        self.seq += 1
        return self.seq

    def emit(self, event: Event) -> None:
        """Give an event to every listener. One that fails is dropped: it cannot change a run."""
        for listener in self.listeners:
            try:
                listener(event)
            except Exception as error:  # noqa: BLE001 - a screen's fault is not the run's
                self.lose(listener, error)

    def _teller(self) -> Listener | None:
        """The shortest way to tell all listeners; an only one is told directly, and may raise."""
        if len(self.listeners) > 1:
            return self.emit
        return self.listeners[0] if self.listeners else None

    def lose(self, listener: Listener, error: Exception) -> None:
        """Give no more events to a listener that failed."""
        self.listeners = [each for each in self.listeners if each is not listener]
        self.tell = self._teller()
        log.warning("a listener failed and gets no more events: %r", error)

    def check_time(self) -> None:
        """Errors: `LimitReached` after the deadline. Recorded steps cost no time: while there are
        any, a resumed run goes on to where it was."""
        if self.journal is None or not self.journal.steps:
            self.meter.check_time()

    def notice(self, address: str, round_number: int, text: str) -> None:
        if self.listeners:
            self.emit(Notice(self.next_seq(), address, round_number, text))

    def transcript(self) -> tuple[str, ...]:
        """What was said in the run's chats so far, as the flows that keep a chat fold it."""
        return tuple(
            text for state in self.states.values() for text in getattr(state, "transcript", tuple)()
        )

    def reset(self, flow: Flow) -> None:
        """Forget the folded state of a flow and of all below it."""
        self.states.pop(flow.path, None)
        for child in flow.children().values():
            self.reset(child)
