"""The workers of one run: which has which items, and what comes of one that dies."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Coroutine
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic_core import to_json

from flows.core.artifacts import Artifact
from flows.core.editions import with_composites
from flows.core.session import Session
from flows.core.values import Values
from flows.errors import FlowsError, JournalError
from flows.runners.workers.inbox import Inbox
from flows.runners.workers.links import Launcher, WorkerLink
from flows.runners.workers.messages import Item, Setup, line_of, read_line

TRIES: Final = 2
FALSE_STARTS: Final = 3
COMPOSITES: Final = 100  # of which it is kept what the run had before them


# The item that is done, or told, by the calls around this one.
_ITEM: ContextVar[str] = ContextVar("_ITEM", default="")


class WorkerDied(Exception):
    """The worker of an item is gone."""


@dataclass(eq=False)
class _Worker:
    link: WorkerLink
    ready: bool = False
    items: dict[int, Inbox] = field(default_factory=dict)


class WorkerPool:
    """Has items of a run done by workers, which are started when the first one comes.

    Each worker has at most `at_once` items. Those of one that dies are done by another, with the
    rows that came of them; after the second death the run does them itself.
    """

    def __init__(self, session: Session, setup: Setup, launcher: Launcher, at_once: int) -> None:
        assert session.journal is not None
        self._session = session
        self._journal = session.journal
        self._first = line_of(setup)
        self._launcher = launcher
        self._at_once = at_once
        self._workers: list[_Worker] = []
        self._changed = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()
        self._numbers = itertools.count(1)
        self._started = False
        self._false_starts = 0
        self._off = False
        self._artifacts: dict[str, tuple[Artifact, ...]] = {}
        # What is partly done is gone on with here: the addresses at and above recorded steps.
        self._begun = {each for address in self._journal.steps for each in with_composites(address)}

    async def prepare(
        self, path: str, address: str, round_number: int, inputs: Any, *, apart: bool
    ) -> None:
        """Have the steps of one call done. Errors: `JournalError`."""
        frozen, around = self._session.frozen, _ITEM.get()
        if around and address.startswith(f"{around}/"):
            return  # a worker did all of that one that it could
        if self._off or address in self._begun or (frozen and address.startswith(frozen)):
            return
        _ITEM.set(address)
        session = self._session
        given = to_json(inputs, inf_nan_mode="constants")
        number = next(self._numbers)
        inbox = Inbox(number, address, round_number, session)
        session.at_work += 1
        try:
            for _ in range(TRIES):
                worker = await self._free()
                if worker is None:
                    return
                item = Item(
                    item=number, path=path, address=address, round=round_number,
                    inputs=read_line(given), apart=apart, rows=tuple(inbox.rows),
                    artifacts=self._known(address), used=session.meter.elapsed(),
                    rounds=session.meter.rounds, tells=bool(session.listeners),
                )  # fmt: skip
                try:
                    await self._do(worker, item, inbox)
                except WorkerDied:
                    continue
                return
            text = f"{TRIES} workers ended while they did {address}; it is done here"
            session.notice(address, round_number, text)
        finally:
            session.at_work -= 1
            inbox.close()

    async def aclose(self) -> None:
        """End all workers."""
        self._off = True
        for each in self._tasks:
            each.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._launcher.aclose()

    async def _do(self, worker: _Worker, item: Item, inbox: Inbox) -> None:
        """Send an item, and wait until it is done. Errors: `WorkerDied`, `JournalError`."""
        inbox.done = asyncio.get_running_loop().create_future()
        worker.items[item.item] = inbox
        try:
            await worker.link.send(line_of(item))
            await inbox.done
            if inbox.commit is not None:
                await inbox.commit
        finally:
            if worker.items.pop(item.item, None) is not None and not inbox.done.done():
                self._spawn(worker.link.send(line_of({"item": item.item, "cancel": True})))
            async with self._changed:
                self._changed.notify_all()

    async def _free(self) -> _Worker | None:
        """A worker that can take an item, the one with the fewest; None where there are none."""
        if not self._started:
            self._started = True
            self._spawn(self._start_all())
        async with self._changed:
            while not self._off:
                able = [
                    each for each in self._workers if each.ready and len(each.items) < self._at_once
                ]
                if able:
                    return min(able, key=lambda each: len(each.items))
                await self._changed.wait()
        return None

    async def _start_all(self) -> None:
        try:
            count = await self._launcher.count()
        except FlowsError as error:
            await self._give_up(str(error))
            return
        for _ in range(count):
            self._spawn(self._keep())

    async def _keep(self) -> None:
        """Keep one worker, and another after it when it dies."""
        while not self._off:
            try:
                link = await self._launcher.start()
            except (FlowsError, OSError) as error:
                await self._give_up(str(error))
                return
            worker = _Worker(link)
            self._workers.append(worker)
            try:
                await link.send(self._first)
                while line := await link.read():
                    await self._hear(worker, read_line(line))
            except Exception as error:  # noqa: BLE001 - each item of this worker raises it
                for each in worker.items.values():
                    each.fail(error)
                if not isinstance(error, JournalError):
                    await self._give_up(f"{type(error).__name__}: {error}")
            finally:
                self._workers.remove(worker)
                await link.end()
            await self._lose(worker)

    async def _lose(self, worker: _Worker) -> None:
        """What a worker had when it ended is for others."""
        for each in tuple(worker.items.values()):
            each.lose()
            each.fail(WorkerDied())
        self._false_starts = 0 if worker.ready else self._false_starts + 1
        if self._false_starts == FALSE_STARTS:
            await self._give_up(f"they do not start; {self._launcher.said}")

    async def _give_up(self, why: str) -> None:
        """Go on without workers, and say so, once."""
        if not self._off:
            self._off = True
            self._session.notice("", 0, f"no workers, so all is done here: {why}", alarm=True)
        async with self._changed:
            self._changed.notify_all()

    async def _hear(self, worker: _Worker, message: Values) -> None:
        if "refused" in message:
            await self._give_up(message["refused"])
        elif "ready" in message:
            worker.ready = True
            async with self._changed:
                self._changed.notify_all()
        elif (inbox := worker.items.get(message["item"])) is not None:
            answer = inbox.take(message)
            if answer is not None:
                self._spawn(self._answer(worker, inbox, answer))

    async def _answer(
        self, worker: _Worker, inbox: Inbox, answer: Coroutine[Any, Any, Values]
    ) -> None:
        """Answer what an item asked, when that can be said."""
        try:
            message = await answer
        except JournalError as error:
            inbox.fail(error)
            return
        await worker.link.send(line_of(message))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _known(self, address: str) -> tuple[Artifact, ...]:
        """The artifacts that the run had when the first call beside this one came; those of calls
        beside it are no input of it."""
        above = address.rpartition("/")[0]
        if above not in self._artifacts:
            self._artifacts[above] = self._session.artifacts.all()
            if len(self._artifacts) > COMPOSITES:
                del self._artifacts[next(iter(self._artifacts))]
        return self._artifacts[above]
