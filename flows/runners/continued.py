"""What listeners are told of a session that goes on as it was changed: nothing twice."""

from __future__ import annotations

from collections.abc import Sequence

from flows.core.events import Event, Listener, StepStarted
from flows.core.journal import Journal


class Continued:
    """Tells a listener the events from where the session was changed on: not what is told again
    until the run is there, nor that the steps that stood at a question began; those that a pause
    has `halted` had not. The numbers go on from `seq` without a gap."""

    def __init__(
        self,
        listener: Listener,
        journal: Journal,
        asked: Sequence[str],
        halted: Sequence[str],
        seq: int,
    ) -> None:
        self._listener = listener
        self._journal = journal
        self._asked = tuple(asked)
        self._stood = (*asked, *halted)
        self._seq = seq
        self._retelling = True

    def __call__(self, event: Event) -> None:
        if self._retelling and isinstance(event, StepStarted) and not self._journal.steps:
            is_asked = event.address in self._asked
            above = any(each.startswith(f"{event.address}/") for each in self._stood)
            self._retelling = above or not event.address
            if is_asked:
                return
        if self._retelling:
            return
        self._seq += 1
        self._listener(event._replace(seq=self._seq))

    @property
    def listener(self) -> Listener:
        return self._listener

    @property
    def seq(self) -> int:
        return self._seq
