"""What comes of one item: its rows go into the journal, its model calls into the budgets."""

from __future__ import annotations

import time
from asyncio import Future
from collections.abc import Coroutine
from typing import Any, Final

from pydantic_core import from_json, to_json

from flows.core.chat import Usage
from flows.core.history import is_open
from flows.core.limits import Worst
from flows.core.rows import Row
from flows.core.sandbox import ProbeFinding
from flows.core.session import Session
from flows.core.values import Values
from flows.core.workers import PreparedStep
from flows.errors import LimitReached
from flows.records.steps import flow_path
from flows.runners.workers.messages import SentRow, read_event

LOST_CALL: Final = Usage(model_calls=1, possibly_billed=1)
_USAGE: Final = '"usage":'


class Inbox:
    """The item of that number. `rows` are those that came of it, `done` is waited for, and `commit`
    then, until what it did to the world is on the disk."""

    def __init__(self, number: int, address: str, round_number: int, session: Session) -> None:
        assert session.journal is not None
        self.number = number
        self.address = address
        self.round = round_number
        self.rows: list[SentRow] = []
        self.done: Future[None] | None = None
        self.commit: Future[None] | None = None
        self._session = session
        self._journal = session.journal
        self._claims: dict[str, list[Worst]] = {}
        self._steps: list[str] = []

    def take(self, message: Values) -> Coroutine[Any, Any, Values] | None:
        """Take what the worker sent. Gives what makes the answer, where it waits for one. Errors:
        `JournalError`."""
        refused: LimitReached | None = None
        for each in message["rows"]:
            row = SentRow(*each)
            try:
                self._record(row)
            except LimitReached as limit:
                refused = limit
        if message.get("done"):
            self._note_walls(message.get("walls"))
            if self.done is not None and not self.done.done():
                self.done.set_result(None)
        if "ask" not in message:
            return None
        return self._answer(message["ask"], message.get("turn"), refused)

    def lose(self) -> None:
        """Its worker is gone: calls of which nothing was heard stay counted at their worst."""
        for each in self._claims.values():
            for _ in each:
                self._session.meter.spend(LOST_CALL)
        self._claims.clear()

    def fail(self, error: Exception) -> None:
        """End the wait for it with an error."""
        if self.done is not None and not self.done.done():
            self.done.set_exception(error)

    def close(self) -> None:
        """It is not waited for any more."""
        self.lose()

    async def _answer(self, ask: int, turn: str | None, refused: LimitReached | None) -> Values:
        answer: Values = {"item": self.number, "answer": ask}
        if refused is not None:
            return {**answer, "limit": [refused.limit, refused.allowed, refused.why]}
        if turn is not None and self._session.turns is not None:
            await self._session.turns.wait(turn)
        elif (commit := self._journal.pending()) is not None:
            await commit
        return answer

    def _record(self, sent: SentRow) -> None:
        """Write a row into the journal. Errors: `LimitReached` for a call that the budgets refuse;
        `JournalError`."""
        body = sent.body
        if sent.kind == "call":
            body = self._claimed(sent)
        elif sent.kind != "intent":
            self._settle(sent)
        unread = Row(0, sent.kind, sent.address, sent.digest, body, 0.0, "")
        is_left = sent.kind == "failure" and is_open(unread)
        if is_left:  # the run comes to it itself: what it did before it waited, it did not do
            begun = self._journal.prepared.pop(sent.address, None)
            if begun is None and _USAGE not in body:
                return  # and records it then
        step = sent.kind, sent.address, sent.digest, body
        commit = self._journal.append(*step, durable=sent.durable)
        seq, checksum = self._journal.head
        row = Row(seq, *step, time.time(), checksum)
        self.commit = commit or self.commit
        if sent.kind == "call":
            return
        self.rows.append(sent._replace(events=()))
        if not is_left:
            self._prepare(row, sent)

    def _prepare(self, row: Row, sent: SentRow) -> None:
        """Have the run find the step when it comes to it, with those that it has called itself."""
        prepared = self._journal.prepared
        events = [read_event(*each) for each in sent.events]
        inner: list[Row] = []
        if row.digest and row.kind != "intent":
            below = [each for each in self._steps if each.startswith(f"{row.address}/")]
            for each in below:
                if (step := prepared.pop(each, None)) is not None:
                    inner += (*step.inner, step.row)
                    events = [*step.events, *events]
        prepared[row.address] = PreparedStep(row, tuple(inner), tuple(events))
        self._steps.append(row.address)

    def _claimed(self, sent: SentRow) -> str:
        """Claim a call from the budgets. Gives the body to record, without a prompt that the record
        holds already."""
        body = from_json(sent.body)
        worst = Worst(**body["worst"])
        self._session.meter.claim(worst)
        self._claims.setdefault(sent.address, []).append(worst)
        prompts, path = self._session.prompts, flow_path(sent.address)
        system = body.get("system", "")
        if prompts.get(path) == system:
            body.pop("system", None)
            return to_json(body).decode()
        prompts[path] = system
        return sent.body

    def _settle(self, sent: SentRow) -> None:
        """Count what the step's calls cost instead of what was claimed for them."""
        for each in self._claims.pop(sent.address, ()):
            self._session.meter.release(each)
        usage = from_json(sent.body).get("usage") if _USAGE in sent.body else None
        if usage is not None:
            self._session.meter.spend(Usage.model_validate(usage))

    def _note_walls(self, walls: Values | None) -> None:
        if walls is not None and self._session.walls is None:
            self._session.walls = ProbeFinding.model_validate(walls)
