"""Task lists: read from a reply, checked, and put right where a model could not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

from flows.errors import nearest
from flows.library.analyst.actions import Agent
from flows.library.blocks.reading import JsonObject, ReplyProblem, short
from flows.semantics.findings import OutputType, Task, TaskResult
from flows.semantics.request import Request

_DATA: Final = ("table", "model")


@dataclass(frozen=True, slots=True)
class TaskList:
    """Tasks that are in order, and what had to be changed to make them so."""

    tasks: tuple[Task, ...]
    changes: tuple[str, ...] = ()


def entries_of(reply: Mapping[str, Any]) -> list[JsonObject]:
    """The entries of a reply's list `tasks`. Errors: `ReplyProblem`."""
    found = reply.get("tasks")
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise ReplyProblem('"tasks" must be a list of objects')
    return [dict(each) for each in found]


def read_tasks(
    entries: Sequence[Mapping[str, Any]],
    agents: Sequence[Agent],
    *,
    known: Iterable[int] = (),
    most: int,
) -> tuple[Task, ...]:
    """The tasks of these entries. `known` are tasks beside them that they may depend on.

    Errors: `ReplyProblem` for everything that is wrong with them at once.
    """
    problems: list[str] = []
    tasks: list[Task] = []
    for entry in entries:
        try:
            tasks.append(Task.model_validate(_fields(entry)))
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False)[0]
            key = ".".join(str(each) for each in first["loc"])
            problems.append(f'"{key}" of {short(dict(entry))} does not fit: {first["msg"]}')
    if len(tasks) > most:
        problems.append(f"there are {len(tasks)} tasks, of at most {most}")
    problems += faults_of(tasks, agents, known)
    if problems:
        raise ReplyProblem("; ".join(problems[:8]))
    return tuple(tasks)


def faults_of(tasks: Sequence[Task], agents: Sequence[Agent], known: Iterable[int]) -> list[str]:
    """What is wrong with a list: names, numbers that come twice, dependencies that lead nowhere."""
    names = [each.name for each in agents]
    problems = []
    for task in tasks:
        if task.name not in names:
            meant = nearest(task.name, names)
            hint = f", did you mean {meant!r}?" if meant else ""
            problems.append(
                f"task {task.task_id}: there is no agent {task.name!r}{hint} "
                f"(agents: {', '.join(names)})"
            )
    numbers = [each.task_id for each in tasks]
    taken = set(known)
    problems += [
        f"the task_id {each} is there twice"
        for each in dict.fromkeys(numbers)
        if numbers.count(each) > 1 or each in taken
    ]
    for task in tasks:
        if task.data_dependency is not None and task.data_dependency not in {*numbers, *taken}:
            problems.append(
                f"task {task.task_id}: its data_dependency {task.data_dependency} is no task"
            )
    if not problems and (circle := _circle(tasks)) is not None:
        problems.append(f"the tasks wait for each other in a circle at task {circle}")
    return problems


def put_right(
    entries: Sequence[Mapping[str, Any]],
    agents: Sequence[Agent],
    *,
    known: Iterable[int] = (),
    most: int,
) -> TaskList:
    """What can be used of entries that are not in order: names by the nearest agent, numbers anew,
    without dependencies that lead nowhere; the rest is left out, and said."""
    names, taken, changes = [each.name for each in agents], set(known), []
    tasks: list[Task] = []
    renumbered: dict[Any, int] = {}
    for entry in entries:
        fields = _fields(entry)
        name, text = str(fields.get("name") or ""), str(fields.get("description") or "").strip()
        agent = name if name in names else nearest(name, names)
        if agent is None or not text or len(tasks) == most:
            changes.append(f"left out {short(dict(entry))}")
            continue
        if agent != name:
            changes.append(f"{name!r} was read as {agent!r}")
        number = max([-1, *taken]) + 1
        if fields.get("task_id") not in renumbered:
            renumbered[fields.get("task_id")] = number
        taken.add(number)
        tasks.append(
            Task(task_id=number, name=agent, description=text,
                 data_dependency=_whole(fields.get("data_dependency")))
        )  # fmt: skip
    return TaskList(tuple(_rewired(tasks, renumbered, set(known), changes)), tuple(changes))


def _rewired(
    tasks: Sequence[Task], renumbered: Mapping[Any, int], known: set[int], changes: list[str]
) -> list[Task]:
    """The tasks with their dependencies by the new numbers, each on one before it."""
    found = []
    for task in tasks:
        wanted = task.data_dependency
        now = renumbered.get(wanted, wanted if wanted in known else None)
        if now is not None and now not in known and now >= task.task_id:
            now = None
        if wanted is not None and now is None:
            changes.append(f"task {task.task_id} depended on {wanted}, which it cannot")
        found.append(task.model_copy(update={"data_dependency": now}))
    return found


def with_dependencies(
    tasks: Sequence[Task], entries: Sequence[Mapping[str, Any]], agents: Sequence[Agent]
) -> tuple[Task, ...]:
    """The tasks with the dependencies that the entries name, and with the requests that they were
    read as where they have none. Errors: `ReplyProblem`."""
    named = {_whole(each.get("task_id")): each for each in entries}
    missing = [task.task_id for task in tasks if task.task_id not in named]
    if missing:
        raise ReplyProblem(f"no data_dependency is given for task {missing[0]}")
    found = []
    for task in tasks:
        entry = named[task.task_id]
        wanted, asked = entry.get("data_dependency"), task.request or entry.get("request")
        if wanted is not None and _whole(wanted) is None:
            raise ReplyProblem(f"the data_dependency {short(wanted)} is no task_id")
        given = {**dict(task), "data_dependency": _whole(wanted), "request": asked}
        try:
            found.append(Task.model_validate(given))
        except ValidationError as error:
            why = f"the request of task {task.task_id} does not fit: {error.errors()[0]['msg']}"
            raise ReplyProblem(why) from error
    if problems := faults_of(found, agents, ()):
        raise ReplyProblem("; ".join(problems))
    return tuple(found)


def after_the_last_data(tasks: Sequence[Task], agents: Sequence[Agent]) -> tuple[Task, ...]:
    """Dependencies for a list that nobody could assign: on the nearest task before that gives
    data, none for the first."""
    gives = {each.name: each.gives for each in agents}
    found, last = [], None
    for task in tasks:
        found.append(task.model_copy(update={"data_dependency": last}))
        if gives.get(task.name) in _DATA:
            last = task.task_id if last is None else last
    return tuple(found)


def with_forced_insights(
    tasks: Sequence[Task], agents: Sequence[Agent], question: str
) -> tuple[Task, ...]:
    """The tasks, and one of insights for each that gives data which nothing but charts uses."""
    gives = {each.name: each.gives for each in agents}
    teller = next((name for name, what in gives.items() if what == "insights"), None)
    if teller is None:
        return tuple(tasks)
    found = list(tasks)
    for task in tasks:
        users = [each for each in tasks if each.data_dependency == task.task_id]
        only_shown = all(gives.get(each.name) == "figure" for each in users)
        if gives.get(task.name) in _DATA and only_shown:
            text = (
                f"Generate insights from the result of task {task.task_id} "
                f"({task.description.rstrip('. ')}) that help to answer: {question}"
            )
            number = max(each.task_id for each in found) + 1
            found.append(
                Task(task_id=number, name=teller, description=text, request=task.asked,
                     data_dependency=task.task_id)
            )  # fmt: skip
    return tuple(found)


def requested(task: Task, gives: OutputType, results: Mapping[int, TaskResult]) -> Request | None:
    """What a task asks for; of one that tells of a result, what that was computed by."""
    before = results.get(task.data_dependency) if task.data_dependency is not None else None
    if gives != "insights" or task.asked is not None or before is None:
        return task.request
    return requested(before.task, gives, results)


def _fields(entry: Mapping[str, Any]) -> JsonObject:
    """The fields of a task, also by the other names that the seed's format has for them."""
    others = {
        "name": "agent_name", "description": "task_description", "data_dependency": "input_task_id",
    }  # fmt: skip
    return {
        "task_id": entry.get("task_id"),
        "request": entry.get("request"),
        **{key: entry.get(key, entry.get(other)) for key, other in others.items()},
    }


def with_requests(tasks: Sequence[Task], before: Sequence[Task]) -> tuple[Task, ...]:
    """The tasks, those that say the same as before with what they asked for then."""
    asked = {(each.name, each.description): each.request for each in before}
    return tuple(
        each
        if each.request is not None
        else each.model_copy(update={"request": asked.get((each.name, each.description))})
        for each in tasks
    )


def _whole(value: Any) -> int | None:
    if isinstance(value, str) and value.strip().isdecimal():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _circle(tasks: Sequence[Task]) -> int | None:
    """A task that waits for itself, near or far."""
    before = {each.task_id: each.data_dependency for each in tasks}
    for start in before:
        at, seen = before[start], set[int]()
        while at is not None and at not in seen:
            if at == start:
                return start
            seen.add(at)
            at = before.get(at)
    return None
