"""What a person may say of a task list, and what the list is after that."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from flows.errors import nearest
from flows.library.analyst.actions import Agent
from flows.semantics.findings import Task

_VERBS: Final = "drop|edit|add"
_NEXT: Final = re.compile(rf"(?:\s*;\s*|\n\s*)(?=(?:{_VERBS})\b)", re.IGNORECASE)
_VERB: Final = re.compile(rf"({_VERBS})\b\s*(.*)", re.IGNORECASE | re.DOTALL)
_NUMBERS: Final = re.compile(r"\d{1,6}(?:(?:\s*,\s*|\s+and\s+|\s+)\d{1,6})*")
_EDIT: Final = re.compile(
    r"(\d{1,6})\s*(?:after\s+(\d{1,6}|none)\s*)?(?::\s*(.*))?", re.IGNORECASE | re.DOTALL
)
_ADD: Final = re.compile(
    r"([\w.-]+)\s*(?:after\s+(\d{1,6}|none)\s*)?:\s*(.*)", re.IGNORECASE | re.DOTALL
)
_AFTER: Final = re.compile(r"(.*\S)\s+after\s+(\d{1,6})", re.IGNORECASE | re.DOTALL)


class EditRefused(Exception):
    """What was said cannot be done, and why."""


@dataclass
class Edits:
    """A task list that is being changed. `done` are the tasks that were worked on, by number, with
    what came of them; `highest` is the highest number that any task has had."""

    agents: Sequence[Agent]
    tasks: list[Task]
    done: Mapping[int, str]
    highest: int
    changes: list[str] = field(default_factory=list)

    def apply(self, said: str) -> None:
        """Do all that was said, in its order. Errors: `EditRefused`, and then nothing counts."""
        verbs: Mapping[str, Callable[[str], None]]
        verbs = {"drop": self._drop, "edit": self._edit, "add": self._add}
        for each in _NEXT.split(said.strip().rstrip(";").strip()):
            found = _VERB.fullmatch(each.strip())
            if found is None:
                raise EditRefused(f"{_short(each)!r} is not understood")
            verbs[found[1].casefold()](found[2].strip())

    def _drop(self, said: str) -> None:
        if not _NUMBERS.fullmatch(said):
            raise EditRefused("drop takes the numbers of tasks, as: drop 3")
        for number in dict.fromkeys(int(each) for each in re.findall(r"\d+", said)):
            dropped = self._open(number)
            self.tasks.remove(dropped)
            self.changes.append(f"The person dropped task {number}.")
            for task in list(self.tasks):
                if task.data_dependency == number:
                    self._put(task, data_dependency=dropped.data_dependency)
                    now = _on(dropped.data_dependency)
                    self.changes.append(f"Task {task.task_id} now works on {now}.")

    def _edit(self, said: str) -> None:
        found = _EDIT.fullmatch(said)
        if found is None or (found[2] is None and found[3] is None):
            raise EditRefused("edit takes a number and a new text, as: edit 3: Count the orders")
        task = self._open(int(found[1]))
        if found[2] is not None:
            before = self._before(found[2], task.task_id)
            self._put(task, data_dependency=before)
            self.changes.append(f"The person had task {task.task_id} work on {_on(before)}.")
        if found[3] is not None:
            text = _described(found[3])
            self._put(self._open(task.task_id), description=text)
            self.changes.append(f"The person changed task {task.task_id}: {text}")

    def _add(self, said: str) -> None:
        found = _ADD.fullmatch(said)
        if found is None:
            raise EditRefused("add takes an agent and a text, as: add AGENT: Count them after 2")
        agent, text, after = self._agent(found[1]), _described(found[3]), found[2]
        if after is None and (last := _AFTER.fullmatch(text)) is not None:
            text, after = last[1], last[2]
        before = None if after is None else self._before(after, None)
        self.highest += 1
        task = Task(task_id=self.highest, name=agent, description=text, data_dependency=before)
        self.tasks.append(task)
        self.changes.append(f"The person added task {task.task_id} for {agent}: {text}")

    def _open(self, number: int) -> Task:
        """The open task of that number. Errors: `EditRefused`."""
        for task in self.tasks:
            if task.task_id == number:
                return task
        if number in self.done:
            raise EditRefused(f"task {number} is {self.done[number]} and cannot be changed")
        raise EditRefused(f"there is no task {number}; open are {self._numbers()}")

    def _before(self, said: str, number: int | None) -> int | None:
        """The task that one can come after. Errors: `EditRefused`."""
        if said.casefold() == "none":
            return None
        before = int(said)
        if self.done.get(before, "done") != "done":
            raise EditRefused(f"task {before} is {self.done[before]}: there is no result of it")
        if before not in self.done and all(each.task_id != before for each in self.tasks):
            raise EditRefused(
                f"there is no task {before} to come after; open are {self._numbers()}. Words that "
                f"only look like it end with a full stop, as: after {before}."
            )
        wired = {each.task_id: each.data_dependency for each in self.tasks}
        at: int | None = before
        while number is not None and at is not None:
            if at == number:
                raise EditRefused(f"tasks {number} and {before} would wait for each other")
            at = wired.get(at)
        return before

    def _agent(self, said: str) -> str:
        """The agent that is meant: its name in any case, or a part that only it has."""
        names = [each.name for each in self.agents]
        part = said.casefold()
        exact = [each for each in names if each.casefold() == part]
        found = exact or [each for each in names if part in each.casefold()]
        if len(found) == 1:
            return found[0]
        meant = nearest(said, names)
        hint = f", did you mean {meant}?" if meant and not found else ""
        raise EditRefused(f"there is no agent {_short(said)!r}{hint} Agents: {', '.join(names)}")

    def _put(self, task: Task, **changed: object) -> None:
        self.tasks[self.tasks.index(task)] = task.model_copy(update=changed)

    def _numbers(self) -> str:
        return ", ".join(str(each.task_id) for each in self.tasks) or "none"


def _described(text: str) -> str:
    said = " ".join(text.split())
    if not said:
        raise EditRefused("a task needs a text that says what is to be done")
    return said


def _on(number: int | None) -> str:
    return "the data itself" if number is None else f"the result of task {number}"


def _short(text: str) -> str:
    said = " ".join(text.split())
    return said if len(said) <= 60 else f"{said[:59]}…"
