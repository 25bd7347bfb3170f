"""Runs on behalf of callers: started once, queued, answered, cancelled, and never lost."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from pydantic_core import to_json

from flows.config.redaction import redact_pieces
from flows.core.events import Listener
from flows.core.result import RunResult
from flows.errors import FlowsError, NotFound, QueueFull, ServiceEnds, StateConflict
from flows.human.answers import read_command
from flows.runners.local import new_run_id
from flows.services.hosting.hosted_flow import HostedFile, HostedFlow
from flows.services.hosting.journals import journal_name
from flows.services.hosting.live_run import RUNNING, LiveRun, RunListener, Started
from flows.services.hosting.run_answer import check_run_answer
from flows.services.hosting.run_host import Fork, RunHost
from flows.services.hosting.run_index import RunIndex
from flows.services.hosting.run_locks import RunLocks, one_at_a_time
from flows.services.hosting.run_streams import RunStreams
from flows.services.hosting.store import CANCELLED, QUEUED, HostingStore, StoredRun
from flows.services.hosting.stream import StreamItem, over_item

log = logging.getLogger(__name__)
QUEUE: Final = 1_000
MOST_TRIES: Final = 3  # processes that may end over a run before it is left alone
RETRY_SECONDS: Final = 5
OVER: Final = ("finished", "unfinished", "degraded", "failed", "declined", CANCELLED)


class RunService:
    """The runs of hosted flows. Belongs to one event loop.

    `queue` bounds how many wait for their turn, `listeners` makes those that each run is given.
    """

    def __init__(
        self,
        host: RunHost,
        flows: Sequence[HostedFlow],
        store: HostingStore,
        *,
        queue: int = QUEUE,
        listeners: Callable[[], Sequence[RunListener]] = tuple,
    ) -> None:
        self.flows = {each.name: each for each in flows}
        self.store = store
        self._host, self._queue, self._listeners = host, queue, listeners
        self.live: dict[str, LiveRun] = {}
        self.locks = RunLocks()
        self.runs = RunIndex(flows, store, self.live)
        self.streams = RunStreams(self.runs.find, self.live)
        self._loop = asyncio.get_running_loop()
        self.counts: Counter[str] = Counter()  # of runs `started`, and what they came to
        self._begun = 0
        self.is_open = True

    async def host_file(self, name: str, file: HostedFile, *, listed: bool = True) -> HostedFlow:
        """Serve a run file under a name, where none is served under it. Errors: `ConfigError`."""
        if name not in self.flows:
            flow = HostedFlow(name, file, await self._host.plan(file), listed=listed)
            self.flows[name] = flow
            self.runs.add_folder(flow.plan.runs_folder)
        return self.flows[name]

    async def recover(self) -> int:
        """Go on with the runs of processes that ended over them, and return how many there are."""
        files = {each.file.key: each for each in self.flows.values()}
        taken = await self.store.take_over(tuple(files))
        for run in taken:
            if run.tries >= MOST_TRIES:
                reason = f"{run.tries + 1} processes ended over it; resume it to try once more"
                await self.store.set_state(run.run_id, "interrupted", reason)
                continue
            live = self._take_on(run.run_id, files[run.file].name, run.caller)
            self._begin(live, partial(self._again, live, run))
        return len(taken)

    async def start(
        self,
        flow: str,
        inputs: Mapping[str, Any],
        *,
        session: str = "",
        caller: str = "",
        key: str | None = None,
        listener: RunListener | None = None,
    ) -> Started:
        """Start a run. With a `key` the same request of the same caller is one run. A `listener` is
        told its events from the first on.

        Errors: `NotFound` for the flow, `ConfigError` for an input, `QueueFull`, `ServiceEnds`,
        `StateConflict` for a key that was used for another request.
        """
        hosted = self.flow(flow)
        text = to_json(inputs).decode()
        digest = sha256(f"{flow}\n{session}\n{text}".encode()).hexdigest()
        if key is not None and (before := self.store.find_key(caller, key)) is not None:
            return Started.before(before, digest)
        hosted.check_inputs(inputs)
        self._check_room()
        run_id = new_run_id()
        journal = self._journal_of(hosted)
        stored = StoredRun(
            run_id, flow, hosted.file.key, text, session, caller, key, digest, journal=journal
        )
        async with self.locks.of(run_id):
            live = self._take_on(run_id, flow, caller, listener)
            try:
                is_new = await self.store.add(stored)
            except BaseException:
                self._forget(live)
                raise
            if not is_new:
                self._forget(live)
                before = self.store.find_key(caller, key or "")
                assert before is not None
                return Started.before(before, digest)
            self.counts["started"] += 1
            if self.is_open:
                self._begin(live, partial(self._first, live, inputs, journal))
        return Started(run_id, True)

    async def fork(self, fork: Fork, *, caller: str = "") -> Started:
        """Start a new run from a step of another.

        Errors: `NotFound` for the run, `UsageError` for the step, `ConfigError` for a setting.
        """
        stored, flow = self._of_ours(fork.run_id)
        self._check_room()
        await self._host.check_fork(self.runs.begun(fork.run_id), fork)
        run_id, session = new_run_id(), stored.session if stored is not None else ""
        new = StoredRun(
            run_id, flow.name, flow.file.key, "{}", session, caller, fork=to_json(fork).decode()
        )
        async with self.locks.of(run_id):
            live = self._take_on(run_id, flow.name, caller)
            try:
                await self.store.add(new)
            except BaseException:
                self._forget(live)
                raise
            self.counts["started"] += 1
            if self.is_open:
                self._begin(live, partial(self._again, live, new))
        return Started(run_id, True)

    @one_at_a_time
    async def answer(
        self,
        run_id: str,
        text: str,
        step: str | None = None,
        *,
        listener: RunListener | None = None,
    ) -> None:
        """Answer the question that a run waits with, or that of the step, or give its session a
        command (`:set Executor.sql.max_rows=50`); it goes on in the background.

        Errors: `NotFound`, `StateConflict` when it waits for no answer, `UsageError` for an answer
        that does not fit.
        """
        await self._end_of(run_id)
        stored, flow = self._of_ours(run_id)
        self._check_waits(run_id, stored)
        command, answer = read_command(text)
        if command is None:
            await asyncio.to_thread(check_run_answer, self.runs, run_id, answer, step)
        live = self._take_on(run_id, flow.name, stored.caller if stored else "", listener)
        try:
            await self._keep_queued(run_id, stored, flow)
            if command is None:
                await self._host.record_answer(flow.file, self.runs.begun(run_id), answer, step)
        except BaseException:
            self._forget(live)
            await self.store.set_state(run_id, "waiting")
            raise
        self._begin(live, partial(self._going_on, live, command=command, step=step))

    @one_at_a_time
    async def resume(self, run_id: str) -> None:
        """Go on with a run that was interrupted or cancelled, or failed.

        Errors: `NotFound`; `StateConflict` for one that is running, waits or has come to its end.
        """
        stored, flow = self._of_ours(run_id)
        status = await self.runs.status(run_id)
        if status not in ("interrupted", "failed", CANCELLED):
            raise StateConflict(f"the run {run_id} is {status}: there is nothing to resume")
        self._check_room()
        live = self._take_on(run_id, flow.name, stored.caller if stored else "")
        try:
            await self._keep_queued(run_id, stored, flow)
        except BaseException:
            self._forget(live)
            raise
        self._begin(live, partial(self._again, live, stored))

    async def stop_step(self, run_id: str) -> bool:
        """End the step of a run that a person can stop, and no more of it; False without one."""
        return run_id in self.live and await self._host.stop_step(run_id)

    @one_at_a_time
    async def cancel(self, run_id: str) -> None:
        """End a run that is queued, running or waits; what it recorded stays.

        Errors: `NotFound`; `StateConflict` for one that is over.
        """
        stored, flow = self._of_ours(run_id)
        live = self.live.get(run_id)
        if live is None:
            status = await self.runs.status(run_id)
            if status in OVER:
                raise StateConflict(f"the run {run_id} is {status}")
            if status in (QUEUED, RUNNING):
                raise StateConflict(f"another process runs {run_id}; it can be ended there")
            if stored is None:
                await self._keep_queued(run_id, stored, flow)
        elif live.task is not None:
            live.task.cancel()
            await asyncio.wait([live.task])
            status = await self.runs.status(run_id)
            if status in OVER:
                raise StateConflict(f"the run {run_id} is {status}")
        await self.store.set_state(run_id, CANCELLED)
        self.streams.tell(run_id, over_item(CANCELLED))

    def flow(self, name: str) -> HostedFlow:
        """The hosted flow of that name. Errors: `NotFound`."""
        if name not in self.flows:
            raise NotFound(f"there is no flow {name!r}", allowed=tuple(self.flows))
        return self.flows[name]

    async def wait(self, run_id: str, seconds: float) -> None:
        """Wait until a run is over or asks, at most so long. Errors: `NotFound`."""
        self.runs.place(run_id)
        live = self.live.get(run_id)
        if live is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await live.over.wait()

    def watch(self, run_id: str, after: int = 0) -> AsyncGenerator[StreamItem, None]:
        """The events of a run after that row, and those that come. Errors: `NotFound`."""
        self.runs.place(run_id)
        stored = self.store.find(run_id)
        cancelled = stored is not None and stored.state == CANCELLED and run_id not in self.live
        return self.streams.watch(run_id, after, last=over_item(CANCELLED) if cancelled else None)

    def stop(self) -> None:
        """Take no more runs on, and end the streams of all that watch: they can come back to the
        process that goes on."""
        self.is_open = False
        self.streams.end()

    async def aclose(self) -> None:
        """Stop: runs under way end as ones that go on with the next start."""
        self.stop()
        tasks = [each.task for each in self.live.values() if each.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._host.aclose()
        self.runs.close()
        self.store.close()

    async def _end_of(self, run_id: str) -> None:
        """Wait for what is left to do of a run that has told its end, and is still live here."""
        live = self.live.get(run_id)
        if live is None or await self.runs.status(run_id) in (QUEUED, RUNNING):
            return
        await live.over.wait()

    def _journal_of(self, flow: HostedFlow) -> str:
        """The folder of the journal that the next run of the flow shares with others."""
        name = journal_name(self.store.owner, self._begun)
        self._begun += 1
        return str(flow.plan.runs_folder / name)

    def _check_room(self) -> None:
        if not self.is_open:
            raise ServiceEnds("no run is taken on any more: the service is ending")
        waiting = sum(each.status == QUEUED for each in self.live.values())
        if waiting >= self._queue:
            raise QueueFull(f"{waiting} runs wait for their turn", retry_after=RETRY_SECONDS)

    def _take_on(
        self, run_id: str, flow: str, caller: str, listener: RunListener | None = None
    ) -> LiveRun:
        if run_id in self.live:
            raise StateConflict(f"the run {run_id} is {self.live[run_id].status}")
        own = () if listener is None else (listener,)
        live = LiveRun(run_id, flow, caller, listeners=(*self._listeners(), *own))
        self.live[run_id] = live
        return live

    def _forget(self, live: LiveRun) -> None:
        self.live.pop(live.run_id, None)
        live.over.set()
        for each in live.listeners:
            each.close()

    def _begin(self, live: LiveRun, work: Callable[[], Coroutine[Any, Any, RunResult]]) -> None:
        live.task = asyncio.create_task(self._until_over(live, work))

    async def _until_over(
        self, live: LiveRun, work: Callable[[], Coroutine[Any, Any, RunResult]]
    ) -> None:
        """Run, and keep what it came to. When this is cancelled it stays as it is kept."""
        try:
            result = await work()
            await self._keep_end(live, result.status, result.reason)
        except FlowsError as error:
            await self._keep_end(live, "failed", str(error), told=True)
        except Exception as error:
            log.exception("the run %s ended", live.run_id)
            await self._keep_end(live, "failed", f"{type(error).__name__}: {error}", told=True)
        finally:
            self._forget(live)

    async def _keep_end(
        self, live: LiveRun, status: str, reason: str, *, told: bool = False
    ) -> None:
        reason = redact_pieces(reason)
        self.counts[status] += 1
        try:
            await self.store.set_state(live.run_id, status, reason)
        except FlowsError as error:  # it stays queued, and the next process finds its end recorded
            log.error("the run %s is %s, and %s", live.run_id, status, error)
        if told:
            self.streams.tell(live.run_id, over_item(status, reason))

    def _listeners_of(self, live: LiveRun) -> tuple[Listener, ...]:
        return (live.note, self.streams.listener(live.run_id), *live.listeners)

    async def _first(self, live: LiveRun, inputs: Mapping[str, Any], journal: str) -> RunResult:
        file, more = self.flows[live.flow].file, {"caller": live.caller} if live.caller else None
        return await self._host.begin(
            file, inputs, run_id=live.run_id, more=more, listeners=self._listeners_of(live),
            journal=Path(journal) if journal else None,
        )  # fmt: skip

    async def _again(self, live: LiveRun, stored: StoredRun | None) -> RunResult:
        """Go on with what is recorded, or begin where nothing is."""
        place = self.runs.find(live.run_id)
        rows = await asyncio.to_thread(self.runs.rows, place) if place is not None else []
        if stored is None or rows:
            return await self._going_on(live)
        if not stored.fork:
            return await self._first(live, json.loads(stored.inputs), stored.journal)
        run_id, at, settings = json.loads(stored.fork)
        return await self._host.fork(
            self.flows[live.flow].file, self.runs.begun(run_id), Fork(run_id, at, tuple(settings)),
            run_id=live.run_id, listeners=self._listeners_of(live),
        )  # fmt: skip

    async def _going_on(
        self, live: LiveRun, *, command: str | None = None, step: str | None = None
    ) -> RunResult:
        file, listeners = self.flows[live.flow].file, self._listeners_of(live)
        return await self._host.go_on(
            file, self.runs.begun(live.run_id), command=command, step=step, listeners=listeners
        )

    def _of_ours(self, run_id: str) -> tuple[StoredRun | None, HostedFlow]:
        """A run and the flow that it is of. Errors: `NotFound`; `StateConflict` for a run of a flow
        that is not served here."""
        stored = self.store.find(run_id)
        place = self.runs.place(run_id)
        if stored is not None and stored.flow in self.flows:
            return stored, self.flows[stored.flow]
        for flow in self.flows.values():
            if place is not None and flow.plan.runs_folder.absolute() == place.folder.parent:
                return stored, flow
        raise StateConflict(f"the run {run_id} is of no flow that is served here")

    def _check_waits(self, run_id: str, stored: StoredRun | None) -> None:
        if (live := self.live.get(run_id)) is not None:
            raise StateConflict(f"the run {run_id} is {live.status}: it waits for no answer")
        if stored is not None and stored.state == CANCELLED:
            raise StateConflict(f"the run {run_id} is {CANCELLED}")
        self._check_room()

    async def _keep_queued(self, run_id: str, stored: StoredRun | None, flow: HostedFlow) -> None:
        """Keep that a run is to go on. One that another process began comes to be kept here."""
        if stored is None:
            await self.store.add(StoredRun(run_id, flow.name, flow.file.key, "{}"))
        else:
            await self.store.set_state(run_id, QUEUED)
