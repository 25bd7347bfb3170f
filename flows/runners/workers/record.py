"""The record of one item in a worker: its rows are sent to whoever has the journal of the run."""

from __future__ import annotations

import asyncio
from asyncio import Future
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Final

from flows.core.events import Event, ModelCalled, Notice, Retrying, TextArrived
from flows.core.history import History, inner_steps, reusable, without_inner
from flows.core.journal import Journal
from flows.core.limits import NOTHING, Meter, Worst
from flows.core.rows import Kind, Row
from flows.core.session import Session
from flows.core.values import Values
from flows.errors import LimitReached
from flows.runners.workers.messages import Item, SentRow, event_text

SECONDS: Final = 0.1  # rows that nothing waits for are sent together, as far as they come so fast
_SENT: Final = ("intent", "call", "outcome", "failure")

Send = Callable[[Values], None]


class WorkerMeter(Meter):
    """Counts what an item uses; its budgets are the run's, which claims its calls there."""

    def claim(self, worst: Worst = NOTHING) -> None:
        """Leave it to the run, which answers the row of the call."""


class WorkerRecord(Journal):
    """Takes the place of a journal, and of the turns to ask a model, for one item.

    A row that has to be on the disk before the world changes is answered by the run; the others
    are not waited for.
    """

    def __init__(self, item: Item, send: Send) -> None:
        self.rows = rows = [_row(number, each) for number, each in enumerate(item.rows, 1)]
        done = reusable(rows)
        self.history = History(
            steps=without_inner(done), inner=inner_steps(done), used_seconds=item.used
        )
        self.steps = self.history.steps
        self.session: Session | None = None
        self._number = item.item
        self._send_line = send
        self._unsent: list[SentRow] = []
        self._sent_at = perf_counter()
        self._unconfirmed = self._will_send = False
        self._asked: dict[int, Future[None]] = {}
        self._last_asked = 0
        self._told: dict[str, list[tuple[str, str]]] = {}

    def listen(self, event: Event) -> None:
        """Keep what a step tells until its row is sent."""
        if isinstance(event, ModelCalled | TextArrived | Retrying | Notice):
            self._told.setdefault(event.address, []).append(event_text(event))

    def append(
        self, kind: Kind, address: str, digest: str, body: str, *, durable: bool = True
    ) -> Future[None] | None:
        """Send a row, soon. Questions and limits are the run's own to record."""
        if kind in _SENT:
            events = () if kind in ("intent", "call") else tuple(self._told.pop(address, ()))
            self._unsent.append(SentRow(kind, address, digest, body, durable, events))
            self._unconfirmed = True
            if perf_counter() - self._sent_at > SECONDS:
                self._send()
            elif not self._will_send:
                self._will_send = True
                asyncio.get_running_loop().call_soon(self._send_rest)
        return None

    async def write(self, kind: Kind, address: str, digest: str, body: str) -> None:
        """Send a row, and wait for the answer where something is to change after it. Errors:
        `LimitReached` for a call that the run's budgets refuse."""
        self.append(kind, address, digest, body)
        if kind == "call" and self.session is not None:
            self.session.prompts.clear()  # the row before this one may be of another worker
        if kind in ("intent", "call"):
            await self._ask()

    def pending(self) -> Future[None] | None:
        """The answer that all rows so far are on the disk; None if the last answer said so."""
        return self._ask() if self._unconfirmed else None

    async def wait(self, model: str) -> None:
        """Return when the run lets the model be asked next."""
        await self._ask(turn=model)

    def answer(self, ask: int, limit: Sequence[float | str] | None) -> None:
        """Take the run's answer."""
        asked = self._asked.pop(ask, None)
        if asked is None or asked.done():
            return
        if limit is None:
            asked.set_result(None)
        else:
            asked.set_exception(LimitReached(str(limit[0]), float(limit[1]), str(limit[2])))

    def end(self, walls: object) -> None:
        """Send what is left, and that this is all."""
        self._send(done=True, **({"walls": walls} if walls is not None else {}))

    def _send_rest(self) -> None:
        self._will_send = False
        if self._unsent:
            self._send()

    def _ask(self, **more: object) -> Future[None]:
        self._last_asked = number = self._last_asked + 1
        asked = self._asked[number] = asyncio.get_running_loop().create_future()
        self._send(ask=number, **more)
        self._unconfirmed = False
        return asked

    def _send(self, **more: object) -> None:
        rows, self._unsent = self._unsent, []
        self._send_line({"item": self._number, "rows": rows, **more})
        self._sent_at = perf_counter()


def _row(number: int, sent: SentRow) -> Row:
    return Row(number, sent.kind, sent.address, sent.digest, sent.body, 0.0, "")
