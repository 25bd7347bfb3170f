"""Where the tasks of a team stand, as the events of its run tell it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from flows.core.chat import Usage
from flows.core.events import Event, ModelCalled, StepErred, StepFinished, StepStarted
from flows.semantics.findings import Task, TaskResult
from flows.ui.terminal_text import one_line

# What a run does around its tasks, by the names that these steps have in every graph of a team.
PHASES: Final = ("RAGAgent", "Research", "ManagerAgent", "SummarizerAgent", "Report")
_CHARS: Final = 400


@dataclass
class Standing:
    """Something that is worked on: its status, since when, how long, and what its last step is."""

    name: str
    text: str
    status: str = "planned"
    began: float | None = None
    seconds: float | None = None
    address: str = ""
    step: str = ""

    def begin(self, address: str, now: float) -> None:
        self.status, self.began, self.address = "running", now, address

    def end(self, status: str, now: float) -> None:
        if self.began is not None and self.seconds is None:
            self.seconds = now - self.began
        self.status, self.step = status, ""

    def took(self, now: float) -> float | None:
        """Seconds so far."""
        if self.status == "running" and self.began is not None:
            return now - self.began
        return self.seconds


@dataclass
class TaskShown(Standing):
    """A task of a list."""

    number: int = 0
    after: int | None = None


@dataclass
class GoalTasks:
    """The task list of a goal; `address` is that of the goal's step."""

    address: str
    tasks: dict[int, TaskShown] = field(default_factory=dict)

    def put(self, task: Task) -> None:
        """A task as it is in the list now; one that was worked on stays what it was."""
        known = self.tasks.get(task.task_id)
        if known is not None and known.status != "planned":
            return
        text = one_line(task.description, _CHARS)
        name = one_line(task.name, 60)
        shown = TaskShown(name, text, number=task.task_id, after=task.data_dependency)
        self.tasks[task.task_id] = shown

    def settle(self, results: Sequence[TaskResult]) -> None:
        """What became of tasks, by the team's own account."""
        for each in results:
            self.put(each.task)
            shown = self.tasks[each.task.task_id]
            shown.status, shown.step = each.status, ""
            shown.seconds = each.seconds or shown.seconds

    def keep(self, tasks: Sequence[Task]) -> None:
        """The open tasks are these now; the others are dropped."""
        kept = {each.task_id for each in tasks}
        for shown in self.tasks.values():
            if shown.status == "planned" and shown.number not in kept:
                shown.status = "dropped"
        for each in tasks:
            self.put(each)


class Board:
    """The tasks, what goes on around them, and what was spent. It is told events and knows nothing
    else; `clock` gives seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.goals: dict[str, GoalTasks] = {}
        self.phases: dict[str, Standing] = {}
        self.usage = Usage()
        self._teams: dict[str, GoalTasks] = {}
        self._working: dict[str, TaskShown] = {}

    def take(self, event: Event) -> None:
        """Follow an event."""
        match event:
            case StepStarted():
                self._begin(event)
            case StepFinished():
                self._finish(event)
            case StepErred():
                self._end(event.address, "failed")
            case ModelCalled():
                self.usage += event.usage
            case _:
                pass

    def task_at(self, address: str) -> TaskShown | None:
        """The task whose agent is the step at the address."""
        return self._working.get(address)

    def _goal(self, address: str) -> GoalTasks:
        return self.goals.setdefault(address, GoalTasks(address))

    def _begin(self, event: StepStarted) -> None:
        address, given, above = event.address, event.inputs, _parent(event.address)
        if _tasks(given) is not None and not {"agents", "results"} & given.keys():
            goal = self._teams[address] = self._goal(above)
            goal.keep(_tasks(given) or ())
        elif above in self._teams and isinstance(given.get("task"), str):
            self._begin_task(event, self._teams[above])
        elif above in self._teams and (results := _results(given)):
            self._teams[above].settle(results)
        elif event.flow in PHASES and self._task_above(address) is None:
            phase = Standing(one_line(event.flow, 60), one_line(event.goal, _CHARS))
            phase.begin(address, self.clock())
            self.phases[address] = phase
        if (task := self._task_above(address)) is not None:
            task.step = one_line(f"{event.flow}: {event.goal}", _CHARS)

    def _begin_task(self, event: StepStarted, goal: GoalTasks) -> None:
        text = one_line(event.inputs["task"], _CHARS)
        for task in goal.tasks.values():
            same = task.name == event.flow and task.text == text
            if task.status == "planned" and same:
                task.begin(event.address, self.clock())
                self._working[event.address] = task
                return

    def _finish(self, event: StepFinished) -> None:
        if event.reused and event.usage is not None:
            self.usage += event.usage
        outputs, above = event.outputs, _parent(event.address)
        if (results := _results(outputs)) and event.address in self._teams:
            self._teams[event.address].settle(results)
        elif (tasks := _tasks(outputs)) is not None and "changes" in outputs:
            goal = self._teams.get(above) or self._goal(above)
            goal.keep(tasks)
        self._end(event.address, "done")

    def _end(self, address: str, status: str) -> None:
        found = self._working.get(address) or self.phases.get(address)
        if found is not None and found.status == "running":
            found.end(status, self.clock())

    def _task_above(self, address: str) -> TaskShown | None:
        """The nearest task that the step at the address is a part of."""
        while address := _parent(address):
            if address in self._working:
                return self._working[address]
        return None


def changes_of(outputs: Mapping[str, Any]) -> tuple[str, ...]:
    """What was changed of a task list, in words, where a step's outputs say so."""
    said = outputs.get("changes")
    if _tasks(outputs) is None or not isinstance(said, Sequence) or isinstance(said, str):
        return ()
    return tuple(str(each) for each in said)


def _tasks(values: Mapping[str, Any]) -> tuple[Task, ...] | None:
    found = values.get("tasks")
    if not isinstance(found, tuple) or not all(isinstance(each, Task) for each in found):
        return None
    return found


def _results(values: Mapping[str, Any]) -> tuple[TaskResult, ...]:
    found = values.get("results")
    if not isinstance(found, tuple) or not all(isinstance(each, TaskResult) for each in found):
        return ()
    return found


def _parent(address: str) -> str:
    return address.rpartition("/")[0]
