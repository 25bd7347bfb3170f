"""Reflection on a task list: related tasks made one, what is there twice dropped, all in order."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from flows.analysis.team.goals.entries import Entry, same_words
from flows.analysis.team.goals.needs import column_names, dependency_of, gives_data, made_by
from flows.analysis.team.goals.steps import GOAL, INSIGHTS, MODEL, SQL
from flows.analysis.team.queries.origin import Extraction, extraction, read_extraction, widened
from flows.data.tables import Table
from flows.errors import nearest

Change = Callable[[str], None]


def reflected(
    tasks: Sequence[Entry], agents: Sequence[str], tables: Sequence[Table]
) -> tuple[list[Entry], list[str]]:
    """The list as it should be, and what was changed of it."""
    changes: list[str] = []
    kept = _named(tasks, agents, changes.append)
    kept = _unlike(kept, changes.append)
    kept = _one_extraction(kept, tables, changes.append)
    kept = _whole_models(kept, changes.append)
    kept = _rewired(kept, tables, changes.append)
    kept = _with_insights(kept, agents, changes.append)
    return renumbered(kept, changes.append), changes


def _named(tasks: Sequence[Entry], agents: Sequence[str], change: Change) -> list[Entry]:
    """The tasks of agents that are there; a misspelt name is put right."""
    found = []
    for task in tasks:
        name = task.name if task.name in agents else nearest(task.name, agents)
        if name is None:
            change(f"task {task.task_id} was dropped: there is no agent {task.name}")
            continue
        if name != task.name:
            change(f"task {task.task_id}: {task.name} was read as {name}")
            task = task.model_copy(update={"name": name})
        found.append(task)
    return found


def _unlike(tasks: Sequence[Entry], change: Change) -> list[Entry]:
    """The tasks without those that say the same as an earlier one of the same agent."""
    first: dict[tuple[str, str], Entry] = {}
    moved: dict[int, int] = {}
    for task in tasks:
        key = (task.name, same_words(task.description))
        if key in first:
            moved[task.task_id] = first[key].task_id
            change(f"task {task.task_id} was dropped: it is the same as task {first[key].task_id}")
        else:
            first[key] = task
    return _moved(list(first.values()), moved)


def _moved(tasks: Sequence[Entry], moved: dict[int, int]) -> list[Entry]:
    """The tasks with the dependencies on others that stand for those that went."""
    found = []
    for task in tasks:
        if (now := moved.get(task.data_dependency) if moved else None) is not None:  # type: ignore[arg-type]
            task = task.model_copy(update={"data_dependency": now})
        found.append(task)
    return found


def _one_extraction(tasks: Sequence[Entry], tables: Sequence[Table], change: Change) -> list[Entry]:
    """One task for all that is extracted of the same rows of the same tables."""
    kept: list[Entry] = []
    read: list[tuple[int, Extraction]] = []
    moved: dict[int, int] = {}
    for task in tasks:
        found = read_extraction(task.description, tables) if task.name == SQL else None
        same = next(((n, e) for n, e in read if found and _same_rows(e, found)), None)
        if found is None:
            kept.append(task)
        elif same is None:
            read.append((len(kept), found))
            kept.append(task)
        else:
            place, other = same
            merged = _both(other, found, tables)
            text = extraction(merged.wide, f" {merged.where}" if merged.where else "", merged.names)
            read = [(n, merged if n == place else e) for n, e in read]
            moved[task.task_id] = kept[place].task_id
            kept[place] = kept[place].model_copy(update={"description": text})
            change(f"task {task.task_id} was merged into task {kept[place].task_id}: both extract "
                   f'from "{found.wide.base.name}"')  # fmt: skip
    return _moved(kept, moved)


def _same_rows(one: Extraction, other: Extraction) -> bool:
    return one.wide.base.name == other.wide.base.name and one.where == other.where


def _both(one: Extraction, other: Extraction, tables: Sequence[Table]) -> Extraction:
    """What two extractions bring together."""
    base = one.wide.base.name
    others = [t.name for t in (*one.wide.tables, *other.wide.tables) if t.name != base]
    wide = widened(base, others, tables) or one.wide
    if len(wide.tables) == 1 and not (one.names and other.names):
        return Extraction(wide, (), one.where)
    asked = {n for each in (one, other) for n in each.names or each.wide.home}
    names = tuple(each for each in wide.home if each in asked)
    return Extraction(wide, () if len(names) == len(wide.home) else names, one.where)


_LEARNS: Final = re.compile(r"\b(?:build|train|fit|learn|create|develop)\b", re.IGNORECASE)
_USES: Final = re.compile(
    r"\b(?:use|using|with|from|of) (?:the|this|that) (?:\w+ )?model\b|"
    r"\bthe (?:built |trained |fitted )?model(?:'s)?\b",
    re.IGNORECASE,
)


def _whole_models(tasks: Sequence[Entry], change: Change) -> list[Entry]:
    """A model and what is asked of it are one task, where nothing else uses the model."""
    kept: list[Entry] = []
    moved: dict[int, int] = {}
    for task in tasks:
        source = next((k for k in kept if k.task_id == _now(task.data_dependency, moved)), None)
        follows = (
            task.name == MODEL
            and source is not None
            and source.name == MODEL
            and _USES.search(task.description)
            and not _LEARNS.match(task.description)
        )
        if not follows or source is None:
            kept.append(task)
            continue
        text = f"{source.description.rstrip('. ')}. {task.description}"
        kept[kept.index(source)] = source.model_copy(update={"description": text})
        moved[task.task_id] = source.task_id
        change(f"task {task.task_id} was merged into task {source.task_id}: it asks of its model")
    return _moved(kept, moved)


def _now(task_id: int | None, moved: dict[int, int]) -> int | None:
    return moved.get(task_id, task_id) if task_id is not None else None


def _rewired(tasks: Sequence[Entry], tables: Sequence[Table], change: Change) -> list[Entry]:
    """Dependencies that lead to earlier tasks which give data, and have what is needed."""
    found: list[Entry] = []
    for task in tasks:
        wanted = task.data_dependency
        source = next((each for each in found if each.task_id == wanted), None)
        wrong = wanted is not None and (source is None or not gives_data(source))
        if task.name == INSIGHTS and wanted is None:
            wrong = True
        if not wrong and source is not None and task.name not in (INSIGHTS, SQL):
            wrong = _lacks(task, source, tables)
        if wrong:
            now = dependency_of(task, found, tables)
            if now != wanted:
                change(f"task {task.task_id} depends on {_told(now)} and not on {_told(wanted)}")
                task = task.model_copy(update={"data_dependency": now})
        found.append(task)
    return found


def _lacks(task: Entry, source: Entry, tables: Sequence[Table]) -> bool:
    """Whether a result is known and does not have a column that a task names."""
    made = made_by(source, tables)
    known = {c.name for t in tables for c in t.columns}
    named = column_names(task.description, tables, made.columns) & known
    return bool(made.columns) and source.name == SQL and not named <= made.columns


def _told(task_id: int | None) -> str:
    return "nothing" if task_id is None else f"task {task_id}"


def _with_insights(tasks: Sequence[Entry], agents: Sequence[str], change: Change) -> list[Entry]:
    """At least one task of insights, if there is an agent for them and something to tell."""
    giving = [each for each in tasks if gives_data(each) and each.name != GOAL]
    if INSIGHTS not in agents or not giving or any(each.name == INSIGHTS for each in tasks):
        return list(tasks)
    last = giving[-1]
    number = max(each.task_id for each in tasks) + 1
    text = f"Generate insights from the result of this task: {last.description}"
    change(f"a task of insights was added, about task {last.task_id}")
    added = Entry(task_id=number, name=INSIGHTS, description=text, data_dependency=last.task_id)
    return [*tasks, added]


def renumbered(tasks: Sequence[Entry], change: Change) -> list[Entry]:
    """The tasks with numbers from 0, in their order."""
    numbers = {task.task_id: place for place, task in enumerate(tasks)}
    if any(old != new for old, new in numbers.items()):
        change("the tasks were numbered anew from 0")
    return [
        task.model_copy(
            update={
                "task_id": numbers[task.task_id],
                "data_dependency": numbers.get(task.data_dependency)
                if task.data_dependency is not None
                else None,
            }
        )
        for task in tasks
    ]
