"""Many questions on all cores: worker processes that keep data open, answers in their order."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from flows.core.workers import RunnerConfig
from flows.errors import UsageError
from flows.library.ask.answer import AskAnswer
from flows.runners.workers.links import Launcher, WorkerLink
from flows.runners.workers.make import launcher_of
from flows.services.batch_messages import (
    BatchReply,
    WorkerOptions,
    WorkerQuestion,
    line_of,
    read_reply,
)
from flows.services.request import DataQuestion
from flows.services.sources import NamedSource

_MODULE: Final = "flows.services.batch_worker"
AHEAD: Final = 256
# To start a process takes as long as to answer so many questions.
_QUESTIONS_A_START: Final = 20
_TRIES: Final = 2
_FALSE_STARTS: Final = 2
_RUNNER: Final = re.compile(r"\+*(override )?/?runner[.=@]")
UNREADY: Final = "the processes that answer do not start"
DIED: Final = "the process that answered it died, twice"


@dataclass(frozen=True, slots=True)
class Job:
    """A question over data, or what is wrong with its line (`fault`).

    With `expected`, SQL as the data's own database reads it, or `expected_request`, as JSON, what
    that gives is found out too.
    """

    request: DataQuestion = field(default_factory=lambda: DataQuestion(""))
    fault: str = ""
    expected: str = ""
    expected_request: str = ""


@dataclass(frozen=True, slots=True)
class BatchOptions:
    """How a batch is asked: what each process is told, and how many there are.

    With 0 `processes` there is one a core, and fewer for a few questions. They are where the
    `runner` says.
    """

    worker: WorkerOptions = field(default_factory=WorkerOptions)
    processes: int = 0
    runner: RunnerConfig = field(default_factory=RunnerConfig)

    def workers(self, questions: int) -> int:
        """How many processes the first `questions` are worth."""
        if self.processes:
            return min(self.processes, questions)
        worth = -(-questions // _QUESTIONS_A_START)
        return worth if self.runner.kind == "ray" else min(os.cpu_count() or 1, worth)


@dataclass(slots=True)
class _Pending:
    """A question that is not answered, and how many processes died of it."""

    question: WorkerQuestion
    tries: int = 0

    @property
    def number(self) -> int:
        return self.question.number

    @property
    def sources(self) -> tuple[NamedSource, ...]:
        return self.question.request.sources


Give = Callable[[BatchReply], None]


def run_batch(jobs: Iterable[Job], options: BatchOptions, give: Give) -> None:
    """Ask all questions; `give` gets the reply to each, in the order of the questions.

    A worker that dies is replaced, and its questions are asked again, once. Errors: `UsageError`
    for a config that none can be asked with.
    """
    asyncio.run(_Batch(iter(jobs), placed(options), give).run())


def placed(options: BatchOptions) -> BatchOptions:
    """The options with the runner that their overrides choose: that of the batch, whose workers
    answer a question themselves. Errors: `ConfigError` for a wrong one."""
    given = options.worker.options
    chosen = [each for each in given.overrides if _RUNNER.match(each)]
    if not chosen:
        return options
    from flows.services.questions import runner_of

    runner = runner_of(given)
    others = tuple(each for each in given.overrides if each not in chosen)
    worker = replace(options.worker, options=replace(given, overrides=others))
    processes = options.processes or runner.processes or 0
    return replace(options, worker=worker, processes=processes, runner=runner)


@dataclass
class _Worker:
    """A process, and the questions that it has."""

    link: WorkerLink
    at_once: int = 0  # questions that it works on at once; none before it is ready
    has: dict[int, _Pending] = field(default_factory=dict)
    opened: dict[tuple[NamedSource, ...], None] = field(default_factory=dict)

    @property
    def is_full(self) -> bool:
        """Whether it has as many questions as it works on at once, and one more."""
        return len(self.has) > max(self.at_once, 1)

    def open(self, sources: tuple[NamedSource, ...], most: int) -> None:
        """Note what it has open from now on: the latest, as many as it keeps."""
        self.opened.pop(sources, None)
        self.opened[sources] = None
        while len(self.opened) > most:
            del self.opened[next(iter(self.opened))]

    async def send(self, message: WorkerOptions | WorkerQuestion) -> None:
        """Send a line. One that has ended does not take it: who reads its lines finds that out."""
        await self.link.send(line_of(message))


class _Batch:
    def __init__(self, jobs: Iterator[Job], options: BatchOptions, give: Give) -> None:
        self._jobs = jobs
        self._options = options
        self._give = give
        self._pending: deque[_Pending] = deque()
        self._done: dict[int, BatchReply] = {}
        self._read = self._given = 0
        self._ended = False
        self._refused = ""
        self._false_starts = 0
        self._workers: list[_Worker] = []
        self._launcher: Launcher
        self._changed = asyncio.Condition()

    async def run(self) -> None:
        self._fill()
        self._hand_out()
        wanted = self._options.workers(len(self._pending))
        runner = self._options.runner
        processes = self._options.processes or (None if runner.kind == "ray" else wanted)
        settings = {"processes": processes}
        self._launcher = launcher_of(runner.model_copy(update=settings), _MODULE)
        try:
            count = min(await self._launcher.count(), wanted)
            async with asyncio.TaskGroup() as group:
                for _ in range(count):
                    group.create_task(self._work())
        finally:
            await self._launcher.aclose()
        if self._refused:
            raise UsageError(self._refused)

    async def _work(self) -> None:
        """Keep one worker busy, and replace it when it dies, until all is done."""
        while not self._is_over():
            worker = await self._start()
            try:
                async with asyncio.TaskGroup() as group:
                    feeding = group.create_task(self._feed(worker))
                    await self._listen(worker)
                    feeding.cancel()
            finally:
                self._workers.remove(worker)
                await worker.link.end()
            await self._take_back(worker)

    async def _start(self) -> _Worker:
        worker = _Worker(await self._launcher.start())
        self._workers.append(worker)
        await worker.send(self._options.worker)
        return worker

    async def _feed(self, worker: _Worker) -> None:
        """Give it as many questions as it has at once, and one more, so that it never waits."""
        while True:
            async with self._changed:
                while not self._is_over() and (worker.is_full or not self._pending):
                    await self._changed.wait()
                if self._is_over():
                    break
                pending = self._next_for(worker)
                worker.has[pending.number] = pending
            await worker.send(pending.question)
        await worker.link.end()

    def _next_for(self, worker: _Worker) -> _Pending:
        """The first question over data that it has open, else over data that no other has open,
        else the first."""
        others = {each for other in self._workers if other is not worker for each in other.opened}
        best = 0
        for place, each in enumerate(self._pending):
            if each.sources in worker.opened:
                best = place
                break
            if self._pending[best].sources in others and each.sources not in others:
                best = place
        chosen = self._pending[best]
        del self._pending[best]
        worker.open(chosen.sources, self._options.worker.open)
        return chosen

    async def _listen(self, worker: _Worker) -> None:
        while line := await worker.link.read():
            message = json.loads(line)
            async with self._changed:
                if "at_once" in message:
                    worker.at_once = message["at_once"]
                    self._changed.notify_all()
                    continue
                if "refused" in message:
                    self._refused = message["refused"]
                    self._changed.notify_all()
                    return
                reply = read_reply(message)
                worker.has.pop(reply.number, None)
                self._done[reply.number] = reply
                self._hand_out()
                self._fill()
                self._hand_out()
                self._changed.notify_all()

    async def _take_back(self, worker: _Worker) -> None:
        """What a worker had when it ended is asked again, by any; of what killed two, no third."""
        async with self._changed:
            self._false_starts += not worker.at_once
            if self._false_starts > _FALSE_STARTS and not self._is_over():
                self._refused = f"{UNREADY}; {self._launcher.said}"
            for each in sorted(worker.has.values(), key=lambda each: each.number, reverse=True):
                each.tries += bool(worker.at_once)
                if each.tries >= _TRIES:
                    self._done[each.number] = self._failure(each.number, DIED)
                else:
                    self._pending.appendleft(each)
            self._hand_out()
            self._fill()
            self._hand_out()
            self._changed.notify_all()

    def _fill(self) -> None:
        """Read ahead, but no further than some lines after the last that was given out."""
        while not self._ended and self._read < self._given + AHEAD:
            job = next(self._jobs, None)
            if job is None:
                self._ended = True
                return
            if job.fault:
                self._done[self._read] = self._failure(self._read, job.fault)
            else:
                wanted = (job.expected, job.expected_request)
                question = WorkerQuestion(self._read, job.request, *wanted)
                self._pending.append(_Pending(question))
            self._read += 1

    def _failure(self, number: int, reason: str) -> BatchReply:
        explain = self._options.worker.explain
        return BatchReply(number, AskAnswer.failure(reason, explain=explain))

    def _hand_out(self) -> None:
        """Give what is done as far as nothing before it is missing, and read on."""
        while self._given in self._done:
            self._give(self._done.pop(self._given))
            self._given += 1
            if self._given % AHEAD == 0:
                self._fill()

    def _is_over(self) -> bool:
        """Whether all is done, or no question can be asked with this config."""
        return bool(self._refused) or (self._ended and self._given == self._read)
