"""Reflection on a task list: related tasks made one, what is there twice dropped, all in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from flows.analysis.team.abilities import Team
from flows.analysis.team.goals.entries import Entry, same_words
from flows.analysis.team.goals.needs import columns_given, dependency_of, is_rows, missing_in
from flows.analysis.team.goals.titles import insight_title_of, title_of
from flows.data.tables import Table
from flows.errors import nearest
from flows.semantics.model import SemanticModel
from flows.semantics.query import Query

Change = Callable[[str], None]


def reflected(
    tasks: Sequence[Entry], team: Team, tables: Sequence[Table], model: SemanticModel
) -> tuple[list[Entry], list[str]]:
    """The list as it should be, and what was changed of it."""
    changes: list[str] = []
    kept = _named(tasks, team.names, changes.append)
    kept = _unlike(kept, changes.append)
    kept = _one_extraction(kept, team, model, changes.append)
    kept = _rewired(kept, team, tables, model, changes.append)
    kept = _with_insights(kept, team, model, changes.append)
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
    return [
        task.model_copy(update={"data_dependency": moved[task.data_dependency]})
        if task.data_dependency in moved
        else task
        for task in tasks
    ]


def _one_extraction(
    tasks: Sequence[Entry], team: Team, model: SemanticModel, change: Change
) -> list[Entry]:
    """One task for all that is taken of the same rows of the same tables."""
    kept: list[Entry] = []
    moved: dict[int, int] = {}
    for task in tasks:
        query = task.request
        same = next((n for n, each in enumerate(kept) if _same_rows(each.request, query)), None)
        if task.name != team.queries or same is None or not isinstance(query, Query):
            kept.append(task)
            continue
        first = kept[same].request
        assert isinstance(first, Query)
        whole = not (first.show and query.show)
        both = first.model_copy(
            update={"show": () if whole else tuple(dict.fromkeys((*first.show, *query.show)))}
        )
        moved[task.task_id] = kept[same].task_id
        if both != first:
            update = {"request": both, "description": title_of(both, model)}
            kept[same] = kept[same].model_copy(update=update)
        change(f"task {task.task_id} was merged into task {kept[same].task_id}: both take rows "
               f'of "{first.dataset}"')  # fmt: skip
    return _moved(kept, moved)


def _same_rows(one: object, other: object) -> bool:
    """Whether two queries take the same rows, of which each may show other columns."""
    if not (isinstance(one, Query) and isinstance(other, Query) and is_rows(one)):
        return False
    shown = {"show": ()}
    far = any(getattr(e, "dataset", "") != q.dataset for q in (one, other) for e in q.show)
    whole = not (one.show and other.show)
    return not (far and whole) and one.model_copy(update=shown) == other.model_copy(update=shown)


def _rewired(
    tasks: Sequence[Entry], team: Team, tables: Sequence[Table], model: SemanticModel,
    change: Change,
) -> list[Entry]:  # fmt: skip
    """Dependencies that lead to earlier tasks which give data, and have what is needed."""
    found: list[Entry] = []
    for task in tasks:
        wanted = task.data_dependency
        source = next((each for each in found if each.task_id == wanted), None)
        wrong = wanted is not None and (source is None or source.name not in team.giving)
        wrong = wrong or (task.name == team.tells and wanted is None)
        if not wrong and source is not None and isinstance(source.request, Query):
            given = columns_given(source.request, model)
            wrong = bool(missing_in(task.request, given)) and task.name != team.tells
        if wrong:
            now = dependency_of(task, found, team, model, tables)
            if now != wanted:
                change(f"task {task.task_id} depends on {_told(now)} and not on {_told(wanted)}")
                task = task.model_copy(update={"data_dependency": now})
        found.append(task)
    return found


def _told(task_id: int | None) -> str:
    return "nothing" if task_id is None else f"task {task_id}"


def _with_insights(
    tasks: Sequence[Entry], team: Team, model: SemanticModel, change: Change
) -> list[Entry]:
    """At least one task of insights, if there is an agent for them and something to tell."""
    giving = [each for each in tasks if each.name in team.giving and each.name != team.goals]
    if not team.tells or not giving or any(each.name == team.tells for each in tasks):
        return list(tasks)
    last = giving[-1]
    number = max(each.task_id for each in tasks) + 1
    text = f"Generate insights from the result of this task: {last.description}"
    if last.asked is not None:
        text = insight_title_of(last.asked, model)
    change(f"a task of insights was added, about task {last.task_id}")
    added = Entry(task_id=number, name=team.tells, description=text, request=last.asked,
                  data_dependency=last.task_id)  # fmt: skip
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
