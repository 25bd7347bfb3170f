"""A task list brought in line with what was found: away from what failed, to what is there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from flows.analysis.team.goals.entries import Entry, same_words
from flows.analysis.team.goals.needs import gives_data, made_by
from flows.analysis.team.goals.steps import GOAL, INSIGHTS, SQL, can_do
from flows.analysis.team.queries.origin import extraction, read_extraction
from flows.analysis.team.queries.wide import wides_of
from flows.analysis.team.queries.wording import names_in, quoted
from flows.data.tables import Table
from flows.errors import nearest


@dataclass(frozen=True)
class Found:
    """What came of a task: whether it is done, and the columns of its table, if it has one."""

    task_id: int
    name: str
    description: str
    data_dependency: int | None
    done: bool
    table: str
    columns: tuple[str, ...]

    @property
    def usable(self) -> bool:
        """Whether another task can work on it."""
        return self.done and bool(self.table or self.columns)


def found_of(conversation: Any) -> list[Found]:
    """The outcomes of a conversation, as values or as plain data."""
    outcomes: Sequence[Any] = conversation or ()
    plain = [each if isinstance(each, dict) else each.model_dump() for each in outcomes]
    return [
        Found(
            int(each["task_id"]), str(each["name"]), str(each.get("sub_task") or ""),
            each.get("data_dependency"), each.get("status") == "done",
            str(each.get("table") or ""), tuple(each.get("columns") or ()),
        )
        for each in plain
    ]  # fmt: skip


@dataclass
class Repair:
    """The open tasks, one after the other: kept as they are, changed, or dropped."""

    found: Sequence[Found]
    open: Sequence[Entry]
    agents: Sequence[str]
    tables: Sequence[Table]
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
        if again := self._failed_before(task):
            self.changes.append(
                f"task {task.task_id} was dropped: it is task {again.task_id} again, which failed"
            )
            return None
        moved = self._rewired(task)
        return None if moved is None else self._worded(moved)

    def _failed_before(self, task: Entry) -> Found | None:
        key = (task.name, same_words(task.description))
        failed = [each for each in self.found if not each.done]
        return next((e for e in failed if (e.name, same_words(e.description)) == key), None)

    # --- dependencies --------------------------------------------------------------------------

    def _rewired(self, task: Entry) -> Entry | None:
        """The task on a result that it can use; None where it cannot work any more."""
        why = self._wrong_with(task)
        if not why:
            return task
        if task.name == GOAL:  # it works on the run's own data, whatever came of those before it
            return self._moved(task, None, why)
        now = self._other_source(task)
        if now is not None:
            return self._moved(task, now, why)
        if self._keeps(task):
            return task
        if task.name != INSIGHTS and self._over_the_data(task):
            return self._moved(task, None, why)
        self.changes.append(f"task {task.task_id} was dropped: {why}, and no other result has what "
                            "it needs")  # fmt: skip
        return None

    def _keeps(self, task: Entry) -> bool:
        """Whether a task can at least try with the result that it has."""
        source = self._of(task.data_dependency)
        return source is not None and source.usable

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
            if waits is not None and not gives_data(waits):
                return f"task {wanted} gives no data"
            open_ = any(each.task_id == wanted for each in self.open)
            return "" if open_ else f"there is no task {wanted}"
        if not source.done:
            return f"task {wanted} failed"
        if task.name == GOAL:  # what was found is told to it in words
            return ""
        if not source.usable:
            return f"task {wanted} gave no table"
        lacking = self._lacking(task, source.columns)
        if lacking and (task.name != INSIGHTS or self._failed_on(wanted)):
            failed = self._failed_on(wanted)
            also = f", and task {failed.task_id} failed on it" if failed else ""
            return f"the result of task {wanted} has no {', '.join(map(quoted, lacking))}{also}"
        return ""

    def _failed_on(self, task_id: int) -> Found | None:
        """A task that failed with the result of another, which lacks what it names."""
        columns = {each.task_id: each.columns for each in self.found}.get(task_id, ())
        failed = [e for e in self.found if not e.done and e.data_dependency == task_id]
        return next((e for e in failed if self._missing(e.description, columns)), None)

    def _other_source(self, task: Entry) -> int | None:
        """The nearest task that has the columns: one that is done, else one that replaces it."""
        before = [e for e in self.found if e.usable and e.task_id != task.data_dependency]
        before.sort(key=lambda each: -each.task_id)
        for each in before:
            if not self._lacking(task, each.columns):
                return each.task_id
        if self._keeps(task):
            return None
        waiting = [each for each in reversed(self.kept) if gives_data(each)]
        for other in waiting:
            made = made_by(other, self.tables)
            if not self._lacking(task, tuple(made.columns)):
                return other.task_id
        if replaced := self._replacement(task):
            return replaced
        if task.name == INSIGHTS and before:
            return before[0].task_id
        return None

    def _replacement(self, task: Entry) -> int | None:
        """A new task for an extraction that failed, where the plain table has what is needed."""
        source = self._of(task.data_dependency)
        if source is None or source.name != SQL or SQL not in self.agents:
            return None
        if source.task_id in self.instead:
            return self.instead[source.task_id]
        tried = {same_words(each.description) for each in self.found}
        for text, columns in self._plainer(source):
            new = same_words(text) not in tried and can_do(SQL, text, self.tables, None)
            if not new or self._lacking(task, columns):
                continue
            used = [e.task_id for e in self.found] + [e.task_id for e in (*self.open, *self.kept)]
            number = max(used) + 1
            self.kept.append(Entry(task_id=number, name=SQL, description=text))
            self.instead[source.task_id] = number
            self.changes.append(f"task {number} was added in place of task {source.task_id}")
            return number
        return None

    def _plainer(self, source: Found) -> list[tuple[str, tuple[str, ...]]]:
        """Simpler extractions of the tables that a failed one named."""
        asked = read_extraction(source.description, self.tables)
        names = names_in(source.description)
        bases = [w.narrowed(()) for w in wides_of(self.tables) if w.base.name in names]
        if asked is not None:
            bases.sort(key=lambda each: each.base.name != asked.wide.base.name)
        where = f" {asked.where}" if asked and asked.where else ""
        options = [(wide, where) for wide in bases if where] + [(wide, "") for wide in bases]
        return [(extraction(w, said), tuple(w.home)) for w, said in options]

    def _over_the_data(self, task: Entry) -> bool:
        """Whether a task can work on a table of the run itself."""
        named = self._named(task.description)
        fits = [t for t in self.tables if named <= {column.name for column in t.columns}]
        return bool(named) and bool(fits) and can_do(task.name, task.description, self.tables, None)

    # --- words ---------------------------------------------------------------------------------

    def _worded(self, task: Entry) -> Entry | None:
        """The task with names of columns that its input has."""
        source = self._of(task.data_dependency)
        if source is None or not source.usable or task.name in (INSIGHTS, GOAL):
            return task
        text, lacking = task.description, self._lacking(task, source.columns)
        for name in lacking:
            meant = nearest(name, [each for each in source.columns if each not in names_in(text)])
            if meant is None:
                self.changes.append(f"task {task.task_id} was dropped: the result of task "
                                    f"{source.task_id} has no {quoted(name)}")  # fmt: skip
                return None
            text = text.replace(quoted(name), quoted(meant))
            why = f"the result of task {source.task_id} has no {quoted(name)}"
            self.changes.append(f"task {task.task_id} now names {quoted(meant)}: {why}")
        return task.model_copy(update={"description": text})

    def _lacking(self, task: Entry, columns: Sequence[str]) -> list[str]:
        """The columns that a task names and a result does not have."""
        return self._missing(task.description, columns)

    def _missing(self, text: str, columns: Sequence[str]) -> list[str]:
        named = self._named(text)
        return [each for each in names_in(text) if each in named and each not in columns]

    def _named(self, text: str) -> frozenset[str]:
        """The columns that a text names: what is in quotes, without tables and values."""
        tables = {each.name for each in self.tables}
        values = {
            value.casefold()
            for table in self.tables for column in table.columns if column.type == "text"
            for value in column.values
        }  # fmt: skip
        columns = {column.name for table in self.tables for column in table.columns}
        seen = {name for each in self.found for name in each.columns}
        return frozenset(
            name for name in names_in(text)
            if name in columns | seen or (name not in tables and name.casefold() not in values)
        )  # fmt: skip

    def _of(self, task_id: int | None) -> Found | None:
        return next((each for each in self.found if each.task_id == task_id), None)
