"""A task list brought in line with what was found: away from what failed, to what is there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from flows.analysis.team.abilities import Team
from flows.analysis.team.goals.entries import Entry, same_words
from flows.analysis.team.goals.needs import columns_given, missing_in, source_of
from flows.analysis.team.goals.titles import title_of
from flows.analysis.team.interpretation import with_request
from flows.analysis.team.localization import specified
from flows.data.tables import Table
from flows.semantics.model import SemanticModel
from flows.semantics.query import Query
from flows.semantics.request import Analysis


@dataclass(frozen=True)
class TaskState:
    """What came of a task: whether it is done, and the columns of its table, if it has one."""

    task: Entry
    done: bool
    table: str
    columns: tuple[str, ...]

    @property
    def usable(self) -> bool:
        """Whether another task can work on it."""
        return self.done and bool(self.table or self.columns)


def found_of(
    conversation: Any, team: Team, tables: Sequence[Table], model: SemanticModel
) -> list[TaskState]:
    """The outcomes of a conversation, as values or as plain data."""
    outcomes: Sequence[Any] = conversation or ()
    plain = [each if isinstance(each, dict) else each.model_dump() for each in outcomes]
    found: list[TaskState] = []
    for each in plain:
        task = Entry.model_validate({
            "task_id": each["task_id"], "name": each["name"],
            "description": str(each.get("sub_task") or "?"), "request": each.get("request"),
            "data_dependency": each.get("data_dependency"),
        })  # fmt: skip
        task = with_request(task, team, tables, model, [other.task for other in found])
        done, columns = each.get("status") == "done", tuple(each.get("columns") or ())
        found.append(TaskState(task, done, str(each.get("table") or ""), columns))
    return found


@dataclass
class Repair:
    """The open tasks, one after the other: kept as they are, changed, or dropped."""

    found: Sequence[TaskState]
    open: Sequence[Entry]
    team: Team
    tables: Sequence[Table]
    model: SemanticModel
    kept: list[Entry] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)
    dropped: set[int] = field(default_factory=set)
    instead: dict[int, int] = field(default_factory=dict)

    def run(self) -> None:
        for task in self.open:
            changed = self._repaired(task)
            if changed is None:
                self.dropped.add(task.task_id)
            else:
                self.kept.append(changed)

    def _repaired(self, task: Entry) -> Entry | None:
        """The task on a result that it can use; None where it cannot work any more."""
        failed = (each.task for each in self.found if not each.done)
        again = next((each for each in failed if _same(each, task)), None)
        if again is not None:
            self.changes.append(
                f"task {task.task_id} was dropped: it is task {again.task_id} again, which failed"
            )
            return None
        why = self._wrong_with(task)
        if not why:
            return task
        if task.name == self.team.goals:  # it works on the run's own data
            return self._moved(task, None, why)
        now = self._other_source(task)
        if now is not None:
            return self._moved(task, now, why)
        source = self._of(task.data_dependency)
        if task.name == self.team.tells and source is not None and source.usable:
            return task
        if self._over_the_data(task):
            return self._moved(task, None, why)
        self.changes.append(f"task {task.task_id} was dropped: {why}, and no other result has what "
                            "it needs")  # fmt: skip
        return None

    def _moved(self, task: Entry, to: int | None, why: str) -> Entry:
        on = "the data itself" if to is None else f"task {to}"
        self.changes.append(f"task {task.task_id} now depends on {on}: {why}")
        return task.model_copy(update={"data_dependency": to})

    def _wrong_with(self, task: Entry) -> str:
        """What is wrong with the dependency of a task; empty for nothing."""
        wanted = task.data_dependency
        if wanted is None:
            return ""
        if wanted in self.dropped:
            return f"task {wanted} was dropped"
        source = self._of(wanted)
        if source is None:
            waits = next((each for each in self.kept if each.task_id == wanted), None)
            if waits is not None and waits.name not in self.team.giving:
                return f"task {wanted} gives no data"
            open_ = any(each.task_id == wanted for each in self.open)
            return "" if open_ else f"there is no task {wanted}"
        if not source.done:
            return f"task {wanted} failed"
        if task.name == self.team.goals:  # what was found is told to it in words
            return ""
        if not source.usable:
            return f"task {wanted} gave no table"
        if task.name == self.team.tells:
            return self._failed_on(wanted, source.columns)
        if lacking := missing_in(task.request, source.columns):
            said = ", ".join(f'"{each}"' for each in lacking)
            return f"the result of task {wanted} has no {said}"
        return ""

    def _failed_on(self, task_id: int, columns: Sequence[str]) -> str:
        """That a task failed with the result of another, which lacks what it needs."""
        for each in self.found:
            on_it = not each.done and each.task.data_dependency == task_id
            if on_it and (lacking := missing_in(each.task.request, columns)):
                said = ", ".join(f'"{name}"' for name in lacking)
                return (f"task {each.task.task_id} failed on the result of task {task_id}, "
                        f"which has no {said}")  # fmt: skip
        return ""

    def _other_source(self, task: Entry) -> int | None:
        """The nearest task that has the columns: one that is done, else one that replaces it."""
        before = [e for e in self.found if e.usable and e.task.task_id != task.data_dependency]
        before.sort(key=lambda each: -each.task.task_id)
        for each in before:
            if not missing_in(task.request, each.columns):
                return each.task.task_id
        for other in reversed(self.kept):
            given = columns_given(other.request, self.model)
            if other.name in self.team.giving and given and not missing_in(task.request, given):
                return other.task_id
        return self._replacement(task)

    def _replacement(self, task: Entry) -> int | None:
        """A new task for rows that could not be had, where all rows of the plain table have what
        is needed."""
        source = self._of(task.data_dependency)
        if source is None or source.task.name != self.team.queries or source.usable:
            return None
        if source.task.task_id in self.instead:
            return self.instead[source.task.task_id]
        wanted = source_of(task.request) or source.task.request
        if not isinstance(wanted, Query) or all(t.name != wanted.dataset for t in self.tables):
            return None
        plain = Query(dataset=wanted.dataset)
        tried = any(each.task.request == plain for each in self.found)
        if tried or missing_in(task.request, columns_given(plain, self.model)):
            return None
        taken = [e.task.task_id for e in self.found]
        number = max([*taken, *(e.task_id for e in (*self.open, *self.kept))]) + 1
        self.kept.append(Entry(task_id=number, name=self.team.queries, request=plain,
                               description=title_of(plain, self.model)))  # fmt: skip
        self.instead[source.task.task_id] = number
        self.changes.append(f"task {number} was added in place of task {source.task.task_id}")
        return number

    def _over_the_data(self, task: Entry) -> bool:
        """Whether a task can work on a table of the run itself."""
        if not isinstance(task.request, Analysis):
            return False
        try:
            specified(task.request, None, self.tables, self.model)
        except ValueError:
            return False
        return True

    def _of(self, task_id: int | None) -> TaskState | None:
        return next((each for each in self.found if each.task.task_id == task_id), None)


def _same(one: Entry, other: Entry) -> bool:
    """Whether two tasks of an agent ask for the same."""
    if one.name != other.name:
        return False
    same = one.request is not None and one.request == other.request
    return same or same_words(one.description) == same_words(other.description)
