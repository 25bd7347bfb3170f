"""Processes that play cases. They are forked before any thread is begun, with all imports done."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import connection, get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from tests.kills.case import Case, Report, play
from tests.kills.verdict import Seen


@dataclass(frozen=True)
class Task:
    """A case, what an undisturbed one of its way came to, and the seconds of its attempts."""

    case: Case
    expected: Seen | None = None
    seconds: tuple[float, ...] = (1.0,)


class Pool:
    """So many processes, each of which plays one case at a time. To be closed."""

    def __init__(self, jobs: int) -> None:
        context = get_context("fork")
        self._idle: list[Connection] = []
        self._processes: list[BaseProcess] = []
        for _ in range(jobs):
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(theirs, [ours, *self._idle]))
            process.start()
            theirs.close()
            self._idle.append(ours)
            self._processes.append(process)
        self._all = list(self._idle)

    def play(self, tasks: Iterator[Task]) -> Iterator[Report]:
        """The reports on the tasks, as they come. A task is taken when there is room for it."""
        busy: list[Connection] = []
        more = True
        while True:
            while more and self._idle:
                task = next(tasks, None)
                if task is None:
                    more = False
                    break
                pipe = self._idle.pop()
                pipe.send(task)
                busy.append(pipe)
            if not busy:
                return
            ready = connection.wait(busy)
            for pipe in [each for each in busy if each in ready]:
                report = pipe.recv()
                busy.remove(pipe)
                self._idle.append(pipe)
                yield report

    def play_all(self, tasks: Sequence[Task]) -> list[Report]:
        """The reports in the order of the tasks."""
        reports = {report.case.name: report for report in self.play(iter(tasks))}
        return [reports[task.case.name] for task in tasks]

    def close(self) -> None:
        for pipe in self._all:
            pipe.close()
        for process in self._processes:
            process.join()


def _serve(pipe: Connection, others: Sequence[Connection]) -> None:
    for other in others:
        other.close()
    while True:
        try:
            task: Task = pipe.recv()
        except EOFError:
            os._exit(0)
        pipe.send(play(task.case, task.expected, task.seconds))
